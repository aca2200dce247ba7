"""The client itself: its folders, its plug-ins, and conversations with a model that does what a test says."""

from __future__ import annotations

import json
import shutil
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .evidence import plays
from .hooks import Handler, Hooks, read
from .server import Server
from .transcript import Transcript

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_LAZY_CHARACTERS = 4_096
_EAGER_BYTES = 10_000


@dataclass(frozen=True)
class Use:
    """One use of a tool by the model. A tool that is no MCP tool results in ``result``, or fails with ``error``.

    ``then`` happens once it was used, before the model is called again.
    """

    tool: str
    arguments: Mapping[str, object] = field(default_factory=dict)
    result: str = "done"
    error: str = ""
    then: Callable[[], object] = lambda: None


class Client:
    """One installation below a home folder. ``log`` holds what the client would write down and tell nobody."""

    def __init__(self, home: Path, environ: Mapping[str, str]) -> None:
        self.environ = {**environ, "HOME": str(home)}
        self.folder = home / ".gemini"
        self.log: list[str] = []

    @property
    def plugins(self) -> list[Path]:
        """The folders of the installed plug-ins."""
        return sorted(file.parent for file in (self.folder / "config" / "plugins").glob("*/plugin.json"))

    @plays("install")
    def install(self, source: str | Path) -> Path:
        """What ``agy plugin install`` does: copies a folder."""
        if isinstance(source, str):
            raise ValueError("only a folder can be installed")
        name = json.loads((source / "plugin.json").read_text(encoding="utf-8"))["name"]
        place = self.folder / "config" / "plugins" / str(name)
        shutil.copytree(source, place, dirs_exist_ok=True)
        return place

    def handlers(self) -> list[Handler]:
        """The hooks of the user and of all plug-ins."""
        files = [self.folder / "config" / "hooks.json", *(folder / "hooks.json" for folder in self.plugins)]
        return [handler for file in files for handler in read(file, self.log)]

    @plays("rule-size")
    def rules(self) -> str:
        """The rules that are always on: a part of what the model is told by the system."""
        texts = (file.read_bytes()[:24_000].decode() for folder in self.plugins for file in folder.glob("rules/*.md"))
        return "\n".join(text for text in texts if "trigger: always_on" in text)

    @plays("skills")
    def skills(self) -> dict[str, str]:
        """What a model that uses a skill is given, by the folder of the skill."""
        files = (file for folder in self.plugins for file in folder.glob("skills/*/SKILL.md"))
        return {file.parent.name: file.read_bytes()[:24_000].decode("utf-8", "ignore") for file in files}

    @plays("permissions")
    def allows(self, server: str, tool: str) -> bool:
        """Whether a headless run may use an MCP tool: deny before ask before allow."""
        file = self.folder / "antigravity-cli" / "settings.json"
        settings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
        stated = settings.get("permissions", {})
        names = {f"mcp({server}/{tool})", f"mcp({server}/*)", "mcp(*)"}
        refused = [*stated.get("deny", []), *stated.get("ask", [])]
        return names.isdisjoint(refused) and not names.isdisjoint(stated.get("allow", []))

    def converse(self, workspace: Path, resume: str = "") -> Conversation:
        """A conversation, new or one that was had before."""
        return Conversation(self, workspace, resume or str(uuid.uuid4()), is_new=not resume)


