"""What ``kg doctor`` says of each link between an agent and the memory, and the command that it names."""

from __future__ import annotations

import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Loaded, Plugins
from kg_core.model import to_iso
from kg_core.store import OsFiles, Places
from kg_harness_claude import CLAUDE
from kg_plugin_api import Code, KgError, StepState, StepStatus
from kg_server.carrier.version import VERSION
from kg_server.setup.agents import ago
from kg_server.setup.findings import findings
from kg_server.setup.machine import Machine
from kg_server.setup.verify import Proof

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

NOW = 1_800_000_000_000
PLUGINS: dict[str, Any] = {"problems": [], "loaded": [], "harnesses": [{"name": "claude"}]}


class Trust:
    name, title, explanation, needs_consent = "trust", "Trust the hooks", "Open the agent and trust them.", True
    state = StepState.OPEN

    def status(self, site: object) -> StepStatus:
        return StepStatus(state=self.state)

    def take(self, site: object) -> None:
        return None

    def undo(self, site: object) -> None:
        return None


def health(**more: Any) -> dict[str, Any]:
    return {"version": VERSION, "pid": 1, "problems": [], "plugins": PLUGINS, "heard": {}, **more}


@pytest.fixture
def look(person: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, tuple[str, str]]]:
    """What doctor finds: its sentences, each with its level and command."""
    monkeypatch.setattr("kg_server.setup.agents.through_shim", lambda *_: Proof(10, 0.1))

    def run(told: dict[str, Any] | None, harness: Any = CLAUDE) -> dict[str, tuple[str, str]]:
        machine = Machine(person.home, person.folder, {"PATH": ""})
        found = findings(machine, Plugins.of(harnesses=[harness]), told, str(person.folder))
        return {finding.sentence: (str(finding.level), finding.command) for finding in found}

    return run


def of(found: dict[str, tuple[str, str]], words: str) -> tuple[str, str]:
    (kept,) = [value for sentence, value in found.items() if words in sentence]
    return kept


def test_before_a_set_up_there_is_no_server_to_blame(person: Any, look: Any) -> None:
    found = look(None)

    assert of(found, "Nothing is set up here yet.") == ("problem", "kg setup")
    assert not any("does not answer" in sentence for sentence in found)
    person.run("setup", "--yes", "--harness", "claude")
    assert of(look(None), "does not answer") == ("problem", "kg start")


@pytest.mark.parametrize("stopped", [True, False])
def test_where_nothing_can_be_written_no_start_is_advised(person: Any, look: Any, monkeypatch: Any, stopped: bool):
    person.home.state.mkdir(parents=True)
    for name in ["lock", *["stopped"] * stopped]:
        (person.home.state / name).touch()
    monkeypatch.setattr("os.access", lambda path, _: path != person.home.state)

    found = look(None)

    assert of(found, f"{person.home.state} cannot be written") == ("problem", "")
    assert of(found, "No server runs, and none can be started until that is mended.") == ("problem", "")
    assert not any("kg start" in text for sentence, (_, command) in found.items() for text in (sentence, command))


