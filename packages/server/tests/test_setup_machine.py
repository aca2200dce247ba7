from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from pathlib import Path

import pytest

from kg_core.host import Plugins
from kg_plugin_api import JsonEntry, KgError, Offer, OwnedFile, Recognition, StepState, StepStatus
from kg_server.cli.group import run_command
from kg_server.lifecycle.control import Control
from kg_server.setup import installed
from kg_server.setup.choice import chosen
from kg_server.setup.launch import launch
from kg_server.setup.machine import Machine

PLAIN = "plain"


class Trust:
    name, title, explanation, needs_consent = "trust", "Trust the hooks", "Open the agent and trust them.", True

    def __init__(self, site) -> None:
        self.mark = site.config / "trusted"

    def status(self, site) -> StepStatus:
        return StepStatus(state=StepState.DONE if self.mark.exists() else StepState.OPEN)

    def take(self, site) -> None:
        self.mark.touch()

    def undo(self, site) -> None:
        self.mark.unlink(missing_ok=True)


class PlainWiring:
    def claims(self, site):
        settings = site.config / "settings.json"
        return (
            OwnedFile(path=site.own / "hook.sh", text=site.launch.hook["Start"] + "\n", executable=True),
            JsonEntry(path=settings, keys=("servers", "kg"), value={"command": list(site.launch.shim)}),
        )

    def steps(self, site):
        return (Trust(site),)

    def offers(self, site):
        switch = JsonEntry(path=site.config / "settings.json", keys=("ownMemory",), value=False, replace=True)
        return (Offer(name="own-off", question="Turn the agent's own memory off?", claims=(switch,)),)


@pytest.fixture
def person(home, monkeypatch: pytest.MonkeyPatch, plugins: Plugins):
    """A person with a plain agent: its settings folder is there, its program is not."""
    folder = home.root.parent / "person"
    config = folder / ".plain"
    config.mkdir(parents=True)
    (config / "settings.json").write_text('{\n  // mine\n  "ownMemory": true\n}\n', encoding="utf-8")
    monkeypatch.setenv("KG_HOME", str(home.root))
    monkeypatch.setattr(Path, "home", classmethod(lambda cls: folder))
    harness = dataclasses.replace(plugins.harnesses[0], wiring=PlainWiring())
    found = Plugins.of(harnesses=[harness])
    monkeypatch.setattr(Plugins, "load", classmethod(lambda cls, **_: found))
    return folder


@pytest.fixture
def machine(home, person) -> Machine:
    return Machine(home, person, {"PATH": str(person / "bin")})


@pytest.fixture
def kg(person, capsys: pytest.CaptureFixture[str]):
    def run(*arguments: str) -> tuple[int, str, str]:
        code = run_command(arguments)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def proven(monkeypatch: pytest.MonkeyPatch):
    """The proof of the memory is what other tests are about: here the server is not started."""
    monkeypatch.setattr("kg_server.cli.setup._prove", lambda *_: None)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_commands_are_absolute_quoted_and_silent_once_kg_is_gone(home, plugins, tmp_path: Path) -> None:
    found = launch(home, plugins.harnesses[0])

    shell, flag, shim = found.shim
    assert (shell, flag) == ("/bin/sh", "-c")
    assert f"'{home.root}'" in shim, "the home of these tests has a space in its name"
    assert found.hook["Start"].endswith(f"--home '{home.root}' --event Start --start")
    assert found.hook["Prompt"].endswith("--event Prompt")
    python, script = sys.executable, str(Path(installed.__file__).parents[1] / "carrier" / "run.py")
    for gone in (python, script):
        command = found.hook["Prompt"].replace(gone, str(tmp_path / "gone"))
        done = subprocess.run(["/bin/sh", "-c", command], input=b"{}", capture_output=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_an_agent_is_found_by_its_settings_or_its_program(machine, plugins, person) -> None:
    (harness,) = plugins.harnesses
    assert machine.has(harness) is True
    assert machine.binary(harness) is None

    (person / ".plain" / "settings.json").unlink()
    (person / ".plain").rmdir()
    assert machine.has(harness) is False

    program = person / "bin" / "plain-agent"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    assert machine.has(harness) is True
    assert machine.binary(harness) == program


def test_a_moved_settings_folder_is_respected(machine, plugins, tmp_path: Path) -> None:
    (harness,) = plugins.harnesses
    known = Recognition(binaries=(), config_variable="PLAIN_HOME", config_default=".plain")
    moved = dataclasses.replace(machine, environ={"PLAIN_HOME": str(tmp_path / "elsewhere")})

    assert moved.config(dataclasses.replace(harness, recognition=known)) == tmp_path / "elsewhere"
    assert machine.config(dataclasses.replace(harness, recognition=known)) == machine.person / ".plain"


def test_a_named_harness_without_a_plug_in_is_told_with_the_line_to_type(machine, plugins) -> None:
    with pytest.raises(KgError, match=r"pip install .*harness-codex"):
        chosen(plugins, machine, ["plain", "codex"])
    with pytest.raises(KgError, match="misspelt") as told:
        chosen(plugins, machine, ["cluade"])
    assert "pip install" not in told.value.sentence, "nobody is led to a package that a typing error names"


def test_an_agent_that_is_here_without_its_plug_in_is_pointed_out(machine, plugins, person) -> None:
    program = person / "bin" / "codex"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)

    choice = chosen(plugins, machine, [])

    assert [harness.name for harness in choice.harnesses] == [PLAIN]
    assert choice.missing == ("codex",)


