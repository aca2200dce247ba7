"""The rules of a project, in what the clients really send to the model: before the edit that they are about."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .endpoint import Call, Turn
from .lessons import by_claude, by_codex

if TYPE_CHECKING:
    from pathlib import Path

    from .claude import Claude
    from .codex import Codex
    from .copilot import Copilot
    from .endpoint import Request
    from .machine import Machine

pytestmark = pytest.mark.acceptance

CURRENT_MODEL = "gpt-6.2-sol"
MAP = """\
[[component]]
slug = "auth"
paths = ["src/auth/**"]
depends_on = ["crypto"]

[[component]]
slug = "crypto"
paths = ["src/crypto/**"]

[[constraint]]
component = "auth"
title = "Tokens"
statement = "No token is ever written to a log."

[[constraint]]
component = "auth"
severity = "should"
title = "Names"
statement = "Claims are named by their subject."

[[constraint]]
component = "crypto"
title = "Randomness"
statement = "Random bytes come from the operating system."

[[constraint]]
title = "Clock"
statement = "Time is an argument."
"""
TOKENS = "must (auth): Tokens: No token is ever written to a log."
RANDOMNESS = "must (crypto): Randomness: Random bytes come from the operating system."
CLOCK = "must: Clock: Time is an argument."
PATCH = "\n".join(
    (
        "*** Begin Patch",
        "*** Update File: src/auth/token.py",
        "@@",
        "-TTL = 1",
        "+TTL = 2",
        "*** End Patch",
    )
)


@pytest.fixture
def project(machine: Machine, claude: Claude, codex: Codex) -> Path:
    """A repository with a map, on a machine where kg is set up for both clients."""
    del claude, codex
    machine.setup()
    folder = machine.repository()
    (folder / "src" / "auth").mkdir(parents=True)
    (folder / "src" / "auth" / "token.py").write_text("TTL = 1\n", encoding="utf-8")
    (folder / ".kg").mkdir()
    (folder / ".kg" / "map.toml").write_text(MAP, encoding="utf-8")
    return folder


def hold_edits(machine: Machine) -> None:
    """Turns holding on, as a person would."""
    (machine.memory / "config.toml").write_text("[rules]\nhold = true\n", encoding="utf-8")
    machine.stop()


def told_with_the_read(before_read: Request, before_edit: Request, after_edit: Request) -> None:
    """What holds everywhere came first, the component's ``must`` rules with the read, and nothing twice."""
    assert CLOCK in before_read.text
    assert TOKENS not in before_read.text
    assert TOKENS in before_edit.text
    assert RANDOMNESS in before_edit.text
    assert after_edit.text.count(TOKENS) == 1
    assert "Claims are named" not in after_edit.text


def told_with_the_refusal(first: Request, refused: Request, done: Request) -> None:
    """The refusal had the rules, and they did not come again."""
    assert TOKENS not in first.text
    assert "Nothing was changed" in refused.text
    assert TOKENS in refused.text
    assert RANDOMNESS in refused.text
    assert done.text.count(TOKENS) == 1


def test_in_claude_code_the_rules_are_in_the_request_whose_reply_is_the_edit(project: Path, claude: Claude) -> None:
    file = str(project / "src" / "auth" / "token.py")
    edit = {"file_path": file, "old_string": "TTL = 1", "new_string": "TTL = 2"}
    claude.model.script(
        Turn(calls=(Call(name="Read", arguments={"file_path": file}),)),
        Turn(calls=(Call(name="Edit", arguments=edit),)),
    )
    claude.run("Make tokens live longer.", project)

    told_with_the_read(*claude.model.asked())
    assert (project / "src" / "auth" / "token.py").read_text(encoding="utf-8") == "TTL = 2\n"


def test_in_codex_the_rules_are_in_the_request_whose_reply_is_the_patch(project: Path, codex: Codex) -> None:
    shell = f"text(await tools.exec_command({json.dumps({'cmd': 'cat src/auth/token.py'})}));"
    codex.model.script(
        Turn(calls=(Call(name="exec", arguments={"input": shell}),)),
        Turn(calls=(Call(name="exec", arguments={"input": f"await tools.apply_patch({json.dumps(PATCH)})"}),)),
    )
    codex.run("Make tokens live longer.", project, model=CURRENT_MODEL)

    told_with_the_read(*codex.model.asked())
    assert (project / "src" / "auth" / "token.py").read_text(encoding="utf-8") == "TTL = 2\n"


