"""The index: two tables in one SQLite file. All of it belongs to the thread that opened it."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from typing import TYPE_CHECKING, Final

from kg_plugin_api import SearchHit
from kg_search_sqlite.words import asked, sound, terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from kg_plugin_api import SearchItem, SearchRequest

_VERSION: Final = 2
"""Of the tables; a file of another version is emptied, and kg fills it again."""
_TERMS: Final = 64
"""Of a long question, the rarest terms are asked for."""
_STEPS: Final = 2_000
"""After so many steps of SQLite's machine the time is looked at."""

# The terms are cut by `words`, so the tokenizer has nothing to do but to part them at spaces: beyond ASCII every
# character belongs to a term for it, and within ASCII letters, digits and the underscore do.
_SCHEMA: Final = f"""
    begin;
    drop table if exists item;
    drop table if exists word;
    drop table if exists frequency;
    create table item (
        number integer primary key, key text not null unique, graph text not null, id text not null,
        tier text not null, status text not null, kind text not null, tags text not null,
        observer text not null, observed text not null, hash text not null
    );
    create virtual table word using fts5 (id, gist, notes, touches, tags, tokenize = "ascii tokenchars '_'");
    create virtual table frequency using fts5vocab (word, row);
    pragma user_version = {_VERSION};
    commit;
"""
_KEEP: Final = """
    insert into item (key, graph, id, tier, status, kind, tags, observer, observed, hash)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict (key) do update set graph = excluded.graph, id = excluded.id, tier = excluded.tier,
        status = excluded.status, kind = excluded.kind, tags = excluded.tags, observer = excluded.observer,
        observed = excluded.observed, hash = excluded.hash
    returning number
"""
_FREQUENCY: Final = "select term, doc from frequency where term in (select value from json_each(?))"
_FIND: Final = """
    select item.key, item.graph, item.id, -bm25(word, 2.0, 2.0, 1.0, 0.25, 1.0) as score,
        word.id || ' ' || word.gist as title, word.notes || ' ' || word.touches || ' ' || word.tags as rest
    from word join item on item.number = word.rowid
    where word match :question
        and item.graph in (select value from json_each(:graphs))
        and (:tiers = '[]' or item.tier in (select value from json_each(:tiers)))
        and (:statuses = '[]' or item.status in (select value from json_each(:statuses)))
        and (:kinds = '[]' or item.kind in (select value from json_each(:kinds)))
        and (:observers = '[]' or item.observer in (select value from json_each(:observers)))
        and (:observed = '[]' or item.observed in (select value from json_each(:observed)))
        and not exists (select 1 from json_each(:tags) as wanted
            where wanted.value not in (select value from json_each(item.tags)))
    order by score desc, item.key
    limit :limit
"""


class Table:
    """What is indexed. Every method may raise ``sqlite3.Error``."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        try:
            # A crash of the machine may lose the latest changes, which kg then tells again; it damages nothing.
            self._connection.execute("pragma journal_mode = wal")
            self._connection.execute("pragma synchronous = normal")
            if self._connection.execute("pragma user_version").fetchone() != (_VERSION,):
                self._connection.executescript(_SCHEMA)
        except BaseException:
            self._connection.close()
            raise

    def __len__(self) -> int:
        (count,) = self._connection.execute("select count(*) from item").fetchone()
        return int(count)

    def upsert(self, items: Iterable[SearchItem]) -> None:
        """Replaces by key, all of them or none; the last of equal keys wins."""
        with self._connection:
            self._connection.execute("begin immediate")
            for item in items:
                tags = json.dumps(item.tags)
                standing = (item.tier, item.status, item.kind, tags, sound(item.observer), sound(item.observed))
                row = (item.key, item.graph, item.id, *standing, item.hash)
                (number,) = self._connection.execute(_KEEP, row).fetchone()
                fields = (item.id, item.gist, *map("\n".join, (item.notes, item.touches, item.tags)))
                self._connection.execute("delete from word where rowid = ?", (number,))
                self._connection.execute(
                    "insert into word (rowid, id, gist, notes, touches, tags) values (?, ?, ?, ?, ?, ?)",
                    (number, *(" ".join(terms(field)) for field in fields)),
                )

    def remove(self, keys: Sequence[str]) -> None:
        """Forgets keys; unknown ones are ignored."""
        with self._connection:
            self._connection.execute("begin immediate")
            for key in keys:
                row = self._connection.execute("delete from item where key = ? returning number", (key,)).fetchone()
                if row is not None:
                    self._connection.execute("delete from word where rowid = ?", row)

    def search(self, request: SearchRequest) -> list[SearchHit]:
        """The hits, best first. Raises TimeoutError when the budget does not suffice."""
        deadline = time.monotonic() + request.budget
        self._connection.set_progress_handler(lambda: time.monotonic() > deadline, _STEPS)
        try:
            return self._search(request)
        except sqlite3.OperationalError as failure:
            if failure.sqlite_errorname == "SQLITE_INTERRUPT":
                raise TimeoutError from failure
            raise
        finally:
            self._connection.set_progress_handler(None, 0)

    def snapshot(self) -> Mapping[str, str]:
        """Key → hash of everything."""
        return dict(self._connection.execute("select key, hash from item"))

    def close(self) -> None:
        """Lets go of the file."""
        self._connection.close()

    def _search(self, request: SearchRequest) -> list[SearchHit]:
        wanted = json.dumps(asked(request.text))
        frequencies: dict[str, int] = dict(self._connection.execute(_FREQUENCY, (wanted,)))
        rarest = sorted(frequencies, key=lambda term: (frequencies[term], term))[:_TERMS]
        if not rarest or request.limit < 1:
            return []
        values = {
            "question": " OR ".join(f'"{term}"' for term in rarest),
            "graphs": json.dumps(request.graphs),
            "tiers": json.dumps(request.tiers),
            "statuses": json.dumps(request.statuses),
            "kinds": json.dumps(request.kinds),
            "observers": json.dumps([sound(name) for name in request.observers]),
            "observed": json.dumps([sound(name) for name in request.observed]),
            "tags": json.dumps(request.tags),
            "limit": request.limit,
        }
        size = len(self)
        rarities = {term: _rarity(frequencies[term], size) for term in rarest}
        return [_hit(row, rarities) for row in self._connection.execute(_FIND, values)]


def _hit(row: tuple[str, str, str, float, str, str], rarities: Mapping[str, float]) -> SearchHit:
    key, graph, node, score, title, rest = row
    titled = rarities.keys() & title.split()
    matched = titled | (rarities.keys() & rest.split())
    return SearchHit(
        key=key,
        graph=graph,
        id=node,
        score=score,
        evidence=len(matched),
        rarity=max((rarities[term] for term in matched), default=0.0),
        in_title=bool(titled),
    )


def _rarity(frequency: int, size: int) -> float:
    """The inverse document frequency of a term, from 0 (everywhere) to 1 (in one item)."""
    return 1.0 if size <= 1 else max(0.0, math.log(size / frequency) / math.log(size))