def test_a_dry_run_shows_every_change_and_makes_none(kg, person) -> None:
    before = files(person.parent)

    code, out, _ = kg("setup", "--dry-run", "--full")

    assert code == 0
    assert "+++" in out
    assert "hook.sh" in out
    assert "Turn the agent's own memory off?" in out
    assert "Open the agent and trust them." in out
    assert files(person.parent) == before


@pytest.mark.usefixtures("proven")
def test_setup_writes_and_uninstall_leaves_everything_as_it_was(kg, person, home) -> None:
    before = files(person)

    code, out, err = kg("setup", "--yes", "--trust-hooks")

    assert (code, err) == (0, "")
    settings = (person / ".plain" / "settings.json").read_text(encoding="utf-8")
    assert "// mine" in settings
    assert '"ownMemory": false' in settings
    assert (home.root / "harnesses" / PLAIN / "hook.sh").stat().st_mode & 0o100
    assert (person / ".plain" / "trusted").exists()
    assert "Trust the hooks …\n  Done." in out

    code, out, err = kg("uninstall", "--yes")

    assert (code, err) == (0, "")
    assert files(person) == before
    assert not (home.root / "harnesses" / PLAIN).exists()


@pytest.mark.usefixtures("proven")
def test_setup_twice_changes_nothing(kg, person) -> None:
    kg("setup", "--yes")
    before = files(person)

    code, out, _ = kg("setup", "--yes")

    assert code == 0
    assert "already connected" in out
    assert files(person) == before


@pytest.mark.usefixtures("proven")
def test_trust_is_explained_unless_it_is_asked_for(kg, person) -> None:
    code, out, _ = kg("setup", "--yes")

    assert code == 0
    assert "Left to you: Trust the hooks. Open the agent and trust them." in out
    assert not (person / ".plain" / "trusted").exists()


@pytest.fixture
def answering(monkeypatch: pytest.MonkeyPatch):
    """Somebody sits at the terminal and gives these answers, one to each question."""

    def give(*answers: bool) -> None:
        given = iter(answers)
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("click.confirm", lambda *_, **__: next(given))

    return give


@pytest.mark.usefixtures("proven")
def test_a_person_may_give_their_trust_when_asked(kg, person, answering) -> None:
    answering(True, True, False)

    code, out, _ = kg("setup")

    assert code == 0
    assert "Trust the hooks …\n  Done." in out
    assert (person / ".plain" / "trusted").exists()


@pytest.mark.usefixtures("proven")
def test_whoever_is_asked_for_trust_has_read_what_it_is_for(kg, person, answering) -> None:
    answering(True, False, False)

    code, out, _ = kg("setup")

    assert code == 0
    assert out.index("Open the agent and trust them. Or say yes here") < out.index(
        "Left to you: Trust the hooks. Or run"
    )
    assert not (person / ".plain" / "trusted").exists()


def test_an_agent_that_is_left_as_it_is_is_not_said_to_have_a_memory(kg, person, answering, monkeypatch) -> None:
    proved = []
    monkeypatch.setattr("kg_server.cli.setup._prove", lambda _, connections, *__: proved.append(connections))
    before = files(person)
    answering(False)

    code, out, _ = kg("setup")

    assert (code, proved) == (0, [[]])
    assert "left as it is" in out
    assert files(person) == before


@pytest.mark.parametrize("settings", ['{"servers": {', '{"servers": []}', '{"servers": {"kg": "not yours"}}'])
def test_an_agent_whose_settings_cannot_be_written_is_not_said_to_have_a_memory(
    kg, person, monkeypatch, settings: str
) -> None:
    proved = []
    monkeypatch.setattr("kg_server.cli.setup._prove", lambda _, connections, *__: proved.append(connections))
    (person / ".plain" / "settings.json").write_text(settings, encoding="utf-8")

    code, _, err = kg("setup", "--yes")

    assert (code, proved) == (1, [[]])
    assert "Still open: " in err


@pytest.mark.usefixtures("proven")
def test_somebody_elses_entry_is_left_alone_and_told(kg, person) -> None:
    settings = person / ".plain" / "settings.json"
    settings.write_text('{"servers": {"kg": "not yours"}}', encoding="utf-8")

    code, _, err = kg("setup", "--yes")

    assert code == 1
    assert str(settings) in err
    assert json.loads(settings.read_text(encoding="utf-8"))["servers"] == {"kg": "not yours"}


