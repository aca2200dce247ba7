"""Plug-ins that fail in every way they can, in a real server process: it serves, and says whose fault it is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

AGENT = """
    import time
    from pathlib import Path
    from kg_plugin_api import *

    BEHAVIOUR = {behaviour!r}

    def misbehave(method):
        if BEHAVIOUR.get(method) == "raise":
            raise ValueError("what the person wrote")
        if BEHAVIOUR.get(method) == "slow":
            time.sleep(0.4)
        if BEHAVIOUR.get(method) == "nonsense":
            return 7
        return None

    class AgentDialect:
        def parse(self, raw):
            event = Event(kind=EventKind.PROMPT, native=raw.native, session="s", cwd="/", prompt="hello")
            return misbehave("parse") or event

        def reply(self, raw, text):
            return misbehave("reply") or text

        def caller(self, meta):
            return misbehave("caller") or Caller(session="s")

    class AgentWiring:
        def claims(self, site):
            return misbehave("claims") or (OwnedFile(path=site.own / "file", text="ours"),)

        def steps(self, site):
            return misbehave("steps") or ()

        def offers(self, site):
            return misbehave("offers") or ()

    def harness(name):
        return Harness(
            name=name, title=name.title(), maturity=Maturity.STABLE,
            recognition=Recognition(binaries=(), config_default=f".{{name}}"),
            events=(EventSpec(native="Prompt", kind=EventKind.PROMPT, carrier=Carrier.HOOK_CLIENT, timeout=2),),
            start_context=StartContext.PERSISTS, limits=(), dialect=AgentDialect(), wiring=AgentWiring(),
        )

    @hookimpl
    def kg_harnesses():
        return [harness(__name__)]
"""
OBSERVER = """
    from kg_plugin_api import hookimpl

    @hookimpl
    def kg_memory_changed(change):
        raise RuntimeError("what the person wrote")
