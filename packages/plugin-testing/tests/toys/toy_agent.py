"""A harness that keeps every clause: the smallest honest one, on which mutations are tried."""

import json

from kg_plugin_api import (
    Caller,
    Carrier,
    Event,
    EventKind,
    EventSpec,
    Harness,
    JsonEntry,
    Limit,
    Maturity,
    Offer,
    OwnedFile,
    Path,
    PathLimit,
    Queued,
    QuotaWindow,
    Recognition,
    RunCommand,
    StartContext,
    StepState,
    StepStatus,
    TranscriptView,
    Unit,
)

EVENTS = (
    EventSpec(native="Start", kind=EventKind.SESSION_START, carrier=Carrier.HOOK_CLIENT, timeout=5),
    EventSpec(
        native="Prompt",
        kind=EventKind.PROMPT,
        carrier=Carrier.MCP_HOOK,
        timeout=3,
        template={"id": "${id}", "prompt": "${prompt}"},
    ),
    EventSpec(
        native="Before",
        kind=EventKind.BEFORE_TOOL,
        carrier=Carrier.MCP_HOOK,
        timeout=2,
        template={"id": "${id}"},
        injects=False,
    ),
)


class Dialect:
    def parse(self, raw):
        spec = next((spec for spec in EVENTS if spec.native == raw.native), None)
        session = raw.payload.get("id")
        if spec is None or not isinstance(session, str) or not session:
            return None
        prompt = raw.payload.get("prompt")
        return Event(
            kind=spec.kind, native=raw.native, session=session, prompt=prompt if isinstance(prompt, str) else ""
        )

    def reply(self, raw, text):
        if not text or raw.native == "Before":
            return ""
        sound = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return json.dumps({"event": raw.native, "text": sound})

    def refuse(self, raw, reason):
        if raw.native != "Before":
            return ""
        sound = reason.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return json.dumps({"event": raw.native, "refused": sound})

    def caller(self, meta):
        session = meta.get("session")
        return Caller(session=session if isinstance(session, str) else "")


class Runner:
    def command(self, prompt, tools, cwd, environ):
        kept = {name: value for name, value in environ.items() if not name.startswith("TOY_")}
        return RunCommand(arguments=("toy", "--tools", *tools), stdin=prompt, cwd=cwd, environ=kept)


class Quota:
    def windows(self, config):
        file = config / "quota.json"
        return [QuotaWindow(**json.loads(file.read_text()))] if file.exists() else []


class TrustStep:
    name = "trust"
    title = "Trust the hooks"
    explanation = "Open the agent and say yes."
    needs_consent = True

    def status(self, site):
        return StepStatus(state=StepState.OPEN)

    def take(self, site):
        pass

    def undo(self, site):
        pass


class Transcripts:
    tail_bytes = 64_000

    def view(self, tail, fresh):
        prompt = tail.decode("utf-8", "replace").strip()
        return TranscriptView(prompt=prompt, prompt_key=prompt, compacted=b"compacted" in fresh)


class Wiring:
    def claims(self, site):
        hooks = {
            "server": list(site.launch.shim),
            "tool": site.launch.event_tool,
            "start": list(site.launch.hook_argv.get("Start", ())) or site.launch.hook["Start"],
        }
        return (
            OwnedFile(path=site.own / "hooks.json", text=json.dumps(hooks) + "\n"),
            JsonEntry(path=site.config / "settings.json", keys=("plugins", "kg"), value=str(site.own)),
        )

    def steps(self, site):
        return (TrustStep(),)

    def offers(self, site):
        switch = JsonEntry(path=site.config / "settings.json", keys=("memory",), value=False, replace=True)
        return (Offer(name="memory-off", question="Turn its own memory off?", claims=(switch,)),)


class Skills:
    description = Limit(400, Unit.BYTES)
    body = Limit(4_000, Unit.BYTES)

    def claims(self, guides, site):
        folder = site.own / "skills"
        return tuple(OwnedFile(path=folder / guide.name / "SKILL.md", text=guide.skill()) for guide in guides)

    def elsewhere(self, site):
        return (site.config / "skills",)


TOY = Harness(
    name="toy",
    title="Toy Agent",
    maturity=Maturity.EXPERIMENTAL,
    recognition=Recognition(binaries=("toy",), config_default=".toy", tested_versions=("1.0",)),
    events=EVENTS,
    start_context=StartContext.PERSISTS,
    limits=tuple(PathLimit(path=path, limit=Limit(9_000, Unit.BYTES)) for path in Path),
    delivery=Queued(packet=Limit(9_000, Unit.BYTES), inline=Limit(3_000, Unit.BYTES)),
    environment_to_strip=("TOY_",),
    tool_meta={"*": {"toy/keep": True}},
    runner=Runner(),
    quota=Quota(),
    dialect=Dialect(),
    wiring=Wiring(),
    refuser=Dialect(),
    instructions=Skills(),
    transcripts=Transcripts(),
)
