"""Memory in Antigravity CLI, as its stand-in gives it to the model: real hook processes, a real shim, a real server."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from typing import TYPE_CHECKING, Any

import pytest

from .antigravity.client import Client, Use

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.slow

PRELOAD = "shared memory of all coding agents"
KETTLE = "Kettles whistle because steam passes two holes one behind the other."
LEDGER = "Amounts in the ledger are cents and never floats."
QUESTION = "Why do kettles whistle when steam passes the holes?"


def lessons(root: Path) -> dict[str, dict[str, object]]:
    """Two lessons that are older than all that a preload has room for."""
    filler = {
        f"filler-lesson-{number:03}": {
            "gist": f"The filler number {number} goes before the one number {number + 1}, " + "and so on " * 12,
            "created": f"2026-06-01T{number // 60:02}:{number % 60:02}:00.000Z",
        }
        for number in range(90)
    }
    old = "2026-01-01T00:00:00.000Z"
    return {
        "kettle-whistle": {"gist": f"{KETTLE} {'And so on. ' * 12}", "created": old},
        "ledger-cents": {
            "gist": f"{LEDGER} {'And so on. ' * 12}",
            "created": old,
            "touches": [str(root / "shop" / "ledger.py")],
        },
        **filler,
    }


@pytest.fixture(scope="module")
def machine(machines: Callable[..., Any], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A machine whose memory is larger than a preload."""
    shop = tmp_path_factory.mktemp("code") / "shop"
    shop.mkdir()
    (shop / "ledger.py").write_text("CENTS = 100\n", encoding="utf-8")
    made = machines(lessons(shop.parent))
    made.shop = shop
    return made


def put(node_id: str, gist: str, level: str = "project", **more: object) -> Use:
    return Use("mcp_kg_memory_kg_put_node", {"level": level, "id": node_id, "gist": gist, **more})


def read(*ids: str, then: Callable[[], object] = lambda: None) -> Use:
    return Use("mcp_kg_memory_kg_read", {"ids": list(ids)}, then=then)


def test_what_set_up_wrote_is_what_the_client_itself_would_have_copied(machine: Any, tmp_path: Path) -> None:
    (ours,) = machine.client.plugins

    copy = Client(tmp_path, {}).install(ours)

    files = {file.relative_to(ours): file.read_bytes() for file in ours.rglob("*") if file.is_file()}
    assert files == {file.relative_to(copy): file.read_bytes() for file in copy.rglob("*") if file.is_file()}
    assert {handler.event for handler in machine.client.handlers()} == {"SessionStart", "PreInvocation", "PostToolUse"}
    assert "kg_search" in machine.client.rules()
    assert machine.client.log == []


def test_every_guide_is_a_skill_that_is_read_whole(machine: Any) -> None:
    (ours,) = machine.client.plugins
    skills = machine.client.skills()

    assert {"capture", "recall", "maintain", "scout-history", "map-code"} <= set(skills)
    for name, text in skills.items():
        assert text == (ours / "skills" / name / "SKILL.md").read_text(encoding="utf-8")


def test_what_one_conversation_learned_is_before_the_model_of_the_next(machine: Any) -> None:
    till = machine.workspace("till")
    gist = "Drawers of the till are counted by two people."
    with machine.client.converse(till) as first:
        first.say("Remember this.", put("till-count", gist))

    with machine.client.converse(till) as second:
        (given,) = second.say("Hello, where were we?")

    assert given.index("Hello, where were we?") < given.index(PRELOAD) < given.index(gist)
    assert given.count(PRELOAD) == 1
    assert machine.client.log == []


def test_a_prompt_brings_a_lesson_to_mind_once(machine: Any) -> None:
    with machine.client.converse(machine.workspace("till")) as talk:
        (start,) = talk.say("Hello, where were we?")
        first, second = talk.say(QUESTION, Use("search_web", {"query": "kettles"}))
        (again,) = talk.say(QUESTION)

    assert KETTLE not in start
    assert first.index(QUESTION) < first.index(KETTLE)
    assert second.count(KETTLE) == again.count(KETTLE) == 1


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("view_file", {"AbsolutePath": "ledger.py", "StartLine": 1, "EndLine": 9}),
        ("replace_file_content", {"TargetFile": "ledger.py"}),
        ("read_file", {"Path": "ledger.py"}),
        ("run_command", {"CommandLine": "cat ledger.py", "Cwd": ""}),
    ],
)
def test_a_file_brings_its_lesson_with_the_result_of_the_tool(
    machine: Any, tool: str, arguments: dict[str, object]
) -> None:
    places = {"AbsolutePath", "TargetFile", "Path", "Cwd"}
    placed = {key: str(machine.shop / str(value)) if key in places else value for key, value in arguments.items()}
    with machine.client.converse(machine.shop) as talk:
        before, after = talk.say("Look at the ledger file, please.", Use(tool, placed, result="CENTS = 100"))

    assert LEDGER not in before
    assert after.index("CENTS = 100") < after.index(LEDGER)


def test_a_tool_that_failed_brings_what_is_known_of_its_file(machine: Any) -> None:
    use = Use("view_file", {"AbsolutePath": str(machine.shop / "ledger.py")}, error="no such file")
    with machine.client.converse(machine.shop) as talk:
        before, after = talk.say("Look at that file, please.", use)

    assert LEDGER not in before
    assert LEDGER in after


def test_a_resumed_conversation_still_has_its_preload_and_gets_no_second_one(machine: Any) -> None:
    workspace = machine.workspace("till")
    with machine.client.converse(workspace) as talk:
        talk.say("Hello, where were we?")
    with machine.client.converse(workspace, resume=talk.id) as again:
        (given,) = again.say("And on we go with it.")

    assert given.count(PRELOAD) == 1