@pytest.mark.usefixtures("proven")
def test_without_a_terminal_setup_connects_and_leaves_what_is_only_offered(kg, person) -> None:
    code, out, _ = kg("setup")

    assert code == 0
    settings = (person / ".plain" / "settings.json").read_text(encoding="utf-8")
    assert '"kg": {' in settings
    assert '"ownMemory": true' in settings
    assert "kg setup --yes" in out


@pytest.mark.usefixtures("person")
@pytest.mark.usefixtures("proven")
def test_uninstalling_ends_the_server(kg, home) -> None:
    assert kg("setup", "--yes")[0] == 0
    Control(home).start()
    try:
        code, out, err = kg("uninstall", "--yes")

        assert code == 0, err
        assert "The server is stopped." in out
        assert Control(home).health() is None
    finally:
        Control(home).stop()


def test_without_a_terminal_uninstall_wants_to_be_told(kg) -> None:
    code, _, err = kg("uninstall")

    assert code == 2
    assert "--yes" in err


def test_a_kg_that_may_vanish_connects_nobody(kg, monkeypatch) -> None:
    monkeypatch.setattr(installed, "lasting", lambda: False)

    code, _, err = kg("setup", "--yes")

    assert code == 1
    assert "cache" in err


def test_the_memory_stays_unless_it_is_purged(kg, home, person) -> None:
    home.memory.mkdir()
    (home.memory / "user.json").write_text("{}", encoding="utf-8")

    assert kg("uninstall", "--yes")[0] == 0
    assert (home.memory / "user.json").exists()
    assert kg("uninstall", "--yes", "--purge", "--harness", PLAIN)[0] == 2
    assert kg("uninstall", "--yes", "--purge")[0] == 0
    assert not home.root.exists()


def test_a_purge_takes_nothing_that_is_not_of_kg(kg, home) -> None:
    home.memory.mkdir()
    (home.memory / "essay.txt").write_text("mine", encoding="utf-8")
    assert "nothing is deleted" in kg("uninstall", "--yes", "--purge")[1]
    assert not home.state.exists()
    (home.memory / "user.json").write_text("{}", encoding="utf-8")
    (home.root / "essay.txt").write_text("mine", encoding="utf-8")

    code, out, err = kg("uninstall", "--yes", "--purge")

    assert (code, err) == (0, "")
    assert "What else lies there stays." in out
    assert [path.name for path in home.root.iterdir()] == ["essay.txt"]


@pytest.mark.usefixtures("person")
def test_an_agent_that_was_never_connected_is_told_by_its_name(kg) -> None:
    code, out, err = kg("uninstall", "--yes", "--harness", "plian")

    assert (code, out, err) == (0, "kg has put nothing into the settings of plian.\n", "")


@pytest.mark.usefixtures("proven")
def test_doctor_says_what_is_wrong_and_changes_nothing(kg, person, home) -> None:
    before = files(person.parent)
    told = json.loads(kg("doctor", "--json")[1])
    assert told["ok"] is False
    assert told["home"] == str(home.root)
    assert files(person.parent) == before
    kg("setup", "--yes")
    (home.root / "harnesses" / PLAIN / "hook.sh").unlink()

    code, out, _ = kg("doctor")

    assert code == 1
    assert "The server does not answer" in out
    assert "kg setup --harness plain" in out
    assert "Open the agent and trust them." in out


def test_doctor_warns_of_misspelt_variables_and_of_settings(kg, home, monkeypatch) -> None:
    monkeypatch.setenv("KG_HMOE", "/x")
    home.config.write_text("nonsense = 1\n", encoding="utf-8")

    _, out, _ = kg("doctor")

    assert "KG_HMOE" in out
    assert "nonsense" in out


def test_a_relative_memory_home_is_shown_and_written_as_the_absolute_path_that_it_is(
    kg, person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(person)
    monkeypatch.setenv("KG_HOME", "my memory")

    _, told, _ = kg("doctor")
    _, planned, _ = kg("setup", "--dry-run", "--full")

    assert f"The memory is {person / 'my memory'}." in told
    assert f"--home '{person / 'my memory'}'" in planned
    assert not (person / "my memory").exists()


@pytest.mark.slow
def test_setup_starts_the_server_and_proves_that_memory_answers(
    home, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With the plug-ins that are installed, on a machine without any agent."""
    monkeypatch.setenv("KG_HOME", str(home.root))
    monkeypatch.setenv("PATH", str(tmp_path))
    try:
        code = run_command(["setup", "--yes"])
        said = capsys.readouterr()
        assert code == 0, said.err
        assert "memory answers, 11 tools" in said.out
        assert run_command(["doctor"]) == 0, capsys.readouterr().out
    finally:
        Control(home).stop()
