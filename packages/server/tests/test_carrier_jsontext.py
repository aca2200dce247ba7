"""JSON as carriers read it is JSON as everybody reads it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_server.carrier import jsontext

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES, st.booleans(), st.sampled_from(["", " ", "\r\n\t "]))
def test_what_was_written_is_read(value: Any, ascii_only: bool, around: str) -> None:
    text = around + json.dumps(value, ensure_ascii=ascii_only) + around
    assert jsontext.loads(text) == value


@given(st.text() | st.text('[]{}",:0123456789.eE+-truefalsn \\u'))
def test_junk_is_refused_as_everywhere(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            jsontext.loads(text)
    else:
        found = jsontext.loads(text)
        assert found == expected or found != found


@pytest.mark.parametrize("junk", [b"\xff", b"", b" ", b"{}{}", b"\xef\xbb\xbf{}"])
def test_bytes_that_are_no_json_are_refused(junk: bytes) -> None:
    with pytest.raises(ValueError):
        jsontext.loads(junk)


def test_what_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises((ValueError, RecursionError)):
        jsontext.loads("[" * 200_000)


@given(st.text(st.characters()))
def test_a_quoted_text_reads_as_itself(text: str) -> None:
    assert json.loads(jsontext.quoted(text)) == text


@pytest.mark.parametrize("junk", ['{"a": "half', "{", '{"a":1,}', "[1,", "[1 2]", "tru", '"\\x"', "-", ""])
def test_junk_is_refused_where_json_was_never_imported_too(junk: str) -> None:
    code = (
        f"import sys; sys.path.append({str(Path(jsontext.__file__).parents[2])!r}); "
        "from kg_server.carrier import jsontext; print('json' in sys.modules)\n"
        "try:\n    jsontext.loads(sys.argv[1])\nexcept ValueError:\n    print('refused')"
    )
    command = [sys.executable, "-I", "-S", "-c", code, junk]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True, timeout=30)
    assert done.stdout == "False\nrefused\n"


def test_without_the_compiled_part_json_itself_is_used() -> None:
    code = (
        "import sys; sys.modules['_json'] = None; "
        "from kg_server.carrier import jsontext; "
        "print(jsontext.loads('[1, {\"a\": null}]'), jsontext.quoted('\\u00e9'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True, timeout=30)
    assert done.stdout == "[1, {'a': None}] \"\\u00e9\"\n"


def test_the_hook_client_imports_nothing_that_takes_long(served: Any, home: Any) -> None:
    run = Path(jsontext.__file__).with_name("run.py")
    command = [sys.executable, "-I", "-S", "-X", "importtime", str(run), "hook", "--harness", "plain"]

    done = subprocess.run(
        [*command, "--home", str(home.root), "--event", "Prompt"],
        input=b"{}",
        capture_output=True,
        check=True,
        timeout=30,
    )

    assert len(served.memory.events) == 1
    imported = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}
    assert "kg_server.carrier.hook" in imported
    assert not imported & {
        "json",
        "re",
        "socket",
        "enum",
        "functools",
        "collections",
        "subprocess",
        "threading",
        "typing",
    }