def test_in_claude_code_a_held_edit_is_refused_with_its_rules_and_its_repeat_passes(
    project: Path, machine: Machine, claude: Claude
) -> None:
    hold_edits(machine)
    file = project / "src" / "auth" / "new.py"
    write = Call(name="Write", arguments={"file_path": str(file), "content": "TTL = 3\n"})
    there: list[bool] = []

    def repeated(_: Request) -> Turn:
        there.append(file.exists())
        return Turn(calls=(write,))

    claude.model.script(Turn(calls=(write,)), repeated)
    claude.run("Add a module.", project, "--allowedTools", "Write")

    told_with_the_refusal(*claude.model.asked())
    assert there == [False]
    assert file.read_text(encoding="utf-8") == "TTL = 3\n"


def test_in_codex_a_held_patch_is_refused_with_its_rules_and_its_repeat_passes(
    project: Path, machine: Machine, codex: Codex
) -> None:
    hold_edits(machine)
    file = project / "src" / "auth" / "token.py"
    call = f"try {{ text(await tools.apply_patch({json.dumps(PATCH)})); }} catch (error) {{ text(String(error)); }}"
    patch = Turn(calls=(Call(name="exec", arguments={"input": call}),))
    seen: list[str] = []

    def repeated(_: Request) -> Turn:
        seen.append(file.read_text(encoding="utf-8"))
        return patch

    codex.model.script(patch, repeated)
    codex.run("Make tokens live longer.", project, model=CURRENT_MODEL)

    told_with_the_refusal(*codex.model.asked())
    assert seen == ["TTL = 1\n"]
    assert file.read_text(encoding="utf-8") == "TTL = 2\n"


def test_in_copilot_a_held_edit_is_refused_with_its_rules_and_its_repeat_passes(
    project: Path, machine: Machine, copilot: Copilot
) -> None:
    machine.setup("copilot")
    hold_edits(machine)
    file = project / "src" / "auth" / "new.py"
    create = Call(name="create", arguments={"path": str(file), "file_text": "TTL = 3\n"})
    there: list[bool] = []

    def repeated(_: Request) -> Turn:
        there.append(file.exists())
        return Turn(calls=(create,))

    copilot.model.script(Turn(calls=(create,)), repeated)
    copilot.run("Add a module.", project)

    told_with_the_refusal(*copilot.model.asked())
    assert there == [False]
    assert file.read_text(encoding="utf-8") == "TTL = 3\n"


def test_a_read_before_lets_the_first_edit_pass(project: Path, machine: Machine, claude: Claude) -> None:
    hold_edits(machine)
    file = str(project / "src" / "auth" / "token.py")
    edit = {"file_path": file, "old_string": "TTL = 1", "new_string": "TTL = 2"}
    claude.model.script(
        Turn(calls=(Call(name="Read", arguments={"file_path": file}),)),
        Turn(calls=(Call(name="Edit", arguments=edit),)),
    )
    claude.run("Make tokens live longer.", project)

    assert "Nothing was changed" not in claude.model.asked()[-1].text
    assert (project / "src" / "auth" / "token.py").read_text(encoding="utf-8") == "TTL = 2\n"


def test_the_model_may_ask_for_rules(project: Path, claude: Claude, codex: Codex) -> None:
    claude.model.script(Turn(calls=(by_claude("kg_rules", path="src/auth/token.py"),)))
    claude.run("What holds for tokens?", project)
    codex.model.script(Turn(calls=(by_codex("kg_rules", component="auth"),)))
    codex.run("What holds for tokens?", project)

    for model in (claude.model, codex.model):
        answered = model.asked()[-1].text
        assert TOKENS in answered
        assert RANDOMNESS in answered
        assert "should (auth): Names: Claims are named by their subject." in answered
