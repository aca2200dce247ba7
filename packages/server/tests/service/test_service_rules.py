"""The rules of a project: at the start, with the first of a component's files, on request, and before an edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from typing import Any

    Live = Callable[[Callable[[Any], Coroutine[None, None, None]]], None]

MAP = """\
[[component]]
slug = "auth"
responsibility = "Who may do what."
paths = ["src/auth/**"]
depends_on = ["crypto"]
owner = "@security"

[[component]]
slug = "crypto"
paths = ["src/crypto/**"]

[[constraint]]
component = "auth"
title = "Tokens"
statement = "Never log a token."
rationale = "Logs are kept for years."
source = "docs/adr/7.md"

[[constraint]]
component = "auth"
severity = "should"
title = "Names"
statement = "Name a claim by its subject."

[[constraint]]
component = "crypto"
title = "Randomness"
statement = "Take it from the system."

[[constraint]]
title = "Clock"
statement = "Time is an argument."
"""
TOKENS = "  must (auth): Tokens: Never log a token."
RANDOMNESS = "  must (crypto): Randomness: Take it from the system."
CLOCK = "  must: Clock: Time is an argument."


def write_map(world: Any, text: str = MAP, project: str = "shop") -> Path:
    file = Path(world.folder(project)) / ".kg" / "map.toml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    world.clock.advance(1_000)
    return file


async def used(agent: Any, *paths: str, kind: str = "read", **fields: object) -> str:
    agent.calls += 1
    files = [str(Path(agent.cwd) / path) for path in paths]
    use = f"{agent.session}-{agent.calls}"
    return await agent.event("After", tool=kind, tool_kind=kind, tool_use=use, paths=files, **fields)


async def edited(agent: Any, *paths: str) -> str:
    """What stands in the way of an edit; empty when nothing does."""
    agent.calls += 1
    files = [str(Path(agent.cwd) / path) for path in paths]
    return await agent.event("Before", tool="Edit", tool_kind="edit", tool_use=f"b-{agent.calls}", paths=files)


def test_a_session_starts_with_what_holds_everywhere_and_the_components(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        text = await world.agent("s-1").start()
        assert CLOCK in text
        assert "  auth: Who may do what. [src/auth/**]\n  crypto [src/crypto/**]" in text
        assert TOKENS not in text

    live(scenario)


def test_the_first_read_of_a_components_file_brings_its_musts_and_those_of_what_it_depends_on_once(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        text = await used(agent, "src/auth/token.py")
        assert "Rules for src/auth/token.py (component auth; it depends on crypto):" in text
        assert f"{TOKENS}\n{RANDOMNESS}\n  (1 more to consider: mcp__kg__kg_rules with the path)" in text
        assert CLOCK not in text
        assert await used(agent, "src/auth/session.py") == ""
        assert await used(agent, "src/crypto/random.py", kind="edit") == ""
        assert await used(agent, "README.md") == ""

    live(scenario)


def test_an_edit_without_a_read_brings_them_with_its_own_result(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        assert await edited(agent, "src/crypto/new.py") == ""
        assert RANDOMNESS in await used(agent, "src/crypto/new.py", kind="edit")

    live(scenario)


def test_a_file_that_a_command_reads_counts(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        file = Path(agent.cwd) / "src" / "auth" / "token.py"
        file.parent.mkdir(parents=True)
        file.write_text("x", encoding="utf-8")
        assert TOKENS in await used(agent, kind="shell", command="cat src/auth/token.py")

    live(scenario)


def test_what_did_not_arrive_is_offered_again_and_what_a_compaction_dropped_too(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        agent.arrives = False
        assert TOKENS in await used(agent, "src/auth/a.py")
        agent.arrives = True
        assert TOKENS in await used(agent, "src/auth/b.py")
        assert CLOCK in await agent.start("compact")
        assert TOKENS in await used(agent, "src/auth/c.py")
        await world.restart()
        assert await used(agent, "src/auth/d.py") == ""

    live(scenario)


def test_a_rule_that_is_worded_anew_is_shown_again(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        await used(agent, "src/auth/a.py")
        write_map(world, MAP.replace("Never log a token.", "Never log or print a token."))
        text = await used(agent, "src/auth/b.py")
        assert "Never log or print a token." in text
        assert RANDOMNESS not in text

    live(scenario)


def test_what_holds_everywhere_and_had_no_room_at_the_start_comes_with_the_first_file(live: Live) -> None:
    async def scenario(world: Any) -> None:
        long = "".join(f'[[constraint]]\ntitle = "Long {n}"\nstatement = "{"word " * 90}"\n' for n in range(9))
        write_map(world, MAP + long)
        agent = world.agent("s-1")
        start = await agent.start()
        assert "more rules: mcp__kg__kg_rules)" in start
        text = await used(agent, "src/auth/a.py")
        for number in range(9):
            assert (f"Long {number}" in start) != (f"Long {number}" in text)

    live(scenario)


def test_a_file_without_a_component_brings_what_holds_everywhere_and_had_no_room(live: Live) -> None:
    async def scenario(world: Any) -> None:
        long = "".join(f'[[constraint]]\ntitle = "Long {n}"\nstatement = "{"word " * 90}"\n' for n in range(9))
        write_map(world, long)
        agent = world.agent("s-1")
        start = await agent.start()
        text = await used(agent, "README.md")
        assert "Rules for README.md:\n  must: Long " in text
        for number in range(9):
            assert (f"Long {number}" in start) != (f"Long {number}" in text)
        assert await used(agent, "Makefile") == ""

    live(scenario)


def test_a_rule_that_no_reply_can_bring_is_cut_and_not_offered_for_ever(live: Live) -> None:
    async def scenario(world: Any) -> None:
        long = f'[[constraint]]\ncomponent = "auth"\ntitle = "Epic"\nstatement = "{"word " * 3_000}"\n'
        write_map(world, MAP + long)
        agent = world.agent("s-1")
        await agent.start()
        seen = [await used(agent, f"src/auth/{number}.py") for number in range(4)]
        assert [text for text in seen if TOKENS in text] == seen[:1]
        assert sum("must (auth): Epic: word" in text for text in seen) == 1
        assert all(len(text) <= 9_500 for text in seen)
        assert seen[-1] == ""

    live(scenario)


def test_more_rules_than_a_reply_can_bring_come_one_reply_after_the_other(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.restart(hold=True)
        many = "".join(
            f'[[constraint]]\ncomponent = "auth"\ntitle = "N{n:02}"\nstatement = "{"word " * 200}"\n' for n in range(15)
        )
        write_map(world, MAP + many)
        agent = world.agent("s-1")
        await agent.start()
        seen = [await edited(agent, "src/auth/a.py"), await edited(agent, "src/auth/a.py")]
        seen += [await used(agent, "src/auth/a.py", kind="edit") for _ in range(4)]
        assert seen[1] == ""
        assert seen[-1] == ""
        for number in range(15):
            assert sum(f"N{number:02}:" in text for text in seen) == 1

    live(scenario)


def test_a_subagent_is_a_reader_of_its_own(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent, inside = world.agent("s-1"), world.agent("s-1", agent="a-1")
        await agent.start()
        await used(agent, "src/auth/a.py")
        assert TOKENS in await used(inside, "src/auth/a.py")

    live(scenario)


def test_another_projects_rules_are_nobodys_business(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world, project="other")
        agent = world.agent("s-1")
        await agent.start()
        assert await used(agent, "../other/src/auth/token.py") == ""
        assert "Nobody has written a map" in await agent.call("kg_rules")

    live(scenario)


def test_a_broken_map_is_told_once_and_its_last_right_version_stays_in_force(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        write_map(world, MAP + "wrong = 1\n")
        text = await used(agent, "src/auth/a.py")
        assert "Tell the user: The map of this project is broken, and its last right version stays in force" in text
        assert "there is no key 'wrong'" in text
        assert TOKENS in text
        write_map(world, MAP + "[[wrong\n")
        assert await used(agent, "src/auth/b.py") == ""
        late = await world.agent("s-2").start()
        assert late.count("The map of this project is broken") == 1
        assert CLOCK in late
        assert "The map of this project is broken" in await agent.call("kg_rules")
        assert [problem["kind"] for problem in world.service.health()["problems"]] == ["map"]
        assert "broken" not in await world.agent("s-3", cwd="other").start()

    live(scenario)


def test_a_map_that_was_never_right_is_told_and_never_passes_for_no_rules(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world, "[[component")
        agent = world.agent("s-1")
        assert "NO rule is in force until it is mended" in await agent.start()
        assert "NO rule is in force until it is mended" in await agent.call("kg_rules")

    live(scenario)


def test_kg_rules_shows_everything_a_file_or_a_component(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        assert await agent.call("kg_rules") == (
            f"Rules that hold everywhere:\n{CLOCK}\n"
            "Components:\n  auth: Who may do what. [src/auth/**]\n  crypto [src/crypto/**]"
        )
        text = await agent.call("kg_rules", path="src/auth/token.py")
        assert text == (
            "src/auth/token.py:\n"
            "Components:\n  auth: Who may do what. [src/auth/**]\n    depends on: crypto\n    owner: @security\n"
            "They depend on:\n  crypto [src/crypto/**]\n"
            f"Rules:\n{TOKENS}\n    because: Logs are kept for years.\n    source: docs/adr/7.md\n"
            "  should (auth): Names: Name a claim by its subject.\n"
            f"{RANDOMNESS}\n"
            f"Rules that hold everywhere:\n{CLOCK}"
        )
        assert await agent.call("kg_rules", path=f"{agent.cwd}/src/auth/token.py") == text
        assert RANDOMNESS in await agent.call("kg_rules", component="auth")
        assert "No component has README.md" in await agent.call("kg_rules", path="README.md")
        assert await used(agent, "src/auth/token.py") == ""

    live(scenario)


def test_kg_rules_knows_a_file_however_it_is_pointed_at(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world, MAP.replace('paths = ["src/auth/**"]', 'paths = ["src/auth/*.py", "my docs/a, b.md"]'))
        agent = world.agent("s-1")
        text = await agent.call("kg_rules", path="src/auth/token.py")
        assert TOKENS in text
        for pointer in (
            *(
                "src/auth/token.py:12",
                "src/auth/token.py#L3-L9",
                "src/auth/token.py (the claim)",
                "`src/auth/token.py`",
            ),
            *(" src/auth/token.py ", "src\\auth\\token.py", f"file://{agent.cwd}/src/auth/token.py:3"),
        ):
            assert await agent.call("kg_rules", path=pointer) == text, pointer
        assert TOKENS in await agent.call("kg_rules", path="my docs/a, b.md")
        both = await agent.call("kg_rules", path="src/auth/token.py, src/crypto/random.c")
        assert both.startswith("src/auth/token.py, src/crypto/random.c:\n")
        assert TOKENS in both
        assert RANDOMNESS in both
        assert await agent.call("kg_rules", component="Auth ") == await agent.call("kg_rules", component="auth")
        assert "No component has src/a.c" in await agent.call("kg_rules", path="src/a.c")

    live(scenario)


def test_kg_rules_says_what_it_does_not_know(live: Live) -> None:
    async def scenario(world: Any) -> None:
        agent = world.agent("s-1")
        assert "Nobody has written a map of this code base" in await agent.call("kg_rules")
        write_map(world)
        assert "There is no component 'oauth'; there are: auth, crypto" in await agent.refused(
            "kg_rules", component="oauth"
        )
        write_map(world, "".join(f'[[component]]\nslug = "c{at:02}"\n' for at in range(30)))
        assert "c18, c19 and 10 more" in (await agent.refused("kg_rules", component="oauth")).replace(", and", " and")
        assert "is no file of this code base" in await agent.refused("kg_rules", path="/etc/passwd")
        assert "has no argument 'paths'" in await agent.refused("kg_rules", paths=["a"])
        assert "No project belongs to this session" in await world.agent("s-2", cwd="").call("kg_rules")

    live(scenario)


def test_without_the_setting_no_edit_is_held_back(live: Live) -> None:
    async def scenario(world: Any) -> None:
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        assert await edited(agent, "src/auth/token.py") == ""

    live(scenario)


def test_the_first_edit_before_its_musts_is_refused_once_for_each_context_and_component(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.restart(hold=True)
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        text = await edited(agent, "src/auth/new.py")
        assert text.startswith("REFUSED Nothing was changed")
        assert f"{TOKENS}\n{RANDOMNESS}" in text
        assert await edited(agent, "src/auth/new.py") == ""
        assert await used(agent, "src/auth/new.py", kind="edit") == ""
        assert await edited(agent, "src/crypto/new.py") == ""
        assert await edited(agent, "README.md") == ""
        assert TOKENS in await edited(world.agent("s-1", agent="a-1"), "src/auth/new.py")

    live(scenario)


def test_a_compaction_takes_the_rules_away_and_an_edit_is_held_back_anew(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.restart(hold=True)
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        assert TOKENS in await edited(agent, "src/auth/a.py")
        await world.restart(hold=True)
        assert await edited(agent, "src/auth/a.py") == ""
        await agent.start("compact")
        assert TOKENS in await edited(agent, "src/auth/a.py")
        assert await edited(agent, "src/auth/a.py") == ""

    live(scenario)


def test_after_a_read_the_first_edit_passes(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.restart(hold=True)
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        await used(agent, "src/auth/token.py")
        assert await edited(agent, "src/auth/token.py") == ""

    live(scenario)


def test_a_refusal_that_did_not_arrive_holds_nothing_back_again_and_its_rules_come_with_the_result(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.restart(hold=True)
        write_map(world)
        agent = world.agent("s-1")
        await agent.start()
        agent.arrives = False
        assert TOKENS in await edited(agent, "src/auth/new.py")
        agent.arrives = True
        assert await edited(agent, "src/auth/new.py") == ""
        assert TOKENS in await used(agent, "src/auth/new.py", kind="edit")

    live(scenario)


def test_a_client_that_cannot_be_refused_is_told_with_the_result(live: Live) -> None:
    async def scenario(world: Any) -> None:
        await world.restart(hold=True)
        write_map(world)
        agent = world.agent("s-1", harness="narrow")
        await agent.start()
        assert await edited(agent, "src/auth/new.py") == ""
        assert TOKENS in await used(agent, "src/auth/new.py", kind="edit")

    live(scenario)
