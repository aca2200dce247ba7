"""Each real client with each way to carry events, every one on a machine of its own."""

from __future__ import annotations

import contextlib
import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tests.acceptance.anthropic import Messages
from tests.acceptance.claude import Claude
from tests.acceptance.clients import client
from tests.acceptance.codex import Codex
from tests.acceptance.completions import Completions
from tests.acceptance.copilot import Copilot
from tests.acceptance.endpoint import Call
from tests.acceptance.machine import Machine
from tests.acceptance.openai import Responses

from kg_core.host import Plugins
from kg_core.store import Home
from kg_server.setup.launch import launch
from waits import peer
from waits.figures import BARE
from waits.session import Session, Watch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.acceptance.endpoint import Model
    from tests.acceptance.network import Loopback

    from waits.session import Talk

OURS: Final = "kg"
TOOLS: Final = "kg, without hooks"
"""kg with its tools, instructions and skills, which each question to the model carries: the base of its events."""
BY_PROCESS: Final = "kg, by the hook client"
"""kg, but for a tool's event, which goes by the hook client although this client needs no process for it."""

MCP: Final = "MCP-tool hook"
PROCESS: Final = "hook client"


@dataclass(frozen=True, slots=True)
class Client:
    """One client: what its tool events are called, who carries them by what, what each is compared with, and how its
    sessions are made.
    """

    name: str
    program: str
    looking: str
    carriers: Mapping[str, str]
    starts: Mapping[str, str]
    bases: Mapping[str, str]
    open: Callable[[Stage, str], Session]


@dataclass(frozen=True, slots=True)
class Stage:
    """What the sessions of one run share; whatever they start ends with ``stack``."""

    network: Loopback
    stack: contextlib.ExitStack
    python: Path | None
    """The peer's interpreter, if the peer is measured too."""

    def machine(self, name: str) -> tuple[Machine, Path]:
        """A machine with one client on it, and a scratch folder beside it."""
        root = Path(self.stack.enter_context(tempfile.TemporaryDirectory(prefix="kg-bench-")))
        machine = Machine(root, self.network, (client(name),))
        self.stack.callback(machine.stop)
        return machine, root

    def model(self, model: Model) -> Watch:
        """A scripted model that keeps the time."""
        return self.stack.enter_context(contextlib.closing(Watch(model, self.network)))

    def peer(self, machine: Machine, root: Path) -> dict[str, Any]:
        """The peer's server, running, and its hooks."""
        assert self.python is not None
        return self.stack.enter_context(peer.running(machine, self.network, self.python, root))

    def session(self, talk: Callable[[], Talk], model: Watch, look: Call) -> Session:
        """A session that ends with this stage."""
        return self.stack.enter_context(contextlib.closing(Session(talk, model, look)))


def _claude(stage: Stage, subject: str) -> Session:
    machine, root = stage.machine("claude")
    model = stage.model(Messages())
    claude = Claude(machine, model)
    if subject in {TOOLS, OURS, BY_PROCESS}:
        machine.setup("claude")
    if subject == TOOLS:
        _take_hooks_out(_claude_hooks(machine))
    if subject == BY_PROCESS:
        _use_the_hook_client(machine)
    if subject == peer.TITLE:
        settings = json.loads((claude.config / "settings.json").read_text(encoding="utf-8"))
        settings["hooks"] = stage.peer(machine, root)
        (claude.config / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    folder = machine.repository()
    look = Call(name="Read", arguments={"file_path": str(folder / "readme.txt")})
    return stage.session(lambda: claude.talk(folder), model, look)


def _use_the_hook_client(machine: Machine) -> None:
    """Has the plug-in that set-up wrote send what follows a tool by the hook client."""
    harness = Plugins.load().harness("claude")
    assert harness is not None
    command = launch(Home(machine.memory), harness).hook["PostToolUse"]
    file = _claude_hooks(machine)
    hooks = json.loads(file.read_text(encoding="utf-8"))
    for group in hooks["hooks"]["PostToolUse"]:
        group["hooks"] = [{"type": "command", "command": command, "timeout": 2}]
    file.write_text(json.dumps(hooks), encoding="utf-8")


def _claude_hooks(machine: Machine) -> Path:
    """The hooks of the plug-in that set-up wrote for Claude Code."""
    return machine.memory / "harnesses" / "claude" / "kg" / "hooks" / "hooks.json"


def _take_hooks_out(file: Path) -> None:
    """Leaves all of kg in place but its hooks."""
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "hooks": {}}), encoding="utf-8")


def _codex(stage: Stage, subject: str) -> Session:
    machine, root = stage.machine("codex")
    model = stage.model(Responses())
    codex = Codex(machine, model)
    if subject in {TOOLS, OURS}:
        machine.setup("codex")
    if subject == TOOLS:
        _take_hooks_out(codex.config / "plugins" / "cache" / "kg" / "kg" / "1.0.0" / "hooks" / "hooks.json")
    if subject == peer.TITLE:
        hooks = {"hooks": stage.peer(machine, root)}
        (codex.config / "hooks.json").write_text(json.dumps(hooks), encoding="utf-8")
        peer.trust(machine, codex.config, client("codex"))
    folder = machine.repository()
    look = Call(name="exec_command", arguments={"cmd": "cat readme.txt"})
    return stage.session(lambda: codex.talk(folder), model, look)


def _copilot(stage: Stage, subject: str) -> Session:
    machine, root = stage.machine("copilot")
    model = stage.model(Completions())
    unpacked = root / "unpacked"
    unpacked.mkdir()
    copilot = Copilot(machine, model, unpacked)
    if subject in {TOOLS, OURS}:
        machine.setup("copilot")
    if subject == TOOLS:
        _take_hooks_out(copilot.config / "hooks" / "kg.json")
    folder = machine.repository()
    look = Call(name="view", arguments={"path": str(folder / "readme.txt")})
    return stage.session(lambda: copilot.talk(folder), model, look)


CLIENTS: Final = (
    Client(
        name="Claude Code",
        program="claude",
        looking="after a file was read",
        carriers={BARE: "", TOOLS: "none", OURS: MCP, BY_PROCESS: PROCESS, peer.TITLE: peer.CARRIER},
        starts={OURS: PROCESS},
        bases={OURS: TOOLS, BY_PROCESS: TOOLS},
        open=_claude,
    ),
    Client(
        name="Codex CLI",
        program="codex",
        looking="after a shell command",
        carriers={BARE: "", TOOLS: "none", OURS: MCP, peer.TITLE: peer.CARRIER},
        starts={},
        bases={OURS: TOOLS},
        open=_codex,
    ),
    Client(
        name="Copilot CLI",
        program="copilot",
        looking="after a file was read",
        carriers={BARE: "", TOOLS: "none", OURS: PROCESS},
        starts={},
        bases={OURS: TOOLS},
        open=_copilot,
    ),
)
"""Every client that can be driven. For Copilot CLI the peer has no hooks."""


@contextlib.contextmanager
def staged(network: Loopback, python: Path | None = None) -> Iterator[Stage]:
    """A stage for the length of a ``with`` block."""
    with contextlib.ExitStack() as stack:
        yield Stage(network, stack, python)


@contextlib.contextmanager
def sessions(of: Client, network: Loopback, python: Path | None) -> Iterator[dict[str, Session]]:
    """The sessions of a client by the title of what carries their events; none of them has been started."""
    with staged(network, python) as stage:
        titles = [title for title in of.carriers if title != peer.TITLE or python is not None]
        yield {title: of.open(stage, title) for title in titles}
