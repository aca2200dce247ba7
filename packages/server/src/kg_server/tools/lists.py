"""Lists that come as one text, which many models send. A list that comes as a list is left as it is."""

from __future__ import annotations

import json
import re
from typing import Final

from kg_core.model.limits import TOUCH_LENGTH

_ITEM: Final = re.compile(r"(?P<indent>[ \t]*)[-*•]\s+(?=\S)")
_QUOTED: Final = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*(?:,|(?=\]$))""", re.DOTALL)
_ESCAPED: Final = re.compile(r"""\\([\\'"nt])""")
_ESCAPES: Final = {"n": "\n", "t": "\t"}
_BETWEEN_NAMES: Final = re.compile(r"[,\r\n]")
_BETWEEN_PATHS: Final = re.compile(r"(,\s*)")
_WITHIN_NAMES: Final = re.compile(r"[\s(){}]")
_ENDING: Final = re.compile(r"\.[A-Za-z]\w{0,9}(?:(?:::?|#)[^/\\]*)?$|/$|\*")
"""How a pointer ends that is whole: with the ending of a file and maybe a place in it, as a folder, or a pattern."""
_MARKS: Final = "'\"`"


def texts(value: object) -> object:
    """Texts in a list of JSON or of Python, or as items of Markdown, each with what is indented below it. Any other
    text is one.
    """
    if not isinstance(value, str):
        return value
    written = _written(value)
    return [value] if written is None and (written := _items(value)) is None else written


def names(value: object) -> object:
    """Ids, tags or statuses: neither commas nor line breaks are part of one."""
    listed = texts(value)
    if not isinstance(value, str) or listed != [value]:
        return listed
    inner = value.strip()
    is_bracketed = inner.startswith("[") and inner.endswith("]") and "," in inner
    if not _BETWEEN_NAMES.search(inner):
        return listed
    pieces = _BETWEEN_NAMES.split(inner[1:-1] if is_bracketed else inner)
    return [_unquoted(name) for piece in pieces if (name := piece.strip())] or listed


def paths(value: object) -> object:
    """Files: each line is one, and so is what stands between commas where all of it are pointers, as in
    ``a.py:3, src/b.py``. A name may have commas and spaces itself.
    """
    listed = texts(value)
    if not isinstance(listed, list):
        return listed
    lines = [line for item in listed for line in _lines(item)]
    if not isinstance(value, str) or listed != [value]:
        return lines
    return [piece for line in lines for piece in _pointers(str(line))]


def names_several(path: str) -> bool:
    """Whether what stands for one file reads as a list of files."""
    return len(_pointers(path)) > 1


def _written(text: str) -> list[object] | None:
    """The list that is written out in ``text``; ``None`` when it is none."""
    try:
        decoded = json.loads(text)
    except (ValueError, RecursionError):
        return _quoted(text.strip())
    return decoded if isinstance(decoded, list) else None


def _quoted(text: str) -> list[object] | None:
    """The texts of a list as Python writes it."""
    if not (text.startswith(("['", '["')) and text.endswith("]")):
        return None
    found: list[object] = []
    at = 1
    while match := _QUOTED.match(text, at):
        inner = match[1] if match[1] is not None else match[2]
        found.append(_ESCAPED.sub(lambda escape: _ESCAPES.get(escape[1], escape[1]), inner))
        at = match.end()
    return found if not text[at:-1].strip() else None


def _items(text: str) -> list[object] | None:
    """The items of a list of Markdown; ``None`` when a line of ``text`` belongs to none."""
    items: list[list[str]] = []
    indent = -1
    for line in text.splitlines():
        match = _ITEM.match(line)
        if match is not None and (indent < 0 or len(match["indent"]) <= indent):
            indent = len(match["indent"]) if indent < 0 else indent
            items.append([line[match.end() :]])
        elif items and (not line.strip() or len(line) - len(line.lstrip()) > indent):
            items[-1].append(line[indent:])
        elif line.strip():
            return None
    return ["\n".join(lines).strip() for lines in items] or None


def _lines(item: object) -> list[object]:
    """The lines of a text that has several; no file that is known by its name has a line break in it."""
    lines: list[object] = [line for line in item.splitlines() if line.strip()] if isinstance(item, str) else []
    return lines if len(lines) > 1 else [item]


def _pointers(line: str) -> list[str]:
    """The pointers of a line; the line itself when something between its commas may be none."""
    split = _BETWEEN_PATHS.split(line.strip().rstrip(","))
    pieces = [_unquoted(piece.strip()) for piece in split[::2]]
    if len(pieces) == 1 or not all(_is_pointer(piece) for piece in pieces):
        return [line]
    are_folders = all("/" in piece for piece in pieces) and all(comma != "," for comma in split[1::2])
    return pieces if are_folders or all(_ENDING.search(piece) for piece in pieces) else [line]


def _is_pointer(piece: str) -> bool:
    return len(piece) <= TOUCH_LENGTH and ("." in piece or "/" in piece) and not _WITHIN_NAMES.search(piece)


def _unquoted(text: str) -> str:
    """A piece without the quotation marks around it."""
    return text[1:-1] if len(text) > 2 and text[0] in _MARKS and text[0] == text[-1] else text
