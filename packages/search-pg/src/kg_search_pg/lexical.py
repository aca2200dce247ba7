"""The leg by words: nodes that share terms with a question, the rarer and the more of them, the better."""

from __future__ import annotations

import math
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

from kg_search_pg.chunks import TITLE, lexemes, quoted
from kg_search_pg.filters import ALLOWED, NODE, parameters
from kg_search_pg.fusion import Found
from kg_search_pg.words import Role, asked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from psycopg import AsyncConnection

    from kg_plugin_api import SearchRequest
    from kg_search_pg.stems import Stem, Stems
    from kg_search_pg.words import Term

_TERMS: Final = 32
"""Of a long question, the rarest terms are asked for."""
_ROWS: Final = 2_000
"""Frequent terms leave the question once rarer ones bring so many rows; of a question that has only frequent ones, so
many rows of the rarest are looked at."""
_WEIGHTS: Final = "{0.1, 0.25, 0.5, 1.0}"
"""What a term counts without a mark, among the touches, in a note and in the title."""
_ROLES: Final = {Role.WORD: 1.0, Role.WHOLE: 0.5, Role.GRAM: 1.0, Role.SIGN: 1.0, Role.SINGLE: 0.5}
_STATISTICS_SECONDS: Final = 60.0

_FREQUENCIES: Final = f"""
    select place, (
        select count(distinct key) from (
            select key from chunk
            where words @@ query::tsquery and graph = any(%(graphs)s) and type = %(type)s limit {_ROWS + 1}
        ) as looked_at
    ) from unnest(%(places)s::int[], %(queries)s::text[]) as asked (place, query)
"""
"""Beyond what is looked at of a term, it does not matter how many there are."""
_SEARCH: Final = f"""
    select key, graph, item, status, round(sum(weight * best)::numeric, 6)::float8 as merit,
        array_agg(place order by place) as places, bool_or(titled) as titled
    from (
        select key, graph, item, status, place, weight, max(ts_rank('{_WEIGHTS}', words, query::tsquery, 1)) as best,
            bool_or(words @@ title::tsquery) as titled
        from unnest(%(places)s::int[], %(queries)s::text[], %(titles)s::text[], %(weights)s::float8[])
            as asked (place, query, title, weight)
        cross join lateral (
            select * from chunk where words @@ query::tsquery and {ALLOWED} limit {_ROWS}
        ) as chunk
        group by key, graph, item, status, place, weight
    ) as matched
    group by key, graph, item, status
    order by merit desc, key
    limit %(most)s
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A term of a question, the lexemes that stand for it, and in how many nodes it is."""

    term: Term
    lexemes: tuple[str, ...]
    frequency: int = 0

    @property
    def query(self) -> str:
        return " | ".join(quoted(lexeme) for lexeme in self.lexemes)

    @property
    def title(self) -> str:
        return " | ".join(f"{quoted(lexeme)}:{TITLE}" for lexeme in self.lexemes)


