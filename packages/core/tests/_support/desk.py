"""A home with a client's settings, for tests of the settings editor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.claims import Editor, Files
from kg_plugin_api.claims import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlTable

if TYPE_CHECKING:
    from pathlib import Path

    from kg_plugin_api.claims import Claim


class Desk:
    """A home with a client's folder, and an editor on it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.json = home / "client" / "settings.json"
        self.toml = home / "client" / "config.toml"
        self.text = home / "client" / "AGENTS.md"
        self.owned = home / "own" / "plugin" / "hooks.json"
        self.record = home / "state" / "claims.json"
        self.backups = home / "state" / "backups"
        self.json.parent.mkdir(parents=True)

    def editor(self, files: Files | None = None) -> Editor:
        return Editor(self.record, self.backups, files=files)

    def claims(self) -> list[Claim]:
        return [
            OwnedFile(path=self.owned, text="{}\n", executable=True),
            JsonEntry(path=self.json, keys=("servers", "kg"), value={"command": "kg"}),
            JsonItem(path=self.json, keys=("allow",), value="mcp__kg"),
            TomlTable(path=self.toml, keys=("servers", "kg"), values={"command": "kg"}),
            TextBlock(path=self.text, name="kg", text="Use it."),
        ]

    def put(self, claims: list[Claim] | None = None) -> None:
        editor = self.editor()
        assert editor.apply(editor.plan(self.claims() if claims is None else claims)).ok

    def take(self) -> None:
        editor = self.editor()
        assert editor.apply(editor.plan_removal()).ok
