"""The optional unit by which systemd starts the server when a person logs in, connected like an agent."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Final

from kg_plugin_api import (
    Claim,
    Code,
    Harness,
    KgError,
    Maturity,
    Offer,
    OwnedFile,
    Recognition,
    Site,
    StartContext,
    Step,
    StepState,
    StepStatus,
)
from kg_server.generic import PLAIN_DIALECT
from kg_server.setup.connection import SERVICE_NAME
from kg_server.setup.launch import carrier_script

if TYPE_CHECKING:
    from collections.abc import Sequence

UNIT: Final = "kg.service"
_SECONDS: Final = 20


class _Enable:
    """Tells systemd that the unit belongs to every login. The unit itself is a claim."""

    name: Final = "enable"
    title: Final = "Have systemd start the server at login"
    explanation: Final = f"Run `systemctl --user daemon-reload` and `systemctl --user enable {UNIT}`."
    needs_consent: Final = False

    def status(self, site: Site) -> StepStatus:
        """What systemd says of the unit."""
        try:
            said = _systemctl(site, "is-enabled", UNIT)
        except KgError as failure:
            return StepStatus(state=StepState.UNKNOWN, sentence=failure.sentence)
        enabled = said.returncode == 0
        sentence = "systemd starts the server at login." if enabled else "systemd does not start the server at login."
        return StepStatus(state=StepState.DONE if enabled else StepState.OPEN, sentence=sentence)

    def take(self, site: Site) -> None:
        """Enables the unit for the next login; the server that runs is left as it is."""
        for command in (("daemon-reload",), ("enable", UNIT)):
            done = _systemctl(site, *command)
            if done.returncode != 0:
                said = " ".join((done.stderr or done.stdout).split())
                raise KgError(Code.UNAVAILABLE, f"`systemctl --user {command[0]}` failed: {said}")

    def undo(self, site: Site) -> None:
        """Disables it."""
        if self.status(site).state is StepState.DONE:
            _systemctl(site, "disable", UNIT)


class _ServiceWiring:
    def claims(self, site: Site) -> Sequence[Claim]:
        """The unit. It is skipped without an error once kg is gone."""
        python, run = sys.executable, str(carrier_script())
        unit = f"""\
[Unit]
Description=kg, one memory for every coding agent
ConditionPathExists={_plain(python)}
ConditionPathExists={_plain(run)}

[Service]
ExecStart={_quoted(python)} -P -X utf8 -m kg_server serve --home {_quoted(str(site.home))}
UMask=0077

[Install]
WantedBy=default.target
"""
        return (OwnedFile(path=site.config / "systemd" / "user" / UNIT, text=unit),)

    def steps(self, site: Site) -> Sequence[Step]:
        del site
        return (_Enable(),)

    def offers(self, site: Site) -> Sequence[Offer]:
        del site
        return ()


SERVICE: Final = Harness(
    name=SERVICE_NAME,
    title="Start at login",
    maturity=Maturity.EXPERIMENTAL,
    recognition=Recognition(binaries=("systemctl",), config_variable="XDG_CONFIG_HOME", config_default=".config"),
    events=(),
    start_context=StartContext.PERSISTS,
    limits=(),
    dialect=PLAIN_DIALECT,
    wiring=_ServiceWiring(),
)


def _systemctl(site: Site, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Asks the person's own systemd. Raises UNAVAILABLE when there is none."""
    if site.binary is None:
        raise KgError(Code.UNAVAILABLE, "There is no `systemctl` on this machine.")
    try:
        return subprocess.run(
            [site.binary, "--user", *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as failure:
        raise KgError(Code.UNAVAILABLE, f"`systemctl` does not answer ({type(failure).__name__}).") from failure


def _plain(path: str) -> str:
    return path.replace("%", "%%")


def _quoted(word: str) -> str:
    """One word of a unit's command line."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'
