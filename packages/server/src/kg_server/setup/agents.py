"""What ``kg doctor`` finds about one agent, link by link: program, claims, steps, shim, arrival of events."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from kg_core.claims import ClaimState
from kg_plugin_api import KgError, StepState
from kg_server.counting import counted
from kg_server.setup.connection import Connection, Records
from kg_server.setup.finding import Finding, Level
from kg_server.setup.service import SERVICE
from kg_server.setup.verify import through_shim

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kg_plugin_api import Harness
    from kg_server.setup.machine import Machine

_VERSION_SECONDS: Final = 10
_NAMED: Final = 3
"""Files of which the same is wrong that are named one by one; of more, the first is, and the others are counted."""


def agent(machine: Machine, harness: Harness, health: dict[str, Any] | None) -> Iterator[Finding]:
    """The findings about one agent. ``health`` is what the server says of itself, None when it is silent."""
    area = harness.name
    if not machine.has(harness):
        yield Finding(area, Level.NOTE, f"{harness.title} was not found on this machine.")
        return
    connection = Connection.of(machine, harness)
    yield from _version(harness, connection.site.binary)
    try:
        found, copies = list(_links(connection)), list(_copies(connection))
    except KgError as failure:
        yield Finding(area, Level.PROBLEM, failure.sentence)
        return
    yield from (*found, *copies)
    if health is not None and _is_unknown(harness, machine, health):
        sentence = f"The server that answers does not know {harness.title}: a kg without its plug-in started it."
        yield Finding(area, Level.PROBLEM, sentence, "kg restart")
    elif health is not None and harness is not SERVICE and all(finding.level is Level.OK for finding in found):
        yield from _shim(connection, machine)
        yield _delivery(harness, health)


def _links(connection: Connection) -> Iterator[Finding]:
    """What is on disk, and what was done through the client."""
    harness = connection.harness
    area, again = harness.name, f"kg setup --harness {harness.name}" if harness is not SERVICE else "kg setup --service"
    standing = connection.standing()
    amiss = [status for status in standing if status.state is not ClaimState.PRESENT]
    if standing and len(amiss) == len(standing):
        yield Finding(area, Level.NOTE, f"{harness.title} is not connected.", again)
        return
    refusals = connection.plan().refusals if amiss else ()
    for reason in dict.fromkeys(refusal.reason for refusal in refusals):
        yield Finding(area, Level.PROBLEM, f"{reason} Once that is mended, run `{again}`.")
    refused = {refusal.path for refusal in refusals}
    alike: dict[str, dict[Path, None]] = {}
    for status in amiss:
        if status.claim.path not in refused:
            alike.setdefault(status.sentence, {})[status.claim.path] = None
    for sentence, paths in alike.items():
        named = list(paths)[: None if len(paths) <= _NAMED else 1]
        rest = counted(len(paths) - 1, "more file")
        more = "" if len(named) == len(paths) else f" So it is with {rest}."
        for path in named:
            yield Finding(area, Level.PROBLEM, f"{path}: {sentence}{more}", again)
    if not amiss:
        files = counted(len({status.claim.path for status in standing}), "file")
        where = f": all that kg has put into {files} is there" if standing else ""
        yield Finding(area, Level.OK, f"{harness.title} is connected{where}.")
    for step in connection.steps():
        state = connection.state(step)
        level = {StepState.DONE: Level.OK, StepState.OPEN: Level.PROBLEM, StepState.UNKNOWN: Level.NOTE}[state.state]
        done = state.state is StepState.DONE
        sentence = f"{step.title}: {state.sentence or state.state}{'' if done else f' {step.explanation}'}"
        yield Finding(area, level, sentence, "" if done else f"{again} --trust-hooks" if step.needs_consent else again)


def _copies(connection: Connection) -> Iterator[Finding]:
    """Guides of ours that the agent is shown a second time, of this or an older version."""
    name = connection.harness.name
    for copy in connection.copies():
        sentence = f"{copy.path} is a copy of kg's guide {copy.guide!r} (version {copy.version}), shown beside it."
        yield Finding(name, Level.NOTE, sentence, f"kg setup --harness {name}")


def _version(harness: Harness, binary: Path | None) -> Iterator[Finding]:
    """The client's version beside those that the plug-in was tested with."""
    area = harness.name
    if binary is None:
        yield Finding(area, Level.NOTE, f"{harness.title} has settings here, but its program was not found.")
        return
    try:
        done = subprocess.run(
            [binary, *harness.recognition.version_arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_VERSION_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as failure:
        why = failure.strerror or type(failure).__name__
        sentence = f"{binary} cannot be run: {why}. If it fails in a terminal too, install {harness.title} anew."
        yield Finding(area, Level.NOTE, sentence)
        return
    except subprocess.TimeoutExpired:
        yield Finding(area, Level.NOTE, f"{binary} did not say its version within {_VERSION_SECONDS} seconds.")
        return
    said = _first_line(done.stdout)
    if not said:
        why = _first_line(done.stderr) or f"it ends with code {done.returncode} and without a word"
        yield Finding(area, Level.NOTE, f"{binary} does not say its version: {why}.")
        return
    tested = harness.recognition.tested_versions
    if tested and not any(version in said for version in tested):
        yield Finding(area, Level.NOTE, f"{harness.title} says {said}; kg was tested with {', '.join(tested)}.")
    else:
        yield Finding(area, Level.OK, f"{harness.title}: {said}.")


def _first_line(said: str) -> str:
    """What a client says of itself, without the advice below it and without the full stop that kg adds."""
    lines = [line for line in map(str.strip, said.splitlines()) if line]
    return lines[0].rstrip(".") if lines else ""


def _is_unknown(harness: Harness, machine: Machine, health: dict[str, Any]) -> bool:
    """Whether an agent is connected of which the server has never heard: no plug-in of it is switched off or broken."""
    heard_of = {known["name"] for kind in ("harnesses", "problems") for known in health["plugins"][kind]}
    is_connected = harness.name in Records.at(machine.memory).connected()
    return is_connected and harness.name not in {*heard_of, *machine.settings.plugins.disabled}


def _shim(connection: Connection, machine: Machine) -> Iterator[Finding]:
    """Whether memory answers the way this agent asks it."""
    area = connection.harness.name
    try:
        proof = through_shim(connection.site.launch.shim, machine.person)
    except KgError as failure:
        yield Finding(area, Level.PROBLEM, failure.sentence, "kg restart")
        return
    yield Finding(area, Level.OK, f"Memory answers through its MCP server ({proof.tools} tools).")


def _delivery(harness: Harness, health: dict[str, Any]) -> Finding:
    """When the last event of this agent arrived."""
    last = health.get("heard", {}).get(harness.name)
    if not harness.events:
        return Finding(harness.name, Level.OK, f"{harness.title} sends no events.")
    if last is None:
        return Finding(
            harness.name,
            Level.NOTE,
            f"No event of {harness.title} has arrived yet. Start a new session of it: "
            "one that was open before set-up does not know kg.",
        )
    since = datetime.now(UTC) - datetime.fromisoformat(last["at"])
    return Finding(harness.name, Level.OK, f"Its last event, {last['event']}, arrived {ago(since.total_seconds())}.")


def ago(seconds: float) -> str:
    """How long ago something was, in the largest unit of which two have passed."""
    for unit, length in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if seconds >= 2 * length:
            return f"{counted(int(seconds // length), unit)} ago"
    return f"{counted(max(0, round(seconds)), 'second')} ago"
