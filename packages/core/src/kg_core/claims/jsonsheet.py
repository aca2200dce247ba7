"""A JSON settings file on the desk."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from kg_core.claims.jsonedit import (
    empty_interior,
    insert,
    locate,
    position,
    remove,
    rendered_at,
    replace,
    set_interior,
)
from kg_core.claims.jsontext import JsonTextError, Kind, scan
from kg_core.claims.lines import newline
from kg_core.claims.record import JsonHold, JsonRoom
from kg_core.claims.sheet import ClaimState, Refused, Unparsable
from kg_core.claims.values import Clash, best_match, is_ours, likeness, merged, plain, same, to_take_out
from kg_plugin_api.claims import JsonEntry, JsonItem

if TYPE_CHECKING:
    from pydantic import JsonValue

    from kg_core.claims.jsontext import Node
    from kg_core.claims.record import Hold, TomlRoom
    from kg_plugin_api.claims import Claim

    Keys = tuple[str, ...]


class JsonSheet:
    """Implements Sheet for JSON with comments and trailing commas."""

    def __init__(self, text: str) -> None:
        self._notes: list[str] = []
        self._rooms: list[JsonRoom] = []
        try:
            self._document = scan(text)
        except JsonTextError as error:
            raise Unparsable(f"it is not valid JSON ({error})") from error

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
        claim, held = _typed(claim, hold)
        value = plain(claim.value)
        replacing = isinstance(claim, JsonEntry) and claim.replace
        self._check_way(claim)
        found = self._find(claim, held)
        if found is None:
            return self._put_new(claim, value)
        container, index = found
        node = container.members[index].node
        current = node.value()
        if held is not None and held.item and self._is_doubled(container, index, held, value):
            self.take(held)
            return ()
        ours = held is not None and (same(current, value) or is_ours(current, held.value))
        if held is None and same(current, value):
            return ()
        if replacing and not (held is not None and (same(current, held.value) or same(current, value))):
            prior = self.text[node.start : node.end]
            self._rewrite(container, index, value)
            return (JsonHold(keys=claim.keys, value=cast("JsonValue", value), prior=prior),)
        if held is None or not ours:
            raise Refused(f"{_name(claim.keys)} is set to another value already")
        try:
            wanted = merged(held.value, value, current)
        except Clash as clash:
            raise Refused(f"{_name(claim.keys)} was put there by an earlier set-up and changed since") from clash
        if not same(wanted, current):
            self._rewrite(container, index, wanted)
        return (held.model_copy(update={"value": value}),)

    def take(self, hold: Hold) -> None:
        """See Sheet."""
        if not isinstance(hold, JsonHold):
            return
        found = self._find_held(hold)
        if found is None:
            return
        container, index = found
        node = container.members[index].node
        current = node.value()
        if not (same(current, hold.value) if hold.prior is not None else is_ours(current, hold.value)):
            self._notes.append(f"{_name(hold.keys)} was changed by somebody else and stays as it is.")
            return
        if hold.prior is not None:
            self._write(replace(self._document, node, hold.prior))
            return
        parts = to_take_out(current, hold.value)
        if parts is None:
            self._write(remove(self._document, container, index))
            return
        step = index if hold.item else hold.keys[-1]
        base = (*(hold.keys if hold.item else hold.keys[:-1]), step)
        for path in sorted(parts, reverse=True):
            self._remove_at((*base, *path))

    def has(self, hold: Hold) -> bool:
        """See Sheet."""
        if not isinstance(hold, JsonHold) or (found := self._find_held(hold)) is None:
            return False
        container, index = found
        return same(container.members[index].node.value(), hold.value)

    def stands(self, room: JsonRoom | TomlRoom) -> bool:
        """See Sheet."""
        node = locate(self._document, room.keys)
        return node is not None and node.kind is not Kind.SCALAR

    def close(self, room: JsonRoom | TomlRoom) -> None:
        """See Sheet."""
        node = locate(self._document, room.keys)
        if node is None or not isinstance(room, JsonRoom):
            return
        if node.members or empty_interior(self._document, node) is None:
            return
        if not room.made:
            self._write(set_interior(self._document, node, room.interior))
        elif room.keys:
            self._remove_at(room.keys)
        else:
            text = self.text
            before = text[: node.start].removesuffix(room.before)
            self._write(before + text[node.end :].removeprefix(room.behind))

    def state(self, claim: Claim, hold: Hold | None) -> ClaimState:
        """See Sheet."""
        claim, held = _typed(claim, hold)
        try:
            self._check_way(claim)
        except Refused:
            return ClaimState.FOREIGN
        found = self._find(claim, held)
        if found is None:
            return ClaimState.MISSING
        container, index = found
        current, value = container.members[index].node.value(), plain(claim.value)
        if same(current, value) or (held is not None and likeness(current, value) == 1):
            return ClaimState.PRESENT
        return ClaimState.FOREIGN

    def _find(self, claim: JsonEntry | JsonItem, held: JsonHold | None) -> tuple[Node, int] | None:
        """The container and index where the claim is, in the value that we put there or in the claimed one."""
        value = plain(claim.value)
        sought = JsonHold(keys=claim.keys, value=cast("JsonValue", value), item=isinstance(claim, JsonItem))
        if not sought.item:
            return self._find_held(held or sought)
        container = locate(self._document, claim.keys)
        if container is None or container.kind is not Kind.ARRAY:
            return None
        if held is not None and (found := self._find_held(held)) is not None:
            return found
        index = next((i for i, member in enumerate(container.members) if same(member.node.value(), value)), None)
        return None if index is None else (container, index)

    def _find_held(self, hold: JsonHold) -> tuple[Node, int] | None:
        container = locate(self._document, hold.keys if hold.item else hold.keys[:-1])
        if container is None:
            return None
        if hold.item:
            members = [member.node.value() for member in container.members]
            index = best_match(members, hold.value, set()) if container.kind is Kind.ARRAY else None
            return None if index is None else (container, index)
        if container.kind is not Kind.OBJECT:
            return None
        equal = [m for m in container.members if m.key == hold.keys[-1] and same(m.node.value(), hold.value)]
        index = container.members.index(equal[-1]) if equal else position(container, hold.keys[-1])
        return None if index is None else (container, index)

    def _is_doubled(self, container: Node, index: int, held: JsonHold, value: object) -> bool:
        """Whether a new value of ours for a member is there already, as another member."""
        others = [member.node.value() for i, member in enumerate(container.members) if i != index]
        return not same(held.value, value) and any(same(other, value) for other in others)

    def _check_way(self, claim: JsonEntry | JsonItem) -> None:
        way = claim.keys if isinstance(claim, JsonItem) else claim.keys[:-1]
        for depth in range(len(way) + 1):
            node = locate(self._document, way[:depth])
            wanted = Kind.ARRAY if isinstance(claim, JsonItem) and depth == len(way) else Kind.OBJECT
            if node is not None and node.kind is not wanted:
                raise Refused(f"{_name(way[:depth])} is not an {wanted}")

    def _put_new(self, claim: JsonEntry | JsonItem, value: object) -> tuple[Hold, ...]:
        self._rooms = []
        way = claim.keys if isinstance(claim, JsonItem) else claim.keys[:-1]
        for depth in range(len(way) + 1):
            if locate(self._document, way[:depth]) is None:
                array = isinstance(claim, JsonItem) and depth == len(way)
                self._make(way[:depth], [] if array else {})
        self._insert(way, None if isinstance(claim, JsonItem) else claim.keys[-1], value)
        hold = JsonHold(keys=claim.keys, value=cast("JsonValue", value), item=isinstance(claim, JsonItem))
        return (*self._rooms, hold)

    def _make(self, keys: Keys, container: object) -> None:
        if keys:
            self._insert(keys[:-1], keys[-1], container)
            self._rooms.append(JsonRoom(keys=keys, made=True))
            return
        end = newline(self.text)
        before = "" if not self.text or self.text.endswith("\n") else end
        empty = "{}" if isinstance(container, dict) else "[]"
        self._rooms.append(JsonRoom(keys=(), made=True, before=before, behind=end))
        self._write(self.text + before + empty + end)

    def _insert(self, way: Keys, key: str | None, value: object) -> None:
        container = locate(self._document, way)
        if container is None:
            raise Refused(f"{_name(way)} is not there")
        interior = empty_interior(self._document, container)
        if interior is not None and not any(room.keys == way for room in self._rooms):
            self._rooms.append(JsonRoom(keys=way, made=False, interior=interior))
        self._write(insert(self._document, container, key, value))

    def _rewrite(self, container: Node, index: int, value: object) -> None:
        member = container.members[index]
        new = rendered_at(self._document, member.node, member.start, value)
        self._write(replace(self._document, member.node, new))

    def _remove_at(self, path: tuple[str | int, ...]) -> None:
        container = locate(self._document, path[:-1])
        index = None if container is None else position(container, path[-1])
        if container is not None and index is not None:
            self._write(remove(self._document, container, index))

    def _write(self, text: str) -> None:
        self._document = scan(text)


def _typed(claim: Claim, hold: Hold | None) -> tuple[JsonEntry | JsonItem, JsonHold | None]:
    if not isinstance(claim, JsonEntry | JsonItem):
        raise TypeError(f"{claim!r} is no claim on a JSON file")
    return claim, hold if isinstance(hold, JsonHold) else None


def _name(keys: Keys) -> str:
    return ".".join(keys) or "the document"
