"""What must be written so that the disk holds exactly the claims. Reads files, writes nothing."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg_core.claims.lines import is_blank, split_bom
from kg_core.claims.owned import rework_owned
from kg_core.claims.pairing import pair
from kg_core.claims.record import FileRecord, Record
from kg_core.claims.report import FileChange, Note, Plan, Refusal
from kg_core.claims.sheet import ClaimState, Refused, Reworked, Unparsable, rework
from kg_core.claims.syntax import Syntax, held_snippet, keys_of, sheet_for, snippet, syntax_of
from kg_core.claims.values import plain
from kg_plugin_api.claims import JsonEntry, JsonItem, OwnedFile, TextBlock, TomlEntry, TomlTable
from kg_plugin_api.errors import Code, KgError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kg_core.claims.files import Files, Found
    from kg_core.claims.record import Hold
    from kg_plugin_api.claims import Claim


@dataclass(frozen=True, slots=True)
class Spot:
    """One file with the claims on it and what the record says; ``found`` is None when there is no file."""

    path: Path
    target: Path
    syntax: Syntax
    claims: tuple[Claim, ...]
    record: FileRecord
    found: Found | None
    trouble: str
    """Why the file cannot be read, or nothing."""

    def text(self) -> tuple[str, str]:
        """The byte order mark and the text; nothing when there is no file. Raises Unparsable."""
        if self.trouble:
            raise Unparsable(self.trouble)
        try:
            return split_bom(self.found.data.decode("utf-8") if self.found else "")
        except UnicodeDecodeError as error:
            raise Unparsable(f"it is not UTF-8 (byte {error.start})") from error


@dataclass(frozen=True, slots=True)
class _Result:
    change: FileChange | None
    record: FileRecord
    refusals: tuple[Refusal, ...] = ()
    notes: tuple[Note, ...] = ()


def make_plan(
    claims: Iterable[Claim], record: Record, stored: bytes | None, files: Files, own: Path | None = None
) -> Plan:
    """Plans for a settled record; nobody but us reads what lies in ``own``.

    Raises KgError(INVALID) for claims that no file can hold.
    """
    goal = tuple(claims)
    results = [_plan_file(spot, own) for spot in spots(goal, record, files)]
    changes = tuple(result.change for result in results if result.change is not None)
    made = _missing_folders(changes, files)
    kept_files = tuple(result.record for result in results if result.record.holds)
    known = (*record.folders, *(str(folder) for folder in made if str(folder) not in record.folders))
    targets = [files.resolve(Path(file.path)) for file in kept_files]
    needed = tuple(folder for folder in known if any(target.is_relative_to(folder) for target in targets))
    return Plan(
        goal=goal,
        changes=changes,
        refusals=tuple(refusal for result in results for refusal in result.refusals),
        notes=tuple(note for result in results for note in result.notes),
        made=made,
        emptied=tuple(Path(folder) for folder in reversed(known) if folder not in needed),
        old=record,
        new=Record(files=_in_old_order(record, kept_files), folders=needed),
        stored=stored,
    )


def spots(claims: Sequence[Claim], record: Record, files: Files) -> list[Spot]:
    """The files in writing order: those with claims as these name them, then those only to be cleared, last first.

    Paths that lead to the same file are one spot.
    """
    names: dict[Path, Path] = {}
    by_target: dict[Path, list[Claim]] = {}
    for file in record.files:
        names.setdefault(files.resolve(Path(file.path)), Path(file.path))
    for claim in claims:
        _check(claim)
        target = files.resolve(claim.path)
        names.setdefault(target, claim.path)
        by_target.setdefault(target, []).append(claim)
    order = [*by_target, *(target for target in reversed(names) if target not in by_target)]
    return [_spot(names[target], target, by_target.get(target, []), record, files) for target in order]


def _spot(path: Path, target: Path, claims: list[Claim], record: Record, files: Files) -> Spot:
    file = record.file(str(path))
    kinds = {syntax_of(thing) for thing in (*claims, *file.holds)}
    if len(kinds) != 1:
        raise KgError(Code.INVALID, f"{path} is claimed as {' and '.join(sorted(kinds))}.", {"path": str(path)})
    found, trouble = None, ""
    try:
        found = files.read(target)
    except OSError as error:
        trouble = f"it cannot be read ({error.strerror or error})"
    return Spot(path, target, kinds.pop(), tuple(claims), file, found, trouble)


def _check(claim: Claim) -> None:
    wrong = ""
    if not claim.path.is_absolute():
        wrong = "its path is not absolute"
    elif "\0" in str(claim.path):
        wrong = "its path holds a NUL"
    elif isinstance(claim, JsonEntry | TomlEntry | TomlTable) and not claim.keys:
        wrong = "it names no key"
    elif isinstance(claim, TextBlock) and not claim.name.strip():
        wrong = "its block has no name"
    else:
        try:
            str(claim.path).encode("utf-8")
            if isinstance(claim, JsonEntry | JsonItem):
                json.dumps(plain(claim.value), allow_nan=False).encode("utf-8")
            snippet(claim).encode("utf-8")
        except UnicodeEncodeError:
            wrong = "it names a file whose name is not UTF-8"
        except (TypeError, ValueError) as error:
            wrong = str(error)
    if wrong:
        raise KgError(Code.INVALID, f"A claim on {claim.path} cannot be written: {wrong}.", {"path": str(claim.path)})


def _plan_file(spot: Spot, own: Path | None) -> _Result:
    try:
        if spot.syntax is Syntax.OWNED:
            return _plan_owned(spot, unread=own is not None and spot.path.is_relative_to(own))
        bom, text = spot.text()
        done = rework(sheet_for(spot.syntax, spot.target), text, spot.record.holds, spot.claims)
    except Unparsable as error:
        return _untouched(spot, [(claim, str(error)) for claim in spot.claims], str(error))
    except Refused as error:
        return _untouched(spot, [], str(error))
    if done.refused:
        return _untouched(spot, _with_left_out(spot, done))
    made = spot.found is None or spot.record.made
    gone = made and not done.holds and is_blank(done.text)
    after = None if gone or (spot.found is None and not done.text) else (bom + done.text).encode("utf-8")
    record = FileRecord(path=str(spot.path), made=made, holds=done.holds)
    return _Result(_change(spot, after), record, notes=tuple(Note(path=spot.path, sentence=n) for n in done.notes))


def _plan_owned(spot: Spot, *, unread: bool) -> _Result:
    if spot.trouble:
        raise Unparsable(spot.trouble)
    claims = [claim for claim in spot.claims if isinstance(claim, OwnedFile)]
    owned = rework_owned(claims, spot.record.holds, spot.found, unread=unread)
    record = FileRecord(path=str(spot.path), made=True, holds=owned.holds)
    notes = tuple(Note(path=spot.path, sentence=sentence, whole=True) for sentence in owned.notes)
    return _Result(_change(spot, owned.data, owned.mode), record, notes=notes)


def _change(spot: Spot, after: bytes | None, mode: int | None = None) -> FileChange | None:
    before = None if spot.found is None else spot.found.data
    if before == after and (spot.found is None or mode in {None, spot.found.mode}):
        return None
    return FileChange(path=spot.path, target=spot.target, before=before, after=after, mode=mode)


def _untouched(spot: Spot, refused: list[tuple[Claim, str]], reason: str = "") -> _Result:
    """The file stays; ``reason`` is why what is to be taken out, if anything, is refused too."""
    refusals = [
        Refusal(path=spot.path, keys=keys_of(claim), reason=_sentence(spot, why), snippet=snippet(claim))
        for claim, why in refused or [(claim, reason) for claim in spot.claims if reason]
    ]
    if reason and not spot.claims:
        refusals += [
            Refusal(path=spot.path, keys=keys_of(hold), reason=_sentence(spot, reason), snippet=held_snippet(hold))
            for hold in spot.record.holds
            if held_snippet(hold) or syntax_of(hold) is Syntax.OWNED
        ]
    return _Result(None, spot.record, tuple(refusals))


def _with_left_out(spot: Spot, done: Reworked) -> list[tuple[Claim, str]]:
    """The refused claims, and those that would have been put into the same file, which stays for the same reason."""
    states = states_of(spot)
    refused = {id(claim): why for claim, why in done.refused}
    why_at_all = done.refused[0][1]
    return [
        (claim, refused.get(id(claim), why_at_all))
        for claim, state in zip(spot.claims, states, strict=True)
        if id(claim) in refused or state is not ClaimState.PRESENT
    ]


def states_of(spot: Spot) -> list[ClaimState]:
    """How each claim of a spot stands on disk."""
    try:
        if spot.syntax is Syntax.OWNED:
            return [_owned_state(spot, claim) for claim in spot.claims]
        sheet = sheet_for(spot.syntax, spot.target)(spot.text()[1])
    except Unparsable:
        return [ClaimState.UNPARSABLE] * len(spot.claims)
    held = held_by(spot)
    return [sheet.state(claim, hold) for claim, hold in zip(spot.claims, held, strict=True)]


def _owned_state(spot: Spot, claim: Claim) -> ClaimState:
    if spot.trouble:
        return ClaimState.UNPARSABLE
    if spot.found is None:
        return ClaimState.MISSING
    right = isinstance(claim, OwnedFile) and spot.found.data == claim.text.encode("utf-8")
    runs = isinstance(claim, OwnedFile) and (not claim.executable or spot.found.mode & 0o100)
    return ClaimState.PRESENT if right and runs else ClaimState.FOREIGN


def held_by(spot: Spot) -> list[Hold | None]:
    """What the record holds for each claim of a spot."""
    pairs = pair(spot.claims, spot.record.holds)
    return [next((hold for other, hold in pairs if other == claim), None) for claim in spot.claims]


def _sentence(spot: Spot, why: str) -> str:
    return f"{spot.path} stays as it is: {why}."


def _missing_folders(changes: Sequence[FileChange], files: Files) -> tuple[Path, ...]:
    missing: list[Path] = []
    for change in changes:
        if change.after is None:
            continue
        chain: list[Path] = []
        folder = change.target.parent
        while not files.is_folder(folder) and folder not in missing and folder != folder.parent:
            chain.insert(0, folder)
            folder = folder.parent
        missing += chain
    return tuple(missing)


def _in_old_order(record: Record, kept: tuple[FileRecord, ...]) -> tuple[FileRecord, ...]:
    """Files keep their place in the record, new ones follow, so that planning twice gives the same record."""
    places = {file.path: index for index, file in enumerate(record.files)}
    return tuple(sorted(kept, key=lambda file: places.get(file.path, len(places))))