class LexicalLeg:
    """Asks by words. What is counted for the rarity of a term is kept for a minute at most."""

    def __init__(self, stems: Stems) -> None:
        self._stems = stems
        self._sizes: dict[tuple[str, ...], tuple[float, int]] = {}
        self._common: dict[str, int] = {}
        self._common_until = 0.0

    def changed(self) -> None:
        """The index changed: small sizes are counted anew. A large one takes long to count and is hardly another."""
        self._sizes = {graphs: known for graphs, known in self._sizes.items() if known[1] > _ROWS}

    async def search(
        self, connection: AsyncConnection[Any], request: SearchRequest, most: int, type_: str = NODE
    ) -> list[Found]:
        """At most so many items of a type, best first. How rare a term is, is measured over that type."""
        terms = asked(request.text)
        if not terms or not request.graphs:
            return []
        stems = await self._stems.of(connection, terms)
        question = _question(terms, stems)
        size = await self._size(connection, request.graphs, type_)
        known = await self._counted(connection, question, request.graphs, type_)
        chosen = _chosen(known)
        if not chosen:
            return []
        rarities = {place: _rarity(each.frequency, size) for place, each in enumerate(chosen)}
        weights = {place: rarity * _ROLES[chosen[place].term.role] for place, rarity in rarities.items()}
        absent = {each.term for each in question} - {each.term for each in known}
        whole = sum(_rarity(each.frequency, size) * _ROLES[each.term.role] for each in known) + sum(
            _rarity(0, size) * _ROLES[term.role] for term in absent
        )
        cursor = await connection.execute(
            _SEARCH,
            {
                **parameters(request, type_),
                "places": list(rarities),
                "queries": [each.query for each in chosen],
                "titles": [each.title for each in chosen],
                "weights": list(weights.values()),
                "most": most,
            },
        )
        return [
            Found(
                key=key,
                graph=graph,
                id=item,
                status=status,
                merit=merit,
                evidence=_evidence([chosen[place].term for place in places]),
                rarity=round(min(1.0, max(rarities[place] for place in places) / _rarity(1, size)), 6),
                in_title=titled,
                coverage=round(sum(weights[place] for place in places) / whole, 6),
            )
            for key, graph, item, status, merit, places, titled in await cursor.fetchall()
        ]

    async def _size(self, connection: AsyncConnection[Any], graphs: Sequence[str], type_: str) -> int:
        """How many items of a type the graphs have."""
        until, size = self._sizes.get((type_, *graphs), (0.0, 0))
        if monotonic() < until:
            return size
        cursor = await connection.execute(
            "select count(*) from chunk where ordinal = 0 and graph = any(%s) and type = %s", [list(graphs), type_]
        )
        row = await cursor.fetchone()
        size = int(row[0]) if row else 0
        self._sizes[type_, *graphs] = (monotonic() + _STATISTICS_SECONDS, size)
        return size

    async def _counted(
        self, connection: AsyncConnection[Any], question: Sequence[_Asked], graphs: Sequence[str], type_: str
    ) -> list[_Asked]:
        """The terms that occur, with their frequencies: those of common ones are estimated, the others counted."""
        common = await self._commons(connection)
        estimated = {
            place: max(common.get(lexeme, 0) for lexeme in each.lexemes) for place, each in enumerate(question)
        }
        rare = [place for place, count in estimated.items() if not count]
        cursor = await connection.execute(
            _FREQUENCIES,
            {
                "graphs": list(graphs),
                "type": type_,
                "places": rare,
                "queries": [question[place].query for place in rare],
            },
        )
        counted = {**estimated, **dict(await cursor.fetchall())}
        return [
            _Asked(each.term, each.lexemes, counted[place]) for place, each in enumerate(question) if counted[place]
        ]

    async def _commons(self, connection: AsyncConnection[Any]) -> Mapping[str, int]:
        """About how many rows the most common lexemes have, by the statistics of Postgres."""
        if monotonic() >= self._common_until:
            cursor = await connection.execute(
                "select lexeme, (frequency * reltuples)::bigint from pg_stats, pg_class,"
                " unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (lexeme, frequency)"
                " where pg_class.oid = 'chunk'::regclass and tablename = 'chunk' and attname = 'words'"
                " and schemaname = relnamespace::regnamespace::text and lexeme is not null and reltuples > %s",
                [_ROWS],
            )
            self._common = dict(await cursor.fetchall())
            self._common_until = monotonic() + _STATISTICS_SECONDS
        return self._common


def _question(terms: Sequence[Term], stems: Mapping[str, Stem]) -> list[_Asked]:
    """What to ask for: the terms but for words that say nothing; of a question that has nothing else, all."""
    telling = [term for term in terms if not (term.text in stems and stems[term.text].is_stop)]
    return [_Asked(term, lexemes(term, stems)) for term in telling or terms]


def _chosen(known: Sequence[_Asked]) -> list[_Asked]:
    """The rarest terms, as many as bring a bounded number of rows; always one. In the order of the question."""
    chosen: list[_Asked] = []
    rows = 0
    for each in sorted(known, key=lambda each: (each.frequency, each.term.text))[:_TERMS]:
        rows += each.frequency
        if chosen and rows > _ROWS:
            break
        chosen.append(each)
    return [each for each in known if each in chosen]


def _rarity(frequency: int, size: int) -> float:
    """Inverse document frequency; above 0 even for a term that is everywhere."""
    return math.log1p((max(size, frequency) - frequency + 0.5) / (frequency + 0.5))


def _evidence(matched: Sequence[Term]) -> int:
    """How many words are shared; an identifier counts by its parts, grams that overlap count as one."""
    words = sum(term.role in {Role.WORD, Role.SIGN} for term in matched)
    before = ""
    for term in matched:
        if term.role is Role.GRAM:
            words += not before or before[1:] != term.text[:-1]
            before = term.text
    return words