"""
WHOSE = "dist-{} 1.2"


@pytest.fixture
def install(tmp_path: Path) -> Callable[..., None]:
    """Puts plug-ins where a server started with this folder on its path finds them as installed ones."""

    def add(
        module: str, body: str, *, name: str = "", requires: str = "kg-plugin-api>=1.0,<2", **behaviour: str
    ) -> None:
        source = textwrap.dedent(body)
        (tmp_path / f"{module}.py").write_text(
            source.format(behaviour=behaviour) if "{behaviour" in body else source, encoding="utf-8"
        )
        info = tmp_path / f"dist_{module}-1.2.dist-info"
        info.mkdir()
        described = f"Metadata-Version: 2.1\nName: dist-{module}\nVersion: 1.2\nRequires-Dist: {requires}\n"
        (info / "METADATA").write_text(described, encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[kg]\n{name or module} = {module}\n", encoding="utf-8")

    return add


@pytest.fixture
def serve(start: Callable[..., Any], tmp_path: Path) -> Iterator[Callable[[], Any]]:
    """Starts the server among the plug-ins; it must be as useful at the end of a test as at its begin."""
    started = []

    def run() -> Any:
        started.append(start(tmp_path / "home", PYTHONPATH=str(tmp_path), HOME=str(tmp_path)))
        return started[-1]

    yield run
    for server in started:
        is_error, said = server.call("kg_put_node", level="user", id="still-serving", gist="The server serves.")
        assert is_error is False, said
        assert server.event("claude", "UserPromptSubmit", session_id="s", cwd="/", prompt="hello").status == 200
        server.stop()
        assert "what the person wrote" not in server.log.read_text(encoding="utf-8")


def problems(server: Any, name: str) -> list[str]:
    """What /health says is wrong with a plug-in, having checked that it says where it comes from."""
    found = [problem for problem in server.health()["plugins"]["problems"] if problem["name"] == name]
    assert all(f"dist-{name} 1.2" in problem["distribution"] for problem in found), found
    return [problem["reason"] for problem in found]


def kg(server: Any, tmp_path: Path, *arguments: str) -> tuple[int, str]:
    """A ``kg`` command that finds the same plug-ins: its exit code and all that it prints."""
    environ = {**os.environ, "PYTHONPATH": str(tmp_path), "HOME": str(tmp_path), "KG_HOME": str(server.home.root)}
    command = [sys.executable, "-P", "-m", "kg_server", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=environ, timeout=60, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("body", "requires", "reason"),
    [
        ("import nowhere_at_all", "kg-plugin-api>=1.0,<2", "nowhere_at_all"),
        ("raise SystemExit(3)", "kg-plugin-api>=1.0,<2", "SystemExit"),
        ("def broken(:", "kg-plugin-api>=1.0,<2", "SyntaxError"),
        ("raise AssertionError('imported')", "kg-plugin-api>=7", "made for kg-plugin-api>=7"),
        ("raise AssertionError('imported')", "kg-plugin-api<0.5", "made for kg-plugin-api<0.5"),
    ],
    ids=["missing module", "exits", "syntax", "too new", "too old"],
)
def test_a_plug_in_that_cannot_be_imported_is_told_with_its_origin(
    install: Any, serve: Any, tmp_path: Path, body: str, requires: str, reason: str
) -> None:
    install("broken", body, requires=requires)
    install("good", AGENT)
    server = serve()

    (said,) = problems(server, "broken")
    code, listed = kg(server, tmp_path, "plugins")

    assert reason in said
    assert code == 1
    assert "BROKEN broken (dist-broken 1.2)" in listed
    assert reason in listed
    assert "harness good" in listed
    assert server.event("good", "Prompt").status == 200


def test_two_plug_ins_of_one_name_are_both_refused_and_named(install: Any, serve: Any, tmp_path: Path) -> None:
    install("first", AGENT, name="same")
    install("second", AGENT, name="same")
    server = serve()

    (problem,) = server.health()["plugins"]["problems"]
    assert problem["distribution"] == f"{WHOSE.format('first')}, {WHOSE.format('second')}"
    assert WHOSE.format("first") in kg(server, tmp_path, "plugins")[1]
    assert server.event("first", "Prompt").json == {"output": "", "delivery": ""}


@pytest.mark.parametrize("name", ["../../escape", "Upper", "", "a b", "a/b"])
def test_a_name_that_could_name_another_file_is_refused(install: Any, serve: Any, name: str) -> None:
    install(
        "odd", AGENT + f"\n    def kg_harnesses():\n        return [harness({name!r})]\n    hookimpl(kg_harnesses)\n"
    )
    server = serve()

    (said,) = problems(server, "odd")

    assert repr(name) in said
    assert not list(server.home.root.rglob("*escape*"))


@pytest.mark.parametrize("how", ["raise", "nonsense"])
@pytest.mark.parametrize(
    ("method", "what"),
    [("parse", "reading of events"), ("reply", "wrapping of replies"), ("caller", "telling of callers")],
)
def test_a_dialect_that_fails_is_silent_and_told(
    install: Any, serve: Any, tmp_path: Path, how: str, method: str, what: str
) -> None:
    install("agent", AGENT, **{method: how})
    server = serve()

    for _ in range(3):
        output = server.event("agent", "Prompt").json["output"]
        assert output == "" or method == "caller"
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "kg_read", "arguments": {}}}
        called = server.ask("POST", "/mcp", json.dumps(request).encode(), {"Kg-Harness": "agent"})
        assert called.json["result"]["isError"] is False

    (said,) = problems(server, "agent")
    assert what in said
    assert ("ValueError at agent.py:" in said) if how == "raise" else ("gave a int" in said)
    code, listed = kg(server, tmp_path, "plugins")
    assert code == 1
    assert f"BROKEN agent (dist-agent 1.2): {said}" in listed
    assert said in kg(server, tmp_path, "doctor")[1]


def test_a_plug_in_that_is_always_slow_is_told_and_then_not_asked_any_more(install: Any, serve: Any) -> None:
    install("agent", AGENT, parse="slow")
    server = serve()

    for _ in range(5):
        assert server.event("agent", "Prompt").status == 200

    said = problems(server, "agent")
    assert any("took more than" in reason for reason in said)
    assert any("not asked again until the server restarts" in reason for reason in said)


def test_an_observer_that_raises_changes_nothing_for_who_writes(install: Any, serve: Any) -> None:
    install("watcher", OBSERVER)
    server = serve()

    for number in range(3):
        is_error, _ = server.call("kg_put_node", level="user", id=f"observed-{number}", gist="Is written.")
        assert is_error is False

    (said,) = problems(server, "watcher")
    assert "observer of changes" in said
    assert "RuntimeError at watcher.py:" in said


@pytest.mark.parametrize(
    ("method", "how"), [("claims", "raise"), ("claims", "nonsense"), ("steps", "raise"), ("offers", "raise")]
)
def test_a_wiring_that_fails_is_told_and_the_other_agents_are_connected(
    install: Any, serve: Any, tmp_path: Path, method: str, how: str
) -> None:
    install("agent", AGENT, **{method: how})
    install("other", AGENT)
    for name in ("agent", "other"):
        (tmp_path / f".{name}").mkdir()
    server = serve()

    code, said = kg(server, tmp_path, "setup", "--yes", "--harness", "agent", "--harness", "other")

    assert code == 1
    assert "Still open: Agent: The plug-in for agent failed at its " + method in said
    assert "Other: memory answers" in said
    assert (server.home.root / "harnesses" / "other" / "file").read_text(encoding="utf-8") == "ours"
    assert kg(server, tmp_path, "setup", "--dry-run", "--harness", "agent")[0] == 1
    assert method == "offers" or f"The plug-in for agent failed at its {method}" in kg(server, tmp_path, "doctor")[1]
    code, said = kg(server, tmp_path, "uninstall", "--yes", "--harness", "agent", "--harness", "other")
    assert not (server.home.root / "harnesses").exists()
