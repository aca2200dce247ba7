"""Plug-in folders as the client keeps them: in a marketplace of ours, and copied into its cache."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kg_harness_codex.names import MARKETPLACE, VERSION
from kg_plugin_api import OwnedFile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kg_plugin_api import Site


def copied(files: Mapping[str, str], plugin: str, site: Site) -> tuple[OwnedFile, ...]:
    """The files of a plug-in, by their names in its folder: where it comes from, and where the client reads it."""
    source = site.own / "plugins" / plugin
    installed = site.config / "plugins" / "cache" / MARKETPLACE / plugin / VERSION
    return tuple(OwnedFile(path=root / name, text=text) for root in (source, installed) for name, text in files.items())


def as_json(value: Mapping[str, object]) -> str:
    """A JSON file."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
