"""Trust in our hooks, taken through the client's own interface."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Final

from kg_harness_codex.appserver import AppServer
from kg_harness_codex.events import EVENTS
from kg_harness_codex.names import PLUGIN_ID
from kg_plugin_api import Code, KgError, StepState, StepStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kg_plugin_api import Site

_STATE: Final = "hooks.state"
_CHANGED: Final = (
    "their files name the Python environment of kg and its memory folder, so Codex asks again after kg was installed"
    " elsewhere."
)


class TrustStep:
    """Tells Codex that a person trusts kg's hooks. Until then it skips them without a word."""

    name: Final = "trust-hooks"
    title: Final = "Let Codex run kg's hooks"
    explanation: Final = (
        "Codex runs a plug-in's hooks only after a person has trusted them: start `codex`, and trust the hooks of kg in"
        " the review that it shows (or open `/hooks`)."
    )
    needs_consent: Final = True

    def status(self, site: Site) -> StepStatus:
        """What Codex itself says of our hooks; it is asked only where it keeps anything of them.

        Until then it trusts none, and asking would start it, which fills its folder with its databases.
        """
        if site.binary is None:
            return StepStatus(state=StepState.UNKNOWN, sentence="The program `codex` was not found.")
        if off := _turned_off(site):
            return StepStatus(state=StepState.OPEN, sentence=off)
        kept = _kept(site)
        if kept is not None and not _ours(kept):
            ours = sum(len(site.launch.parts(spec)) for spec in EVENTS)
            return StepStatus(state=StepState.OPEN, sentence=_skipped(ours, ours))
        try:
            with AppServer(site) as server:
                hooks = tuple(_hooks(server, site))
        except KgError as error:
            return StepStatus(state=StepState.UNKNOWN, sentence=error.sentence)
        return _status(hooks)

    def take(self, site: Site) -> None:
        """Trusts every hook of our plug-in as it is now, and asks Codex whether it took it.

        Raises REFUSED where the user's settings turn all hooks off, and CONFLICT where it did not.
        """
        if off := _turned_off(site):
            raise KgError(Code.REFUSED, off)
        with AppServer(site) as server:
            hooks = tuple(_hooks(server, site))
            trusted = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in hooks}
            _write(server, {"keyPath": _STATE, "mergeStrategy": "upsert", "value": trusted})
            status = _status(tuple(_hooks(server, site)))
        if status.state is not StepState.DONE:
            raise KgError(Code.CONFLICT, f"Codex did not take the trust. {status.sentence}")

    def undo(self, site: Site) -> None:
        """Removes what Codex keeps about our hooks, and the table around it when nothing else is in it."""
        kept = _kept(site) or {}
        ours = _ours(kept)
        if not ours:
            return
        paths = [_STATE] if len(ours) == len(kept) else [f'{_STATE}."{key}"' for key in ours]
        with AppServer(site) as server:
            _write(server, *({"keyPath": path, "mergeStrategy": "replace", "value": None} for path in paths))


def _status(hooks: tuple[Mapping[str, object], ...]) -> StepStatus:
    if not hooks:
        sentence = "Codex lists no hook of kg; run `kg setup --harness codex`."
        return StepStatus(state=StepState.OPEN, sentence=sentence)
    silent = [hook for hook in hooks if hook.get("trustStatus") not in {"trusted", "managed"}]
    if silent:
        changed = sum(hook.get("trustStatus") == "modified" for hook in silent)
        why = f" {changed} changed since they were trusted: {_CHANGED}" if changed else ""
        return StepStatus(state=StepState.OPEN, sentence=_skipped(len(silent), len(hooks)) + why)
    off = sum(hook.get("enabled") is False for hook in hooks)
    if off:
        sentence = f"Codex has {off} of {len(hooks)} hooks of kg switched off; `/hooks` switches them on."
        return StepStatus(state=StepState.OPEN, sentence=sentence)
    return StepStatus(state=StepState.DONE, sentence=f"Codex trusts all {len(hooks)} hooks of kg.")


def _skipped(silent: int, hooks: int) -> str:
    return f"Codex skips {silent} of {hooks} hooks of kg, as they are not trusted."


def _ours(kept: Mapping[str, object]) -> list[str]:
    return [key for key in kept if key.startswith(f"{PLUGIN_ID}:")]


def _hooks(server: AppServer, site: Site) -> Iterator[Mapping[str, object]]:
    """Our hooks as Codex lists them."""
    data = server.call("hooks/list", {"cwds": [str(site.home)]}).get("data")
    for folder in data if isinstance(data, list) else ():
        listed = folder.get("hooks") if isinstance(folder, dict) else None
        for hook in listed if isinstance(listed, list) else ():
            if isinstance(hook, dict) and hook.get("pluginId") == PLUGIN_ID and isinstance(hook.get("key"), str):
                yield hook


def _write(server: AppServer, *edits: Mapping[str, object]) -> None:
    server.call("config/batchWrite", {"edits": list(edits)})


def _turned_off(site: Site) -> str:
    """A sentence where the user's settings turn all hooks off, those of others too; else nothing."""
    features = (_settings(site) or {}).get("features")
    if not isinstance(features, dict) or features.get("hooks") is not False:
        return ""
    return (
        f"Codex runs no hook at all: `hooks` is false in `[features]` of {site.config / 'config.toml'}. Take that out."
    )


def _kept(site: Site) -> Mapping[str, object] | None:
    """What ``config.toml`` holds about the trust of hooks; ``None`` when it is there and cannot be read."""
    settings = _settings(site)
    if settings is None:
        return None
    hooks = settings.get("hooks")
    state = hooks.get("state") if isinstance(hooks, dict) else None
    return state if isinstance(state, dict) else {}


def _settings(site: Site) -> Mapping[str, object] | None:
    try:
        return tomllib.loads((site.config / "config.toml").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError):
        return None