def test_a_folder_whose_memory_came_from_another_machine_is_told_where_it_is(person: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(Places, "from_environ", classmethod(lambda *_: Places(person.folder, ())))
    here = person.folder / "code" / "app"
    here.mkdir(parents=True)
    file = person.home.project("app") / "project.toml"
    file.parent.mkdir(parents=True)
    file.write_text("roots = ['/other/machine/app']\n", encoding="utf-8")
    monkeypatch.chdir(here)

    assert f"into `roots` in {file}, then `kg restart`" in person.run("doctor")[1]

    file.write_text(f"roots = ['{here}']\n", encoding="utf-8")
    assert str(file) not in person.run("doctor")[1]


def test_files_of_projects_that_nobody_has_opened_are_looked_at_too(person: Any, look: Any) -> None:
    damaged, odd = (person.home.graph(f"project:{slug}") for slug in ("shop", "tools"))
    for path, text in ((damaged, '{"nodes": {"a": {"gist": "x"'), (odd, '{"nodes": {"a": {"notes": ["why"]}}}')):
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    before = person.files()

    for told in (None, health()):
        found = look(told)
        assert of(found, f"{damaged}: it cannot be read at character") == ("problem", "")
        assert of(found, f"{odd}: 'a' has no `gist`") == ("note", "")

    assert person.files() == before
    served = {"kind": "damaged", "path": str(damaged), "sentence": "As the server says."}
    found = look(health(problems=[served]))
    assert not any("it cannot be read" in sentence for sentence in found), "a problem is told once"


def test_a_registration_that_cannot_be_read_is_told_whether_or_not_a_server_runs(person: Any, look: Any) -> None:
    file = person.home.project("shop") / "project.toml"
    file.parent.mkdir(parents=True)
    file.write_text("roots = [", encoding="utf-8")

    for told in (None, health()):
        assert of(look(told), f"{file} cannot be read") == ("note", "")

    served = {"kind": "odd", "path": str(file), "sentence": "As the server says."}
    assert not any(str(file) in sentence for sentence in look(health(problems=[served]))), "a problem is told once"


def test_a_memory_that_cannot_be_looked_into_is_told(person: Any, look: Any, monkeypatch: Any) -> None:
    def refuses(*_: object) -> list[str]:
        raise PermissionError(13, "Permission denied", str(person.home.projects))

    monkeypatch.setattr(OsFiles, "names", refuses)

    assert of(look(None), f"Reading {person.home.projects} failed (Permission denied)")[0] == "problem"


def test_a_server_that_is_silent_or_another_version_is_named_with_its_command(person: Any, look: Any) -> None:
    person.home.state.mkdir(parents=True)
    person.home.lock.touch()

    assert of(look(None), "does not answer") == ("problem", "kg start")
    assert of(look(health(version="0.0.1")), "the server another") == ("problem", "kg restart")
    assert of(look(health(version="99.0.0")), "an older installation") == ("note", ""), "a restart would go back"
    gone = health(version="99.0.0", executable=sys.executable)
    assert of(look(gone), "the newer one that was here before") == ("problem", "kg restart"), "what it was is no more"


def test_claims_that_are_missing_or_changed_are_named_with_their_file(person: Any, look: Any) -> None:
    assert of(look(health()), "is not connected") == ("note", "kg setup --harness claude")
    person.run("setup", "--yes", "--harness", "claude")
    files = len([name for name in person.files() if b"kg" in person.files()[name]])
    assert of(look(health()), f"is connected: all that kg has put into {files} files is there.") == ("ok", "")
    hooks = person.home.root / "harnesses" / "claude" / "kg" / "hooks" / "hooks.json"
    hooks.write_text("{}", encoding="utf-8")
    settings = person.settings("claude")
    settings.write_text(
        settings.read_text(encoding="utf-8").replace('"kg@kg": true', '"kg@kg": false'), encoding="utf-8"
    )

    found = look(health())

    assert of(found, str(hooks)) == ("problem", ""), "set-up leaves alone what its owner has changed"
    assert of(found, str(settings)) == ("problem", "")
    settings.write_text("{}", encoding="utf-8")
    assert of(look(health()), str(settings)) == ("problem", "kg setup --harness claude")
    assert not any("arrived" in sentence for sentence in found), "what is not connected delivers nothing"


def test_of_many_files_that_are_gone_the_first_is_named_and_the_others_are_counted(person: Any, look: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    files = sorted(path for path in (person.home.root / "harnesses" / "claude").rglob("*") if path.is_file())
    for path in files[:3]:
        path.unlink()
    few = [sentence for sentence in look(health()) if "It is not there." in sentence]
    for path in files[3:]:
        path.unlink()

    many = [sentence for sentence in look(health()) if "It is not there." in sentence]

    assert sorted(few) == [f"{path}: It is not there." for path in files[:3]]
    assert len(many) == 1
    assert many[0].endswith(f": It is not there. So it is with {len(files) - 1} more files.")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ('{"model": "x"', "it is not valid JSON (line 1, column 14: a comma or } is expected)"),
        ('{"permissions": "all"}', "permissions is not an object"),
        ("[]", "the document is not an object"),
    ],
)
def test_a_file_that_set_up_would_refuse_is_named_with_the_reason_and_no_command_that_cannot_mend_it(
    person: Any, look: Any, data: str, reason: str
) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    settings = person.settings("claude")
    settings.write_text(data, encoding="utf-8")

    found = look(health())

    assert of(found, f"{settings} stays as it is: {reason}. Once that is mended, run `kg setup") == ("problem", "")
    assert "cannot be read or parsed" not in "".join(found)


