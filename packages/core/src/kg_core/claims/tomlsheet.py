"""A TOML settings file on the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kg_core.claims.record import JsonRoom, TomlHold, TomlRoom, TomlTableHold
from kg_core.claims.sheet import ClaimState, Refused, Unparsable
from kg_core.claims.tomlcut import remove, remove_header
from kg_core.claims.tomledit import (
    ABSENT,
    TomlEditError,
    append_table,
    find_pair,
    find_section,
    inline_parent,
    insert_pair,
    replace_value,
    value_at,
)
from kg_core.claims.tomltext import TomlTextError, scan
from kg_core.claims.tomlvalue import key_text, value_text
from kg_core.claims.values import Clash, is_ours, likeness, merged, plain, same
from kg_plugin_api.claims import TomlEntry, TomlTable

if TYPE_CHECKING:
    from pydantic import JsonValue

    from kg_core.claims.record import Hold
    from kg_plugin_api.claims import Claim

    Keys = tuple[str, ...]


class TomlSheet:
    """Implements Sheet for TOML."""

    def __init__(self, text: str) -> None:
        self._notes: list[str] = []
        self._interiors: dict[Keys, str] = {}
        try:
            self._document = scan(text)
        except TomlTextError as error:
            raise Unparsable(f"it is not valid TOML ({error})") from error

    @property
    def text(self) -> str:
        """The text as it stands now."""
        return self._document.text

    @property
    def notes(self) -> list[str]:
        """Sentences about what was left because somebody changed it."""
        return self._notes

    def put(self, claim: Claim, hold: Hold | None) -> tuple[Hold, ...]:
        """See Sheet."""
        if not isinstance(claim, TomlTable | TomlEntry):
            raise TypeError(f"{claim!r} is no claim on a TOML file")
        try:
            if isinstance(claim, TomlTable):
                holds = self._put_table(claim, hold if isinstance(hold, TomlTableHold) else None)
            else:
                holds = self._put_entry(claim, hold if isinstance(hold, TomlHold) else None)
        except TomlEditError as error:
            raise Refused(f"{key_text(claim.keys)} cannot be set: {error}") from error
        return tuple(self._heir(each) for each in holds)

    def take(self, hold: Hold) -> None:
        """See Sheet."""
        if not isinstance(hold, TomlHold | TomlTableHold):
            return
        parent = inline_parent(self._document, hold.keys)
        if parent is not None and hold.interior is not None:
            self._interiors[parent.path] = hold.interior
        try:
            current = value_at(self._document.values, hold.keys)
        except TomlEditError:
            return
        if current is ABSENT:
            return
        if not _is_still(current, hold):
            self._notes.append(f"{key_text(hold.keys)} was changed by somebody else and stays as it is.")
            return
        try:
            self._take(hold)
        except TomlEditError as error:
            raise Refused(f"{key_text(hold.keys)} cannot be taken out: {error}") from error

    def has(self, hold: Hold) -> bool:
        """See Sheet."""
        if not isinstance(hold, TomlHold | TomlTableHold):
            return False
        try:
            current = value_at(self._document.values, hold.keys)
        except TomlEditError:
            return False
        return likeness(current, hold.values if isinstance(hold, TomlTableHold) else hold.value) == 1

    def stands(self, room: JsonRoom | TomlRoom) -> bool:
        """See Sheet."""
        return find_section(self._document, room.keys) is not None

    def close(self, room: JsonRoom | TomlRoom) -> None:
        """See Sheet."""
        section = find_section(self._document, room.keys)
        if section is None or section.pairs or isinstance(room, JsonRoom):
            return
        self._write(remove_header(self._document, section, room.seam))

    def state(self, claim: Claim, hold: Hold | None) -> ClaimState:
        """See Sheet."""
        if not isinstance(claim, TomlTable | TomlEntry):
            raise TypeError(f"{claim!r} is no claim on a TOML file")
        try:
            current = value_at(self._document.values, claim.keys)
        except TomlEditError:
            return ClaimState.FOREIGN
        if current is ABSENT:
            return ClaimState.MISSING
        if isinstance(claim, TomlTable):
            return ClaimState.PRESENT if likeness(current, plain(claim.values)) == 1 else ClaimState.FOREIGN
        value = plain(claim.value)
        added_to = hold is not None and isinstance(value, dict) and likeness(current, value) == 1
        return ClaimState.PRESENT if same(current, value) or added_to else ClaimState.FOREIGN

    def _put_table(self, claim: TomlTable, held: TomlTableHold | None) -> tuple[Hold, ...]:
        keys, values = claim.keys, cast("dict[str, object]", plain(claim.values))
        current = value_at(self._document.values, keys)
        if current is ABSENT:
            edited = append_table(self._document, keys, values)
            self._write(edited.text)
            held = TomlTableHold(keys=keys, values=cast("dict[str, JsonValue]", values), interior=edited.interior)
            return (held.model_copy(update={"seam": edited.seam}),)
        if held is None:
            if likeness(current, values) == 1:
                return ()
            raise Refused(f"the table {key_text(keys)} is there already with other values")
        if not is_ours(current, held.values) and likeness(current, values) != 1:
            raise Refused(f"the table {key_text(keys)} was replaced by somebody else")
        self._update(keys, current, _merge(keys, dict(held.values), values, current))
        return (held.model_copy(update={"values": values}),)

    def _update(self, keys: Keys, current: object, wanted: object) -> None:
        before = current if isinstance(current, dict) else {}
        after = wanted if isinstance(wanted, dict) else {}
        for key in [*before, *(key for key in after if key not in before)]:
            if same(before.get(key, ABSENT), after.get(key, ABSENT)):
                continue
            path = (*keys, key)
            pair = find_pair(self._document, path)
            if key in after and pair is not None:
                self._write(replace_value(self._document, pair, value_text(after[key])))
                continue
            if key in before:
                self._write(remove(self._document, path, ours=()))
            if key in after:
                self._write(insert_pair(self._document, path, after[key]).text)

    def _put_entry(self, claim: TomlEntry, held: TomlHold | None) -> tuple[Hold, ...]:
        value = plain(claim.value)
        current = value_at(self._document.values, claim.keys)
        if current is ABSENT:
            return self._insert(claim.keys, value)
        if held is None and same(current, value):
            return ()
        pair = find_pair(self._document, claim.keys)
        if claim.replace and not (held is not None and (same(current, held.value) or same(current, value))):
            if pair is None:
                raise Refused(f"{key_text(claim.keys)} is a table with values of somebody else")
            prior = self.text[pair.value_start : pair.end]
            self._write(replace_value(self._document, pair, value_text(value)))
            return (TomlHold(keys=claim.keys, value=cast("JsonValue", value), prior=prior),)
        if held is None or not (same(current, value) or is_ours(current, held.value)):
            raise Refused(f"{key_text(claim.keys)} is set to another value already")
        wanted = _merge(claim.keys, held.value, value, current)
        if not same(wanted, current):
            if pair is None:
                self._update(claim.keys, current, wanted)
            else:
                self._write(replace_value(self._document, pair, value_text(wanted)))
        return (held.model_copy(update={"value": value}),)

    def _insert(self, keys: Keys, value: object) -> tuple[Hold, ...]:
        edited = insert_pair(self._document, keys, value)
        self._write(edited.text)
        hold = TomlHold(keys=keys, value=cast("JsonValue", value), interior=edited.interior)
        return (TomlRoom(keys=keys[:-1], seam=edited.seam), hold) if edited.section else (hold,)

    def _heir(self, hold: Hold) -> Hold:
        """The hold, with the interior of its inline table when the one that knew it is taken out."""
        if not isinstance(hold, TomlHold | TomlTableHold) or hold.interior is not None:
            return hold
        parent = inline_parent(self._document, hold.keys)
        interior = None if parent is None else self._interiors.get(parent.path)
        return hold if interior is None else hold.model_copy(update={"interior": interior})

    def _take(self, hold: TomlHold | TomlTableHold) -> None:
        if isinstance(hold, TomlTableHold):
            text = remove(self._document, hold.keys, ours=hold.values, seam=hold.seam, interior=hold.interior)
            self._write(text)
            return
        if hold.prior is not None:
            self._put_back(hold.keys, hold.prior)
            return
        self._write(remove(self._document, hold.keys, ours=(), interior=hold.interior))

    def _put_back(self, keys: Keys, prior: str) -> None:
        if find_pair(self._document, keys) is None:  # a client has made a table of our value since
            self._write(remove(self._document, keys, ours=()))
            self._write(insert_pair(self._document, keys, 0).text)
        pair = find_pair(self._document, keys)
        if pair is not None:
            self._write(replace_value(self._document, pair, prior))

    def _write(self, text: str) -> None:
        self._document = scan(text)


def _merge(keys: Keys, base: object, mine: object, theirs: object) -> object:
    try:
        return merged(base, mine, theirs)
    except Clash as clash:
        raise Refused(f"{key_text(keys)} was put there by an earlier set-up and changed since") from clash


def _is_still(current: object, hold: TomlHold | TomlTableHold) -> bool:
    if isinstance(hold, TomlTableHold):
        return is_ours(current, hold.values)
    if hold.prior is None and isinstance(hold.value, dict):
        return is_ours(current, hold.value)
    return same(current, hold.value)
