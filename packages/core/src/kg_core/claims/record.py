"""The record of what was put where: enough to take it out again and to leave everything else as it is.

The file is JSON with a format number. Before files are written, the record holds both what is there and what is
intended (``intent``), so that after a crash it never claims less than what is on disk; see :mod:`recovery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from kg_plugin_api.errors import Code, KgError

if TYPE_CHECKING:
    from pathlib import Path

FORMAT: Final = 1


class _Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class JsonHold(_Value):
    """A value of ours in a JSON document: at ``keys``, or as a member of the array at ``keys`` when ``item``.

    ``prior`` is the exact text of the value that it took the place of, None when there was none.
    """

    kind: Literal["json"] = "json"
    keys: tuple[str, ...]
    value: JsonValue
    item: bool = False
    prior: str | None = None


class JsonRoom(_Value):
    """A container that was empty or not there before. ``interior`` is the white space it held.

    ``made`` says that it is ours. ``before`` and ``behind`` are what was put around a root of ours.
    """

    kind: Literal["json_room"] = "json_room"
    keys: tuple[str, ...]
    made: bool
    interior: str = ""
    before: str = ""
    behind: str = ""


class Seam(_Value):
    """What was put around a paragraph of ours at the end of a text file.

    ``closed``: the last line had no line end and got one. ``gap``: a blank line before. ``tail``: one behind.
    """

    closed: bool = False
    gap: bool = False
    tail: bool = False


NO_SEAM: Final = Seam()


class TomlHold(_Value):
    """A key of ours. ``prior`` as for JSON; ``interior`` is the white space of an inline table that was empty."""

    kind: Literal["toml"] = "toml"
    keys: tuple[str, ...]
    value: JsonValue
    prior: str | None = None
    interior: str | None = None


class TomlTableHold(_Value):
    """A table of ours. ``interior`` as for a key, when it stands in an inline table."""

    kind: Literal["toml_table"] = "toml_table"
    keys: tuple[str, ...]
    values: dict[str, JsonValue]
    seam: Seam = NO_SEAM
    interior: str | None = None


class TomlRoom(_Value):
    """The header of a table that was not there before; for no keys, the blank line beside our first root keys."""

    kind: Literal["toml_room"] = "toml_room"
    keys: tuple[str, ...]
    seam: Seam = NO_SEAM


class BlockHold(_Value):
    """A marked block of ours in a text file."""

    kind: Literal["block"] = "block"
    name: str
    text: str
    seam: Seam = NO_SEAM


class OwnedHold(_Value):
    """A whole file of ours, known by the SHA-256 of its text."""

    kind: Literal["owned"] = "owned"
    sha256: str
    executable: bool = False


Hold = Annotated[
    JsonHold | JsonRoom | TomlHold | TomlTableHold | TomlRoom | BlockHold | OwnedHold, Field(discriminator="kind")
]


class FileRecord(_Value):
    """What is ours in one file, in the order in which it was put there. ``made``: the file was not there before."""

    path: str
    made: bool = False
    holds: tuple[Hold, ...] = ()


class Intent(_Value):
    """What a run is about to write. ``digests`` maps paths to the SHA-256 of the file afterwards, "" for no file."""

    files: tuple[FileRecord, ...]
    folders: tuple[str, ...]
    digests: dict[str, str]


class Record(_Value):
    """All that is ours. ``folders`` are those made for us, outermost first."""

    format: Literal[1] = FORMAT
    files: tuple[FileRecord, ...] = ()
    folders: tuple[str, ...] = ()
    intent: Intent | None = None

    def file(self, path: str) -> FileRecord:
        """The record of one file; an empty one when nothing in it is ours."""
        return next((file for file in self.files if file.path == path), FileRecord(path=path))

    @property
    def empty(self) -> bool:
        """Whether nothing is ours and nothing is intended."""
        return not self.files and not self.folders and self.intent is None


def load(data: bytes | None, path: Path) -> Record:
    """The record from the bytes of its file, an empty one from None. Raises KgError when it cannot be read."""
    if data is None:
        return Record()
    try:
        return Record.model_validate_json(data)
    except ValidationError as error:
        raise KgError(
            Code.INVALID,
            f"{path} is damaged or of a newer version, so what was set up cannot be told from what you wrote yourself. "
            "Update kg, or move that file away and take the entries out by hand.",
            {"path": str(path)},
        ) from error


def dump(record: Record) -> bytes | None:
    """The bytes of the record's file; None when there is nothing to keep."""
    if record.empty:
        return None
    return (record.model_dump_json(indent=2, exclude_defaults=False) + "\n").encode("utf-8")