def test_what_is_missing_in_one_file_is_told_once(person: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    settings = person.settings("claude")
    settings.write_text("{}", encoding="utf-8")
    machine = Machine(person.home, person.folder, {"PATH": ""})

    found = findings(machine, Plugins.of(harnesses=[CLAUDE]), health(), str(person.folder))

    assert [finding.level for finding in found if str(settings) in finding.sentence] == ["problem"]


def test_trust_that_is_open_is_told_in_words_with_the_flag_that_gives_it(person: Any, look: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    trust = Trust()

    class Wiring(type(CLAUDE.wiring)):
        def steps(self, site: Any) -> tuple[Trust, ...]:
            return (trust,)

    harness = dataclasses.replace(CLAUDE, wiring=Wiring())

    found = look(health(), harness)
    assert of(found, "Open the agent and trust them.") == ("problem", "kg setup --harness claude --trust-hooks")
    trust.state = StepState.DONE
    assert of(look(health(), harness), "Trust the hooks")[0] == "ok"


def test_a_version_is_told_without_the_advice_that_the_agent_adds_to_it(
    person: Any, look: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "claude"
    program.write_text(f"#!/bin/sh\necho 'Agent {CLAUDE.recognition.tested_versions[0]}.'\necho 'Run x to update.'\n")
    program.chmod(0o755)
    monkeypatch.setattr("kg_server.setup.machine.Machine.binary", lambda *_: program)
    person.run("setup", "--yes", "--harness", "claude")

    found = look(health())

    assert of(found, f"Claude Code: Agent {CLAUDE.recognition.tested_versions[0]}.")[0] == "ok"
    assert not any("to update" in sentence or ".." in sentence for sentence in found)


def test_the_shim_is_asked_as_the_agent_asks_it(person: Any, look: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    assert of(look(health()), "Memory answers through its MCP server (10 tools)")[0] == "ok"

    def broken(*_: object) -> Proof:
        raise KgError("unavailable", "The MCP shim did not answer.")

    monkeypatch.setattr("kg_server.setup.agents.through_shim", broken)

    assert of(look(health()), "The MCP shim did not answer.") == ("problem", "kg restart")


def test_live_delivery_is_told_by_the_last_event_that_arrived(person: Any, look: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")

    assert of(look(health()), "No event of Claude Code has arrived yet")[0] == "note"
    heard = {"claude": {"event": "UserPromptSubmit", "at": to_iso(NOW)}}
    assert of(look(health(heard=heard)), "Its last event, UserPromptSubmit, arrived")[0] == "ok"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (-5, "0 seconds"),
        (1, "1 second"),
        (1.6, "2 seconds"),
        (119, "119 seconds"),
        (120, "2 minutes"),
        (9e4, "25 hours"),
    ],
)
def test_a_time_that_has_passed_is_told_in_one_unit_and_its_number(seconds: float, told: str) -> None:
    assert ago(seconds) == f"{told} ago"


def test_the_version_of_the_program_is_compared_with_those_that_were_tried(
    person: Any, look: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "claude"
    monkeypatch.setattr("kg_server.setup.machine.Machine.binary", lambda *_: program)
    for version, level in (("2.1.332 (Claude Code)", "ok"), ("9.9.9 (Claude Code)", "note")):
        program.write_text(f"#!/bin/sh\necho '{version}'\n", encoding="utf-8")
        program.chmod(0o755)
        assert of(look(health()), version)[0] == level


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("no program\n", "cannot be run: Exec format error. If it fails in a terminal too, install Claude Code anew."),
        ("#!/nowhere/node\n", "cannot be run: No such file or directory. If it fails"),
        ("#!/bin/sh\necho 'Error: half installed.' >&2; exit 1\n", "does not say its version: Error: half installed."),
        ("#!/bin/sh\nexit 3\n", "does not say its version: it ends with code 3 and without a word."),
    ],
)
def test_of_a_program_that_does_not_run_it_is_told_why(
    person: Any, look: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: str, said: str
) -> None:
    program = tmp_path / "claude"
    program.write_text(content, encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setattr("kg_server.setup.machine.Machine.binary", lambda *_: program)

    assert of(look(health()), f"{program} {said}")[0] == "note"


def test_problems_of_plug_ins_in_the_running_server_are_told(look: Any) -> None:
    problem = {"name": "agent", "distribution": "kg-agent 1.0", "reason": "Its observer failed."}

    found = look(health(plugins={**PLUGINS, "problems": [problem]}))

    assert of(found, "agent (kg-agent 1.0): Its observer failed.")[0] == "problem"


def test_what_a_search_backend_does_without_is_told_beside_its_answering(look: Any) -> None:
    search = {"backend": "pg", "state": "answering", "behind": 0, "said": {"problem": "No model answers."}}

    found = look(health(search=search))

    assert of(found, "pg is answering.") == ("ok", "")
    assert of(found, "pg answers without a part of it: No model answers.") == ("note", "")


def test_doctor_tells_programs_the_same_as_people(person: Any) -> None:
    code, out, _ = person.run("doctor", "--json")

    told = json.loads(out)
    assert (code, told["ok"]) == (1, False)
    (silent,) = [finding for finding in told["findings"] if finding["command"] == "kg setup"]
    assert silent["level"] == "problem"
    assert f"{silent['sentence']} Mend it with `kg setup`." in person.run("doctor")[1]


@pytest.fixture
def systemctl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A systemd that only keeps what it was told."""
    program, log, enabled = tmp_path / "systemctl", tmp_path / "systemctl.log", tmp_path / "enabled"
    program.write_text(
        f"""#!/bin/sh
echo "$*" >>'{log}'
case "$2" in
    is-enabled) [ -e '{enabled}' ] ;;
    enable) : >'{enabled}' ;;
    disable) /bin/rm -f '{enabled}' ;;
