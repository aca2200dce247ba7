"""The trust step against a stand-in for ``codex app-server`` that keeps its state in the client's own file."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kg_harness_codex import CODEX
from kg_harness_codex.trust import TrustStep
from kg_plugin_api import Code, KgError, StepState
from kg_plugin_testing import places

if TYPE_CHECKING:
    from pathlib import Path

    from kg_plugin_api import Site

STAND_IN = """#!{python}
import json, os, pathlib, re, sys
assert sys.argv[1:] == ["app-server"], sys.argv
config = pathlib.Path(os.environ["CODEX_HOME"]) / "config.toml"
keys = ["kg@kg:hooks/hooks.json:session_start:0:0", "kg@kg:hooks/hooks.json:user_prompt_submit:0:0"]
print("a line that is no JSON", flush=True)
for line in sys.stdin:
    message = json.loads(line)
    method, params, result = message["method"], message.get("params", {{}}), {{}}
    text = config.read_text() if config.exists() else ""
    if method == "hooks/list":
        hooks = [{{"key": key, "pluginId": "kg@kg", "currentHash": "now", "enabled": True,
                  "trustStatus": "trusted" if f'"{{key}}"' in text else {status!r}}} for key in keys]
        hooks.append({{"key": "another", "pluginId": None, "currentHash": "x", "trustStatus": "untrusted"}})
        result = {{"data": [{{"cwd": params["cwds"][0], "hooks": hooks, "warnings": [], "errors": []}}]}}
    elif method == "config/batchWrite":
        for edit in params["edits"]:
            for key, state in (edit["value"] or {{}}).items():
                text += '[hooks.state."%s"]\\ntrusted_hash = "%s"\\n' % (key, state["trusted_hash"])
            if edit["value"] is None and edit["keyPath"] == "hooks.state":
                text = re.sub(r'\\[hooks\\.state\\..*?\\]\\n.*?\\n', "", text)
            elif edit["value"] is None:
                text = re.sub(re.escape("[" + edit["keyPath"] + "]") + "\\n.*?\\n", "", text)
        config.write_text(text)
    if "id" in message:
        print(json.dumps({{"method": "note"}}), flush=True)
        print(json.dumps({{"id": message["id"], {answer}}}), flush=True)
"""


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return machine(tmp_path)


def machine(root: Path, status: str = "untrusted", answer: str = '"result": result') -> Site:
    program = root / "codex"
    program.write_text(STAND_IN.format(python=sys.executable, status=status, answer=answer), encoding="utf-8")
    program.chmod(0o755)
    site = places.site(CODEX, root)
    site.config.mkdir(parents=True)
    site.home.mkdir()
    return replace(site, binary=program)


def settings(site: Site) -> str:
    return (site.config / "config.toml").read_text(encoding="utf-8")


def kept(site: Site) -> Site:
    """Codex keeps something of an earlier hook of ours."""
    state = '[hooks.state."kg@kg:hooks/hooks.json:stop:0:0"]\ntrusted_hash = "old"\n'
    (site.config / "config.toml").write_text(state, encoding="utf-8")
    return site


def test_where_codex_keeps_nothing_of_our_hooks_it_is_not_started(site: Site) -> None:
    assert site.binary is not None
    site.binary.write_text(f"#!/bin/sh\ntouch {site.config}/started\n", encoding="utf-8")

    status = TrustStep().status(site)

    all_of_them = len(CODEX.events)
    sentence = f"Codex skips {all_of_them} of {all_of_them} hooks of kg, as they are not trusted."
    assert (status.state, status.sentence) == (StepState.OPEN, sentence)
    assert list(site.config.iterdir()) == []


def test_of_a_start_in_several_parts_each_hook_is_counted(site: Site) -> None:
    status = TrustStep().status(replace(site, launch=replace(site.launch, whole=True)))

    registered = sum(spec.parts for spec in CODEX.events)
    assert registered > len(CODEX.events)
    assert status.sentence == f"Codex skips {registered} of {registered} hooks of kg, as they are not trusted."


def test_hooks_that_are_skipped_are_told_in_words(site: Site) -> None:
    status = TrustStep().status(kept(site))

    assert status.state is StepState.OPEN
    assert status.sentence == "Codex skips 2 of 2 hooks of kg, as they are not trusted."


def test_a_changed_hook_is_named_as_changed(tmp_path: Path) -> None:
    status = TrustStep().status(kept(machine(tmp_path, status="modified")))

    assert status.state is StepState.OPEN
    assert "2 changed since they were trusted" in status.sentence
    assert "after kg was installed elsewhere" in status.sentence


def test_trust_is_taken_for_our_hooks_alone_and_twice_is_once(site: Site) -> None:
    TrustStep().take(site)
    TrustStep().take(site)

    assert TrustStep().status(site).state is StepState.DONE
    assert '"kg@kg:hooks/hooks.json:session_start:0:0"' in settings(site)
    assert "another" not in settings(site)


def test_undo_leaves_what_others_trust(site: Site) -> None:
    theirs = '[hooks.state."/home/user/.codex/hooks.json:stop:0:0"]\ntrusted_hash = "theirs"\n'
    (site.config / "config.toml").write_text(theirs, encoding="utf-8")
    TrustStep().take(site)

    TrustStep().undo(site)
    TrustStep().undo(site)

    assert settings(site) == theirs


def test_undo_removes_the_table_when_it_held_only_ours(site: Site) -> None:
    TrustStep().take(site)

    TrustStep().undo(site)

    assert settings(site) == ""


def test_undo_needs_no_client_when_nothing_was_trusted(site: Site) -> None:
    TrustStep().undo(replace(site, binary=None))


def test_a_client_that_is_not_there_is_unknown_to_status_and_an_error_to_take(site: Site) -> None:
    absent = replace(site, binary=None)

    assert TrustStep().status(absent).state is StepState.UNKNOWN
    with pytest.raises(KgError, match="was not found") as caught:
        TrustStep().take(absent)
    assert caught.value.code is Code.NOT_FOUND


def test_a_client_that_refuses_is_told_in_a_sentence(tmp_path: Path) -> None:
    refusing = kept(machine(tmp_path, answer='"error": {"message": "no"}'))

    assert TrustStep().status(refusing).state is StepState.UNKNOWN
    with pytest.raises(KgError, match="app-server"):
        TrustStep().take(refusing)


def test_a_client_that_ends_at_once_is_told_in_a_sentence(site: Site) -> None:
    assert site.binary is not None
    site.binary.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")

    with pytest.raises(KgError, match="app-server"):
        TrustStep().take(site)


def test_the_step_waits_for_a_person_and_tells_how_it_is_done_by_hand(site: Site) -> None:
    (step,) = CODEX.wiring.steps(site)

    assert step.needs_consent
    assert "/hooks" in step.explanation


def test_where_a_person_has_turned_all_hooks_off_that_is_said_and_no_trust_is_asked_for(site: Site) -> None:
    assert site.binary is not None
    site.binary.write_text(f"#!/bin/sh\ntouch {site.config}/started\n", encoding="utf-8")
    (site.config / "config.toml").write_text("[features]\nhooks = false\n", encoding="utf-8")

    status = TrustStep().status(site)
    with pytest.raises(KgError) as refused:
        TrustStep().take(site)

    assert status.state is StepState.OPEN
    assert status.sentence == refused.value.sentence
    assert f"`hooks` is false in `[features]` of {site.config / 'config.toml'}" in status.sentence
    assert not (site.config / "started").exists()
