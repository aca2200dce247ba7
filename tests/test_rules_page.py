"""The page on rules shows a map that can be used as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from kg_core.policy.rules import applying
from kg_core.store import Home, Settings
from kg_core.store.maptext import MapSource, parse_map

PAGE = (Path(__file__).parents[1] / "docs" / "rules.md").read_text(encoding="utf-8")
MAP, SETTING = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_the_example_is_a_map_whose_rules_reach_its_files() -> None:
    project_map = parse_map([MapSource("map.toml", MAP)])

    found = applying(project_map, ["src/auth/token.py"])

    assert [rule.title for rule in found.rules] == ["Tokens", "Randomness"]
    assert [component.slug for component in project_map.children("backend")] == ["auth"]
    assert {field for component in project_map.components for field in vars_of(component)} == {
        *("slug", "name", "parent", "responsibility", "paths", "priority", "depends_on", "owner")
    }


def test_the_setting_is_one(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(SETTING, encoding="utf-8")

    assert Settings.load(Home(tmp_path)).rules.hold


def vars_of(component: object) -> list[str]:
    return [name for name in type(component).__dataclass_fields__ if re.search(rf"^{name} =", MAP, re.MULTILINE)]