esac
""",
        encoding="utf-8",
    )
    program.chmod(0o755)
    monkeypatch.setattr(
        "kg_server.setup.machine.Machine.binary",
        lambda _, harness: program if harness.name == "systemd" else None,
    )
    return log


def test_the_service_is_shown_written_enabled_checked_and_taken_out_again(person: Any, systemctl: Path) -> None:
    unit = person.folder / ".config" / "systemd" / "user" / "kg.service"
    before = person.files()

    code, out, _ = person.run("setup", "--dry-run", "--service", "--harness", "claude")
    assert code == 0
    assert f"  {unit}: new, " in out
    assert "Have systemd start the server at login" in out
    assert person.files() == before

    assert person.run("setup", "--yes", "--service", "--harness", "claude")[0] == 0
    text = unit.read_text(encoding="utf-8")
    assert "ConditionPathExists=" in text
    assert f'serve --home "{person.home.root}"' in text
    assert "--user enable kg.service" in systemctl.read_text(encoding="utf-8")
    assert "systemd starts the server at login." in person.run("doctor")[1]
    assert "already connected" in person.run("setup", "--yes", "--service", "--harness", "claude")[1]

    assert person.run("uninstall", "--yes")[0] == 0
    assert "--user disable kg.service" in systemctl.read_text(encoding="utf-8")
    assert person.files() == before


def test_without_systemd_the_service_is_left_open_in_words(person: Any) -> None:
    code, _, err = person.run("setup", "--yes", "--service", "--harness", "claude")

    assert code == 1
    assert "There is no `systemctl` on this machine." in err


def test_a_hook_that_its_owner_added_to_our_file_survives_the_removal(person: Any) -> None:
    person.run("setup", "--yes", "--harness", "claude")
    hooks = person.home.root / "harnesses" / "claude" / "kg" / "hooks" / "hooks.json"
    changed = hooks.read_text(encoding="utf-8").replace(
        '"hooks": [', '"hooks": [{"type": "command", "command": "mine"}, ', 1
    )
    hooks.write_text(changed, encoding="utf-8")

    code, out, _ = person.run("uninstall", "--yes")

    assert hooks.read_text(encoding="utf-8") == changed
    assert str(hooks) in out
    assert code == 0
    assert not person.settings("claude").exists()


@pytest.mark.parametrize(
    ("harness", "file"),
    [("copilot", ".copilot/hooks/kg.json"), ("antigravity", ".gemini/config/plugins/kg/hooks.json")],
)
def test_a_file_of_hooks_that_its_owner_changed_is_not_said_to_be_taken_out_and_no_memory_is_deleted_beside_it(
    person: Any, harness: str, file: str
) -> None:
    """What an agent still reads would start a server, and with it the memory that was just deleted."""
    hooks = person.folder / file
    person.settings(harness).parent.mkdir(parents=True, exist_ok=True)
    person.run("setup", "--yes", "--harness", harness)
    person.home.journal.mkdir(parents=True)
    changed = hooks.read_text(encoding="utf-8").replace('"type": "command"', '"type": "command", "mine": true', 1)
    hooks.write_text(changed, encoding="utf-8")

    for again in (("--purge",), (), ("--purge",)):
        code, out, err = person.run("uninstall", "--yes", *again)
        assert hooks.read_text(encoding="utf-8") == changed
        assert (code, f"NOT taken out: {hooks} is still read by its agent." in err) == (1, True)
        assert f"{harness}: taken out." not in out
        assert person.home.journal.exists()
    hooks.unlink()
    assert person.run("uninstall", "--yes", "--purge")[0] == 0
    assert not person.home.journal.exists()


def test_a_hook_that_its_owner_has_in_the_settings_stays_there_alone(person: Any) -> None:
    own = '{\n  "hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "mine"}]}]}\n}\n'
    settings = person.settings("claude")
    person.run("setup", "--yes", "--harness", "claude")
    person.run("uninstall", "--yes")
    settings.write_text(own, encoding="utf-8")
    person.run("setup", "--yes", "--harness", "claude")
    person.run("uninstall", "--yes")

    assert settings.read_text(encoding="utf-8") == own


def test_a_server_that_has_an_older_plug_in_than_this_command_is_told(person: Any) -> None:
    machine = Machine(person.home, person.folder, {"PATH": ""})
    plugins = Plugins(loaded=(Loaded("claude", "kg-harness-claude 1.1"),))
    told = health(plugins={**PLUGINS, "loaded": [{"name": "claude", "distribution": "kg-harness-claude 1.0"}]})

    found = {each.sentence: each for each in findings(machine, plugins, told, str(person.folder))}

    assert found["The server has kg-harness-claude 1.0, this command kg-harness-claude 1.1."].command == "kg restart"


@pytest.mark.parametrize("command", ["doctor", "restart"])
def test_a_plug_in_that_the_settings_leave_out_is_not_even_imported(
    person: Any, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    left_out: list[tuple[str, ...]] = []

    def load(_: object, *, disabled: Iterable[str] = ()) -> Plugins:
        left_out.append(tuple(disabled))
        return Plugins.of()

    def restart(_: object) -> None:
        raise KgError(Code.UNAVAILABLE, "Not now.")

    monkeypatch.setattr("kg_server.lifecycle.control.Control.restart", restart)
    monkeypatch.setattr(Plugins, "load", classmethod(load))
    person.home.root.mkdir(parents=True, exist_ok=True)
    person.home.config.write_text('[plugins]\ndisabled = ["unwanted"]\n', encoding="utf-8")

    person.run(command)

    assert set(left_out) == {("unwanted",)}
