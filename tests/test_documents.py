"""Documents through the whole of kg: added by a person, cleaned, shown by kg_search, and kept up by sessions."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kg_core.host import Plugins
from kg_core.policy import request
from kg_core.store import Home, Settings
from kg_plugin_api import Carrier, RawEvent
from kg_server.interface import ToolCall
from kg_server.searching import State, follower
from kg_server.service import Service

from .search_pg.private import until

pytestmark = pytest.mark.slow

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"


@pytest.fixture
def repository() -> Path:
    """A repository in the home of the test: what is in a temporary folder is no project."""
    root = Path.home() / "documented" / "harbour"
    (root / "docs").mkdir(parents=True)
    texts = {
        "docs/deploy.md": f"# Deploy\n\n## Roll back\n\nThe crane needs {SECRET} to roll back.\n",
        "docs/secret-plans.md": "# Plans\n\nThe crane is sold.\n",
        ".kgignore": "secret-*\n",
    }
    for name, text in texts.items():
        (root / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q", str(root)], check=True, capture_output=True)
    return root.resolve()


def test_a_repositorys_documents_are_found_beside_its_lessons_as_what_they_are(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower, "_LOOK_SECONDS", 0.2)
    plugins = Plugins.load()
    settings = Settings.model_validate({"search": {"backend": "pg", "options": {"embedder": "none"}}})

    async def operate(name: str, **given: object) -> Any:
        operation = plugins.operation("pg", name)
        assert operation is not None
        return await operation.run(given)

    async def main() -> None:
        service = await Service.open(
            Home(tmp_path), clock=lambda: 1_800_000_000_000, plugins=plugins, settings=settings, version="1"
        )
        memory: Any = service._memory

        async def call(tool: str, **arguments: object) -> str:
            reply = await service.call(ToolCall(name=tool, arguments=arguments))
            assert not reply.is_error, reply.text
            return reply.text

        async def found(query: str) -> str:
            """What a model is shown, once Postgres has what it was told."""
            await until(lambda: memory.follower.state is State.ANSWERING and not memory.follower.behind)
            return await call("kg_search", query=query, session_id=session)

        async def starts(session: str) -> None:
            payload = {
                "session_id": session,
                "cwd": str(repository),
                "hook_event_name": "SessionStart",
                "source": "startup",
            }
            await service.event("claude", RawEvent(native="SessionStart", carrier=Carrier.HOOK_CLIENT, payload=payload))

        try:
            (session,) = re.findall(r"session_id: (\S+)", await call("kg_read", cwd=str(repository)))
            await call(
                "kg_put_node", level="project", id="crane", gist="The crane lifts five tonnes.", session_id=session
            )
            await until(lambda: memory.follower.state is State.ANSWERING and not memory.follower.behind)

            added = await operate("docs add", folder=str(repository))
            assert (added["graph"], added["documents"], added["with_secrets"]) == ("project:harbour", 1, 1)
            assert added["left_out"] == {"docs/secret-plans.md": ".kgignore"}

            shown = await found("crane")
            assert shown.splitlines() == [
                "1 found:",
                "  crane: The crane lifts five tonnes.  [project]",
                "In documents (text of files, not lessons):",
                f"  {repository}/docs/deploy.md:1 [document, runbook] Deploy > Roll back",
                "    | # Deploy",
                "    | ## Roll back",
                "    | The crane needs [secret:github-token] to roll back.",
            ]
            looked: Any = await service.search(str(repository), "crane")
            assert [each["line"] for each in looked["documents"]] == [1]
            assert not any(
                hit.passage for hit in (await memory.search(request("the crane, roll back", ("project:harbour",)))).hits
            )

            (repository / "docs" / "kettle.md").write_text("# Kettle\n\nIt whistles.\n", encoding="utf-8")
            await starts("first")
            for _ in range(600):
                if "It whistles." in await found("kettle"):
                    break
                await asyncio.sleep(0.05)
            assert "kettle.md:1" in await found("kettle")
            assert (await operate("docs remove", folder=str(repository)))["removed"] == 2
            assert "Nothing matches" in await found("kettle")
        finally:
            await service.close()

    asyncio.run(main())
