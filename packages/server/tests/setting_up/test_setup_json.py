"""``--json`` of set-up and removal: one document, and the same deeds."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kg_plugin_api import Code, KgError, StepState, StepStatus

if TYPE_CHECKING:
    from collections.abc import Callable

FIELDS = {"name", "title", "files", "refusals", "notes", "backups", "steps", "offers", "open"}


@pytest.fixture
def asked(person: Any) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Runs a command with ``--json``; its exit code and the only thing on standard output."""

    def run(*arguments: str) -> tuple[int, dict[str, Any]]:
        code, out, _ = person.run(*arguments, "--json")
        document = json.loads(out)
        assert (document["exit_code"], document["ok"]) == (code, code == 0)
        assert document["home"] == str(person.home.root)
        assert all(set(harness) == FIELDS for harness in document["harnesses"])
        return code, document

    return run


def paths(files: list[dict[str, Any]]) -> set[str]:
    return {file["path"] for file in files}


def test_a_dry_run_tells_every_change_and_makes_none(person: Any, asked) -> None:
    person.settings("codex").write_text("# mine\n", encoding="utf-8")
    before = person.files()

    code, document = asked("setup", "--dry-run")

    assert (code, document["dry_run"]) == (0, True)
    assert person.files() == before
    claude, codex, _ = document["harnesses"]
    assert (claude["name"], claude["title"], codex["name"]) == ("claude", "Claude Code", "codex")
    settings = next(file for file in codex["files"] if file["path"] == str(person.settings("codex")))
    assert (settings["change"], settings["written"]) == ("edit", False)
    assert "+[plugins." in settings["diff"]
    assert {file["change"] for file in claude["files"]} == {"create"}
    assert [(step["name"], step["needs_consent"]) for step in codex["steps"]] == [("trust-hooks", True)]
    assert [offer["accepted"] for offer in (*claude["offers"], *codex["offers"])] == [False, False]


def test_set_up_tells_what_it_wrote_and_what_it_left_to_the_person(person: Any, asked) -> None:
    person.settings("claude").write_text('{"mine": 1}\n', encoding="utf-8")
    _, shown = asked("setup", "--dry-run")

    code, document = asked("setup")

    assert code == 0
    claude, codex, _ = document["harnesses"]
    assert all(file["written"] for file in (*claude["files"], *codex["files"]))
    assert paths(claude["files"]) == paths(shown["harnesses"][0]["files"])
    assert paths(claude["files"]) <= {str(person.folder / name) for name in person.files()}
    assert len(claude["backups"]) == 1
    assert claude["offers"][0]["accepted"] is False, "nobody was asked"
    assert codex["steps"][0]["state"] != "done"
    assert "kg" in codex["steps"][0]["explanation"]
    assert document["open"] == []


def test_accepted_offers_name_their_files(person: Any, asked) -> None:
    code, document = asked("setup", "--yes")

    assert code == 0
    for harness in document["harnesses"]:
        (offer,) = harness["offers"]
        assert offer["accepted"] is True
        assert [file["written"] for file in offer["files"]] == [True]
    assert asked("setup", "--yes")[1]["harnesses"][0]["files"] == []


def test_a_file_that_was_not_there_before_has_no_original_to_keep(person: Any, asked) -> None:
    _, document = asked("setup", "--yes")

    assert [harness["backups"] for harness in document["harnesses"]] == [[], [], []]
    assert not (person.home.state / "backups").exists()


def test_set_up_says_why_a_step_is_open_before_it_says_what_to_do(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    again = StepStatus(state=StepState.OPEN, sentence="5 changed since they were trusted.")
    monkeypatch.setattr("kg_harness_codex.trust.TrustStep.status", lambda *_: again)

    _, out, _ = person.run("setup", "--yes", "--harness", "codex")

    assert again.sentence in out
    assert out.index(again.sentence) < out.index("kg setup --trust-hooks")


def test_what_cannot_be_changed_is_in_the_document(person: Any, asked) -> None:
    person.settings("claude").write_text("{ torn", encoding="utf-8")

    code, document = asked("setup")

    assert code == 1
    claude, codex, _ = document["harnesses"]
    assert {refusal["path"] for refusal in claude["refusals"]} == {str(person.settings("claude"))}
    assert all(refusal["snippet"] for refusal in claude["refusals"])
    assert claude["open"]
    assert document["open"] == claude["open"]
    assert codex["open"] == []


def test_a_server_that_does_not_start_is_open(asked, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*_: object) -> None:
        raise KgError(Code.UNAVAILABLE, "The server could not start.")

    monkeypatch.setattr("kg_server.cli.setup._prove", refuses)

    code, document = asked("setup")

    assert (code, document["open"]) == (1, ["The server could not start."])


def test_removal_tells_what_it_takes_out(person: Any, asked) -> None:
    person.settings("claude").write_text('{"mine": 1}\n', encoding="utf-8")
    person.run("setup", "--yes")
    before = person.files()

    code, shown = asked("uninstall", "--dry-run")
    assert code == 0
    assert person.files() == before
    code, document = asked("uninstall", "--yes")

    assert code == 0
    assert person.settings("claude").read_text(encoding="utf-8") == '{"mine": 1}\n'
    names = [harness["name"] for harness in document["harnesses"]]
    assert names == [harness["name"] for harness in shown["harnesses"]]
    assert {"claude", "codex", "claude.auto-memory-off"} <= set(names)
    claude = document["harnesses"][names.index("claude")]
    assert {file["change"] for file in claude["files"]} == {"edit", "remove"}
    assert all(file["written"] for file in claude["files"])
    assert document["remove"]


def test_removal_for_a_program_asks_nobody(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)

    code, out, err = person.run("uninstall", "--json")

    assert (code, out) == (2, "")
    assert "--yes" in err


def test_whoever_accepts_an_offer_is_not_told_so_again(person: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    asked: list[str] = []

    def yes(question: str, **_: object) -> bool:
        asked.append(question)
        return True

    monkeypatch.setattr("click.confirm", yes)

    _, out, _ = person.run("setup", "--harness", "claude")

    (offer,) = [question for question in asked if "memory of its own" in question]
    assert offer not in out
    assert json.loads(person.settings("claude").read_text(encoding="utf-8"))["autoMemoryEnabled"] is False


def test_sharing_has_no_document(person: Any) -> None:
    code, out, err = person.run("setup", "--team", "--json")

    assert (code, out) == (2, "")
    assert "--team" in err


@pytest.mark.parametrize("command", ["setup", "uninstall"])
def test_help_tells_what_the_document_holds(person: Any, command: str) -> None:
    told = " ".join(person.run(command, "--help")[1].split())

    assert "--json" in told
    assert "one document on standard output" in told
