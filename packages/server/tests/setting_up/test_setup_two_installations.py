"""Two installations of kg with one memory: an agent that one of them cannot serve is named by both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_harness_claude import CLAUDE
from kg_harness_codex import CODEX
from kg_server.carrier.version import VERSION
from kg_server.setup.findings import findings
from kg_server.setup.installed import add_line
from kg_server.setup.machine import Machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from kg_server.setup.finding import Finding


@pytest.fixture
def has(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Plugins]:
    """Makes the commands that follow those of an installation with these harnesses."""

    def only(*harnesses: Any) -> Plugins:
        found = Plugins.of(harnesses=harnesses)
        monkeypatch.setattr(Plugins, "load", classmethod(lambda cls, **_: found))
        return found

    return only


def health(*known: str, **more: Any) -> dict[str, Any]:
    plugins = {"problems": [], "loaded": [], "harnesses": [{"name": name} for name in known], **more}
    return {"version": VERSION, "pid": 1, "problems": [], "plugins": plugins, "heard": {}}


def found(person: Any, plugins: Plugins, told: dict[str, Any] | None, area: str) -> list[Finding]:
    machine = Machine(person.home, person.folder, {"PATH": ""})
    return [each for each in findings(machine, plugins, told, str(person.folder)) if each.area == area]


def test_an_agent_that_the_other_installation_connected_is_told_when_this_one_is_set_up(person: Any, has: Any) -> None:
    has(CLAUDE)
    assert "stays without memory" not in person.run("setup", "--yes")[1]
    has(CODEX)

    for command in (("setup", "--yes", "--harness", "codex"), ("setup", "--yes"), ("setup", "--dry-run")):
        _, out, _ = person.run(*command)
        assert "claude is connected, but its plug-in is not here: it stays without memory." in out, command
        assert add_line("claude") in out
        assert "kg uninstall --harness claude" in out

    person.run("uninstall", "--yes", "--harness", "claude")
    assert "stays without memory" not in person.run("setup", "--yes")[1]


def test_doctor_names_agents_whose_plug_in_is_only_in_the_other_installation(person: Any, has: Any) -> None:
    has(CLAUDE)
    person.run("setup", "--yes")

    (one,) = found(person, has(CODEX), None, "claude")

    assert (str(one.level), "its plug-in is not here" in one.sentence) == ("problem", True)
    (person.home.config).write_text('[plugins]\ndisabled = ["claude"]\n', encoding="utf-8")
    assert found(person, has(CODEX), None, "claude") == [], "whoever switches it off wants it so"


def test_doctor_names_a_server_that_does_not_know_a_connected_agent(
    person: Any, has: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kg_server.setup.agents._shim", lambda *_: ())
    plugins = has(CLAUDE, CODEX)
    person.run("setup", "--yes", "--harness", "claude")

    def unknown(told: dict[str, Any], area: str = "claude") -> list[str]:
        words = "The server that answers does not know"
        return [each.command for each in found(person, plugins, told, area) if words in each.sentence]

    assert unknown(health("codex")) == ["kg restart"]
    assert unknown(health("codex", "claude")) == []
    assert unknown(health("claude"), "codex") == [], "it is not connected"
    broken = {"name": "claude", "distribution": "kg-harness-claude 1.0", "reason": "It failed."}
    assert unknown(health("codex", problems=[broken])) == [], "that is told as what it is"


def test_a_shared_project_a_search_backend_and_the_unit_of_systemd_are_no_agents(person: Any, has: Any) -> None:
    has(CLAUDE)
    records = person.home.state / "claims"
    records.mkdir(parents=True)
    for name in ("team-0123456789ab", "search-backend", "systemd"):
        (records / f"{name}.json").write_text('{"format": 1}', encoding="utf-8")

    assert "stays without memory" not in person.run("setup", "--dry-run")[1]
