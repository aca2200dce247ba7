"""Makes a plug-in of its own from a template, under its own name.

python3 templates/new.py harness|search NAME FOLDER [--title TITLE]
"""

from __future__ import annotations

import argparse
import keyword
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

TEMPLATES = Path(__file__).parent
KINDS = ("harness", "search")
PACKAGES = {folder.name for parts in ("packages", "examples") for folder in (TEMPLATES.parent / parts).glob("*")}
TAKEN = {
    "builtin",
    "mcp",
    "search-backend",
    "systemd",
    *PACKAGES,
    *(name.removeprefix(f"{kind}-") for kind in KINDS for name in PACKAGES),
}
"""What kg itself has: its packages, whole or by what they plug in, the search that settings call so, the harness of any
other client, and its own records beside those of the harnesses."""
NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SPELLING = re.compile(r"Example Title|EXAMPLE|Example|_example(?![a-z])|\bexample\b")
LEFT_OUT = re.compile(r"\..*|__pycache__|dist|uv\.lock")
"""What tools leave behind."""
HIDDEN = "gitignore"
"""A file that would count for this repository too, and so has its leading dot in the package alone."""


def renamed(text: str, name: str, title: str) -> str:
    """``text`` with every spelling of the template's name replaced by the same spelling of the new one."""
    joined = name.replace("-", "_")
    spellings = {
        "Example Title": title,
        "EXAMPLE": joined.upper(),
        "Example": "".join(part.title() for part in name.split("-")),
        "_example": f"_{joined}",
        "example": name,
    }
    return SPELLING.sub(lambda found: spellings[found[0]], text)


def refused(name: str) -> str:
    """Why no plug-in can have this name, as a sentence without its end; nothing when one can."""
    if not NAME.fullmatch(name):
        return f"{name!r} is no name: lower case letters, digits and single hyphens"
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        return f"{name!r} is a word of Python itself: choose another name"
    if name in TAKEN or name.startswith("team-"):
        return f"{name!r} is taken by kg itself: choose another name"
    return ""


def make(kind: str, name: str, folder: Path, title: str) -> list[Path]:
    """Writes the package into ``folder``, which must not exist or be empty, and gives its files."""
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty.")
    template = TEMPLATES / kind
    written = []
    for file in sorted(path for path in template.rglob("*") if path.is_file()):
        place = file.relative_to(template)
        if not any(LEFT_OUT.fullmatch(part) for part in place.parts):
            target = folder / renamed(place.as_posix(), name, title)
            if target.name == HIDDEN:
                target = target.with_name(f".{HIDDEN}")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(file.read_text(encoding="utf-8"), name, title), encoding="utf-8")
            written.append(target)
    return written


def main(arguments: Sequence[str] | None = None) -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Make a plug-in of kg from a template.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", help="lower case letters, digits and single hyphens, such as my-agent")
    parser.add_argument("folder", type=Path, help="where the package goes; it must not exist or be empty")
    parser.add_argument("--title", help="what people read; the name in capitals without it")
    given = parser.parse_args(arguments)
    if reason := refused(given.name):
        parser.error(reason)
    title = given.title or given.name.replace("-", " ").title()
    if not title.isprintable() or {'"', "\\"} & set(title):
        parser.error("a title has no quotation marks, backslashes or line breaks")
    try:
        files = make(given.kind, given.name, given.folder, title)
    except OSError as failure:
        print(failure, file=sys.stderr)
        return 1
    print(f"{len(files)} files in {given.folder}. Its README says what to do next.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
