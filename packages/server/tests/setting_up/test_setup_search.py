"""``kg setup --search``: steps first, then the settings, then waiting until the backend has everything."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_core.host import Plugins
from kg_core.store import Settings
from kg_plugin_api import Code, KgError, SearchBackendFactory, StepState, StepStatus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

MINE = '# mine\n[server]\nport = 7000 # and this\n\n[search]\nbackend = "other"\n'
ANSWERING = {"state": "answering", "behind": 0, "said": {"rows": 3, "lag": 0, "whole": False}}


@dataclass
class Wiring:
    """One step that is open until it is taken, or fails."""

    failure: str = ""
    taken: int = 0
    options: dict[str, str] = field(default_factory=dict)

    title = "A place"

    def steps(self, home: Path, options: Mapping[str, str]) -> Sequence[Wiring]:
        self.options = dict(options)
        return (self,)

    def status(self) -> StepStatus:
        return StepStatus(state=StepState.DONE if self.taken else StepState.OPEN)

    def take(self, progress: Callable[[str], None]) -> None:
        progress("half way")
        if self.failure:
            raise KgError(Code.UNAVAILABLE, self.failure)
        self.taken += 1


@pytest.fixture
def wiring(person: Any, monkeypatch: pytest.MonkeyPatch) -> Wiring:
    wiring = Wiring()

    async def open_none(_: Mapping[str, str]) -> Any:
        raise AssertionError("set-up opens nothing")

    found = Plugins.of(search_backends=[SearchBackendFactory(name="meaning", open=open_none, wiring=wiring)])
    monkeypatch.setattr(Plugins, "load", classmethod(lambda cls, **_: found))
    monkeypatch.setattr("kg_server.setup.searching._POLL_SECONDS", 0.0)
    person.home.root.mkdir()
    person.home.config.write_text(MINE, encoding="utf-8")
    return wiring


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, opened: list[Any]) -> list[Any]:
    """What the server says of its search, one answer after the other; the last one for ever."""
    said: list[Any] = [ANSWERING]

    def health(_: Any) -> Any:
        return {"search": said.pop(0) if len(said) > 1 else said[0]}

    monkeypatch.setattr("kg_server.lifecycle.control.Control.restart", lambda _: None)
    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", health)
    monkeypatch.setattr("kg_server.client.Client.get", lambda _, path, query: opened.append((path, query)))
    return said


@pytest.fixture
def opened() -> list[Any]:
    """What the server was asked to look at."""
    return []


@pytest.mark.usefixtures("server")
def test_it_takes_the_steps_and_writes_the_settings_beside_what_is_there(person: Any, wiring: Wiring) -> None:
    code, out, _ = person.run("setup", "--search", "meaning", "--option", "dsn=host=here", "--yes")

    assert code == 0
    assert wiring.taken == 1
    assert wiring.options == {"dsn": "host=here"}
    assert "half way" in out
    assert "it answers (rows 3, lag 0, whole no)" in out
    settings = Settings.load(person.home)
    assert (settings.search.backend, settings.search.options) == ("meaning", {"dsn": "host=here"})
    assert settings.server.port == 7000
    assert "# mine" in person.home.config.read_text(encoding="utf-8")


@pytest.mark.usefixtures("server", "wiring")
def test_it_waits_for_the_memory_of_the_folder_in_which_it_runs_too(person: Any, opened: list[Any]) -> None:
    person.run("setup", "--search", "meaning", "--yes")

    assert opened == [("/api/v1/show", {"cwd": str(Path.cwd())})]


@pytest.mark.usefixtures("server")
def test_choosing_the_built_in_index_again_puts_back_what_was_there(person: Any, wiring: Wiring) -> None:
    person.run("setup", "--search", "meaning", "--option", "dsn=host=here", "--yes")

    code, _, _ = person.run("setup", "--search", "builtin", "--yes")

    assert code == 0
    assert person.home.config.read_text(encoding="utf-8") == MINE
    assert wiring.taken == 1


@pytest.mark.usefixtures("server")
def test_other_options_replace_the_earlier_ones(person: Any, wiring: Wiring) -> None:
    person.run("setup", "--search", "meaning", "--option", "dsn=host=here", "--yes")

    person.run("setup", "--search", "meaning", "--option", "schema=kg", "--yes")

    assert Settings.load(person.home).search.options == {"schema": "kg"}
    assert wiring.options == {"schema": "kg"}


@pytest.mark.usefixtures("server")
def test_blanks_around_the_name_of_an_option_are_no_part_of_it(person: Any, wiring: Wiring) -> None:
    person.run("setup", "--search", "meaning", "--option", " dsn =host=here port=1 ", "--yes")

    assert wiring.options == {"dsn": "host=here port=1 "}


@pytest.mark.usefixtures("server")
def test_nothing_is_chosen_while_a_step_is_open(person: Any, wiring: Wiring) -> None:
    wiring.failure = "There is no place."

    code, _, err = person.run("setup", "--search", "meaning", "--yes")

    assert code == 1
    assert "There is no place." in err
    assert "The settings are as they were." in err
    assert person.home.config.read_text(encoding="utf-8") == MINE


def test_a_dry_run_shows_the_change_and_the_steps_and_does_nothing(person: Any, wiring: Wiring) -> None:
    before = person.files()

    code, out, _ = person.run("setup", "--search", "meaning", "--dry-run", "--full")

    assert code == 0
    assert '+backend = "meaning"' in out
    assert "# Step: A place: open\n" in out
    assert wiring.taken == 0
    assert person.files() == before


@pytest.mark.parametrize("more", [["--full"], ["--full", "--json"], ["--json"]], ids=" ".join)
def test_a_dry_run_shows_no_password_neither_of_what_is_written_nor_of_what_is_there(
    person: Any, wiring: Wiring, more: list[str]
) -> None:
    mine = '[search]\nbackend = "meaning"\n[search.options]\nold = "host=there password=hunter2"\n'
    person.home.config.write_text(mine, encoding="utf-8")
    dsn = "dsn=postgresql://me:hunter2@localhost/x"

    code, out, err = person.run("setup", "--search", "meaning", "--option", dsn, "--dry-run", *more)

    assert code == 0
    assert "hunter2" not in out + err
    assert wiring.options["dsn"].endswith("hunter2@localhost/x")
    assert "--full" not in more or '+dsn = "postgresql://me:[secret:password]@localhost/x"' in out + err


def test_an_address_that_lacks_its_name_is_refused_without_its_password(person: Any, wiring: Wiring) -> None:
    code, out, err = person.run("setup", "--search", "meaning", "--option", "postgresql://me:hunter2@localhost/x")

    assert code
    assert "is no option: write NAME=VALUE" in err
    assert "hunter2" not in out + err


def test_it_waits_until_the_backend_has_everything(person: Any, wiring: Wiring, server: list[Any]) -> None:
    server[:0] = [
        {"state": "opening", "behind": 0, "said": {}},
        {"state": "catching up", "behind": 7, "said": {}},
        {"state": "answering", "behind": 0, "said": {"rows": 3, "lag": 2}},
    ]

    code, out, _ = person.run("setup", "--search", "meaning", "--yes", "--json")

    document = json.loads(out)
    assert code == 0
    assert document["search"]["health"] == ANSWERING
    assert document["search"]["steps"] == [{"title": "A place", "state": "done"}]
    assert document["search"]["files"] == [str(person.home.config)]
    assert wiring.taken == 1
    assert len(server) == 1


@pytest.mark.usefixtures("wiring")
def test_a_backend_that_is_out_is_told_and_left_chosen(person: Any, server: list[Any]) -> None:
    server[:] = [{"state": "out", "outage": "It does not answer."}]

    code, _, err = person.run("setup", "--search", "meaning", "--yes")

    assert code == 1
    assert "It does not answer." in err
    assert "as they were" not in err
    assert Settings.load(person.home).search.backend == "meaning"


@pytest.mark.usefixtures("wiring")
@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--search", "magic"), "'magic'; there are: builtin, meaning. Install its plug-in first."),
        (("--search", "pg"), "'pg'; there are: builtin, meaning. Add it with: "),
        (("--search", "meaning", "--option", "dsn"), "NAME=VALUE"),
        (("--search", "builtin", "--option", "dsn=x"), "no options"),
        (("--search", "meaning", "--option", " =x"), "NAME=VALUE"),
        (("--search", "meaning", "--option", "dsn=x", "--option", "dsn=y"), "--option dsn is given twice"),
        (("--option", "dsn=x"), "--search"),
        (("--search", "meaning", "--harness", "claude"), "--harness"),
        (("--search", "meaning", "--trust-hooks"), "--trust-hooks"),
        (("--search", "builtin", "--service"), "--service"),
        (("--team", "--search", "meaning"), "--search"),
        (("--team", "--harness", "claude"), "--harness"),
    ],
)
def test_what_cannot_be_meant_is_named(person: Any, arguments: tuple[str, ...], named: str) -> None:
    code, _, err = person.run("setup", *arguments, "--yes")

    assert code != 0
    assert named in err
