"""A search backend that keeps every clause: a list that is looked through, on which mutations are tried."""

import re
import unicodedata

from kg_plugin_api import SearchHit, SearchRequest, SearchResults

WIDE = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def terms(text):
    folded = unicodedata.normalize("NFKC", text.encode("utf-8", "replace").decode()).casefold()
    words = set(re.findall(r"\w+", folded))
    pairs = {folded[i : i + 2] for i in range(len(folded) - 1) if all(map(WIDE.match, folded[i : i + 2]))}
    return words | pairs


class Index:
    def __init__(self):
        self.items = {}

    async def upsert(self, items):
        for entry in items:
            self.items[entry.key] = entry

    async def remove(self, keys):
        for key in keys:
            self.items.pop(key, None)

    async def search(self, request):
        asked = terms(request.text)
        hits = []
        for entry in self.items.values():
            texts = (entry.id, entry.gist, *entry.notes, *entry.touches, *entry.tags)
            matched = asked & set().union(*map(terms, texts))
            if matched and self.allowed(entry, request):
                hits.append(
                    SearchHit(
                        key=entry.key,
                        graph=entry.graph,
                        id=entry.id,
                        score=float(len(matched)),
                        evidence=len(matched),
                        rarity=0.5,
                    )
                )
        hits.sort(key=lambda hit: (-hit.score, hit.key))
        return SearchResults(hits=tuple(hits[: request.limit]))

    def allowed(self, entry, request):
        return (
            entry.graph in request.graphs
            and (not request.tiers or entry.tier in request.tiers)
            and (not request.statuses or entry.status in request.statuses)
            and (not request.kinds or entry.kind in request.kinds)
            and set(request.tags) <= set(entry.tags)
            and (not request.observers or entry.observer in request.observers)
            and (not request.observed or entry.observed in request.observed)
        )

    async def nearest(self, entry, limit):
        request = SearchRequest(text=entry.gist, graphs=(entry.graph,), limit=limit + 1)
        hits = (await self.search(request)).hits
        return SearchResults(hits=tuple(hit for hit in hits if hit.key != entry.key)[:limit])

    async def similar_groups(self, graph, limit):
        groups = {}
        for entry in self.items.values():
            if entry.graph == graph:
                groups.setdefault(entry.gist, []).append(entry.key)
        return [group for group in groups.values() if len(group) > 1][:limit]

    async def snapshot(self):
        return {key: entry.hash for key, entry in self.items.items()}

    async def health(self):
        return {"items": len(self.items)}

    async def close(self):
        self.items = {}


async def open_index():
    return Index()
