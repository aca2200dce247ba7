"""TOML that others wrote."""

from __future__ import annotations

import tomllib

import pytest

from kg_core.model.toml import PARTS, read_toml
from kg_core.policy.mapdraft import drafted
from kg_core.store.maptext import MapError, MapSource, parse_map


@pytest.mark.parametrize(
    "text",
    [
        'a = 1\nb.c."d e" = [1, 2]\n[x.y]\nz = "1.2.3.4"\n',
        f'a = "{"Two words. " * 1_000}"\n',
        ".".join("a" * (PARTS - 1)) + " = 1\n",
        "a = 1." + "0" * 1_000,
    ],
)
def test_what_a_person_writes_is_read_as_ever(text: str) -> None:
    assert read_toml(text) == tomllib.loads(text)


@pytest.mark.parametrize("part", ["a", '"a b"', "'a b'", '"a\\"b"'])
@pytest.mark.parametrize(
    "form", ["{} = 1", "[{}]", "[[ {} ]]", "x = {{ {} = 1 }}", '[[component]]\nslug = "a"\n{} = 1']
)
@pytest.mark.parametrize("dot", [".", " . "])
def test_a_key_that_would_be_read_for_hours_is_refused_at_once(part: str, form: str, dot: str) -> None:
    text = "\n" + form.format(dot.join([part] * 200_000))

    with pytest.raises(ValueError, match="A key has more than 100 parts"):
        read_toml(text)
    with pytest.raises(MapError, match="not valid TOML: A key has more than 100 parts"):
        parse_map([MapSource("map.toml", text)])
    assert drafted(["pyproject.toml", "src/a/b.py"], {"pyproject.toml": text}) is not None


def test_text_that_only_comes_near_to_such_a_key_is_looked_through_at_once() -> None:
    near = "a." * (PARTS - 2) + "!"
    for text in (
        near * 5_000,
        '"' * 1_000_000,
        "a" * 1_000_000,
        "a " * 500_000,
        '"' + '\\"' * 400_000,
        "'a'." * 50 + '"' + "a." * 90_000,
    ):
        with pytest.raises(ValueError, match=r"at line 1, column|at end of document"):
            read_toml(text)
