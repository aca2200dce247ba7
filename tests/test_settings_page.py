"""The page on settings names every setting, and no other, with the value that holds without it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

from pydantic import BaseModel

from kg_core.store import Settings

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"


def test_the_page_on_settings_names_each_setting_with_its_default() -> None:
    written = set(re.findall(r"^\| `\[(\w+)\]` \| `(\w+)` \| (\S+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    tables = {name: value for name, value in Settings() if isinstance(value, BaseModel)}
    known = {(table, key, json.dumps(value)) for table, model in tables.items() for key, value in model}

    assert written == {(table, key, value.replace("()", "[]")) for table, key, value in known}


def test_the_example_on_the_page_of_settings_is_one() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)

    assert Settings.model_validate(tomllib.loads(example)).rules.hold