def test_after_a_checkpoint_the_preload_comes_again_and_first(machine: Any) -> None:
    with machine.client.converse(machine.workspace("till")) as talk:
        talk.say("Hello, where were we?")
        talk.compact()
        first, second = talk.say(QUESTION, Use("search_web", {"query": "kettles"}))

    assert first.count(PRELOAD) == second.count(PRELOAD) == 1
    assert first.index(PRELOAD) < first.index(KETTLE)


def test_a_short_read_is_the_tools_result_and_a_long_one_comes_with_the_same_step(machine: Any) -> None:
    till = machine.workspace("till")
    with machine.client.converse(till) as talk:
        talk.say("Hello.", put("probe", "Short.", notes=["x" * 3_000]), read("probe"))
        size = len(talk.parts[-2].split("\n<kg-memory")[0].encode())
        left = 3_500 - size
        talk.say("Two more.", put("exact", "Short.", notes=["y" * (3_000 + left)]))
        talk.say("And one.", put("above", "Short.", notes=["z" * (3_001 + left)]))
    with machine.client.converse(till) as reader:
        *_, exact, above = reader.say("Read both, please.", read("exact"), read("above"))

    assert "y" * (3_000 + left) in exact
    assert "put before you" not in exact
    assert above.index("put before you") < above.index("z" * (3_001 + left))


def test_a_large_lesson_in_any_script_arrives_whole_in_packets_that_the_client_keeps(machine: Any) -> None:
    notes = ["記憶" * 3_900, "🧠" * 7_900, "é" * 7_900]
    till = machine.workspace("till")
    with machine.client.converse(till) as talk:
        talk.say("Keep it.", put("large-scripts", "Scripts differ.", notes=notes))
    with machine.client.converse(till) as reader:
        sync = Use("mcp_kg_memory_kg_sync")
        _, first, second, third, fourth = reader.say("Read it.", read("large-scripts"), sync, sync, sync)

    assert "More of this follows" in first
    assert "é" not in second
    assert [third.count(character) for character in "記憶🧠é"] == [3_900, 3_900, 7_900, 7_900]
    assert fourth.count("é") == 7_900


def test_a_long_reply_that_waits_outlives_the_server(machine: Any) -> None:
    till = machine.workspace("till")
    with machine.client.converse(till) as talk:
        talk.say("Keep it.", put("long-one", "Long.", notes=["w" * 6_000]))
    with machine.client.converse(till) as reader:
        _, after = reader.say("Read it.", read("long-one", then=lambda: machine.kg("restart")))

    assert "w" * 6_000 in after


def test_a_checkpoint_while_a_reply_waits_brings_the_preload_and_then_the_reply(machine: Any) -> None:
    till = machine.workspace("till")
    with machine.client.converse(till) as talk:
        talk.say("Keep it.", put("waiting-one", "Long.", notes=["v" * 6_000]))
    with machine.client.converse(till) as reader:
        _, after = reader.say("Read it.", read("waiting-one", then=reader.compact))

    assert after.index(PRELOAD) < after.index("v" * 6_000)


def test_tools_are_allowed_but_those_that_delete(machine: Any) -> None:
    with machine.client.converse(machine.workspace("till")) as talk:
        _, given = talk.say("Delete it.", Use("mcp_kg_memory_kg_delete_node", {"id": "kettle-whistle"}))

    assert "permission denied: kg_memory/kg_delete_node" in given


def test_a_hook_of_somebody_else_that_voids_their_file_leaves_ours(machine: Any) -> None:
    file = machine.client.folder / "config" / "hooks.json"
    file.write_text(json.dumps({"theirs": {"PreInvocation": [{"type": "command", "timeout": "5"}]}}), encoding="utf-8")
    try:
        with machine.client.converse(machine.workspace("till")) as talk:
            (given,) = talk.say("Hello, where were we?")
    finally:
        file.unlink()
        machine.client.log.clear()

    assert PRELOAD in given


def test_hooks_that_are_registered_twice_bring_every_text_once(machine: Any) -> None:
    """As when a person copied them into the user's own file."""
    file = machine.client.folder / "config" / "hooks.json"
    file.write_bytes((machine.client.plugins[0] / "hooks.json").read_bytes())
    try:
        with machine.client.converse(machine.workspace("till")) as talk:
            (start,) = talk.say("Hello, where were we?")
            (given,) = talk.say(QUESTION)
    finally:
        file.unlink()

    assert start.count(PRELOAD) == 1
    assert given.count(KETTLE) == 1


def test_without_a_server_every_turn_goes_on_and_no_reply_is_void(machines: Callable[..., Any]) -> None:
    machine = machines()
    workspace = machine.workspace("till")
    with machine.client.converse(workspace) as talk:
        talk.say("Hello, where were we?")
        machine.kg("stop")
        stopped, after = talk.say("Is anybody there?", Use("view_file", {"AbsolutePath": str(workspace / "a.py")}))
    with machine.client.converse(workspace) as anew:
        (given,) = anew.say("Hello again.")

    assert machine.client.log == []
    assert "Is anybody there?" in stopped
    assert "does not answer" not in after
    assert PRELOAD in given, "the start of a conversation starts the server"


def test_a_server_that_was_killed_is_told_of_at_most_once(machines: Callable[..., Any]) -> None:
    machine = machines()
    with machine.client.converse(machine.workspace("till")) as talk:
        talk.say("Hello, where were we?")
        with contextlib.suppress(ProcessLookupError):
            os.kill(machine.server(), signal.SIGKILL)
        texts = [talk.say(f"Number {number}, please.")[0] for number in range(3)]

    assert machine.client.log == []
    assert texts[-1].count("the memory server does not answer") <= 1