class Conversation:
    """What stands before the model, part by part, and what each of its calls was given."""

    def __init__(self, client: Client, workspace: Path, name: str, *, is_new: bool) -> None:
        self.client = client
        self.id = name
        self._workspace = workspace
        self._brain = client.folder / "antigravity-cli" / "brain" / name
        self.transcript = Transcript(self._brain / ".system_generated" / "logs" / "transcript_full.jsonl")
        self._hooks = Hooks(client.handlers(), client.environ, client.log)
        self._is_new = is_new
        self._kept = self._brain / "parts.json"
        self.parts: list[str] = [] if is_new else json.loads(self._kept.read_text(encoding="utf-8"))
        self._servers: dict[str, tuple[Server, Mapping[str, Any]]] = {}
        self._start_servers()

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the session; the conversation can be resumed."""
        self._kept.write_text(json.dumps(self.parts), encoding="utf-8")
        for server, _ in self._servers.values():
            server.close()
        self._servers.clear()

    @plays("start-once", "every-call")
    def say(self, prompt: str, *uses: Use) -> list[str]:
        """One turn: what each call of the model was given, all parts together. It uses a tool in each but the last."""
        self.transcript.asked(prompt)
        steps = self.transcript.steps
        self.parts.append(prompt)
        if self._is_new:
            self._inject("SessionStart", {}, at_result=False)
            self._is_new = False
        given: list[str] = []
        for number in range(len(uses) + 1):
            counted = {"invocationNum": number, "initialNumSteps": steps}
            self._inject("PreInvocation", counted, at_result=number > 0)
            given.append("\n".join(self.parts))
            if number < len(uses):
                self._use(uses[number])
        self.parts.append("Done.")
        self.transcript.write("PLANNER_RESPONSE", "Done.")
        return given

    @plays("checkpoint")
    def compact(self) -> None:
        """The conversation is summed up: what stood before the model is gone, and no hook is told."""
        self.transcript.compacted()
        self.parts = ["A summary of what came before."]

    @plays("placement", "persistence")
    def _inject(self, event: str, more: Mapping[str, object], *, at_result: bool) -> None:
        for reply in self._hooks.run(event, self._payload(more)):
            for message in reply.messages:
                if at_result:
                    self.parts[-1] += f"\n{message}"
                else:
                    self.parts.append(message)

    @plays("payloads")
    def _payload(self, more: Mapping[str, object]) -> dict[str, object]:
        return {
            "conversationId": self.id,
            "workspacePaths": [str(self._workspace)],
            "transcriptPath": str(self.transcript.path),
            "artifactDirectoryPath": str(self._brain),
            "modelName": "scripted",
            **more,
        }

    @plays("after-tools", "renamed")
    def _use(self, use: Use) -> None:
        result, error = (use.result, use.error)
        if use.tool.startswith("mcp_"):
            result, error = self._call(use)
        step = self.transcript.write("GENERIC", result or error)
        self.parts.append(result or error)
        arguments = {**use.arguments, "toolSummary": "a summary", "toolAction": "an action"}
        call = {"toolCall": {"name": use.tool, "args": arguments}, "stepIdx": step, "error": error}
        self._hooks.run("PostToolUse", self._payload(call), use.tool)
        use.then()

    @plays("eager", "lazy-limit", "eager-limit")
    def _call(self, use: Use) -> tuple[str, str]:
        """The result of an MCP tool as the model is shown it, or why there is none."""
        for name, (server, tools) in self._servers.items():
            tool = use.tool.removeprefix(f"mcp_{name}_")
            if tool == use.tool:
                continue
            if not self.client.allows(name, tool):
                return "", f"permission denied: {name}/{tool}"
            text, is_error = server.call(tool, use.arguments, self.id)
            is_eager = tools.get(tool, {}).get("eager") is True
            if not is_eager and len(text) > _LAZY_CHARACTERS:
                text = f"The result is in {self._brain / 'result.txt'}."
            elif len(text.encode()) > _EAGER_BYTES:
                text = text.encode()[:_EAGER_BYTES].decode("utf-8", "ignore") + "<truncated>"
            return ("", text) if is_error else (text, "")
        return "", f"no such tool: {use.tool}"

    @plays("server-name")
    def _start_servers(self) -> None:
        for folder in self.client.plugins:
            plugin = json.loads((folder / "plugin.json").read_text(encoding="utf-8"))["name"]
            file = folder / "mcp_config.json"
            stated = json.loads(file.read_text(encoding="utf-8"))["mcpServers"] if file.exists() else {}
            for name, server in stated.items():
                command = [server["command"], *server["args"]]
                process = Server(command, self._workspace, self.client.environ)
                self._servers[f"{plugin}_{name}"] = (process, server.get("tools", {}))
