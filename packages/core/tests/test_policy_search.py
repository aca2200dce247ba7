"""Terms, the built-in index, and what a search finds."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import Edge, Graph, Node, Status, Tier, Use
from kg_core.policy import Index, item, key, ranked
from kg_core.policy.recall import request
from kg_core.policy.stems import stem
from kg_core.policy.text import Role, Term, asked, terms
from kg_core.render import standing
from kg_plugin_api import SearchHit, SearchItem, SearchRequest

UNTIMED = settings(deadline=None)
"""The first question of all works out the stems of the common words, whichever test asks it."""


def indexed(gists: dict[str, str], graph: str = "project:x", **fields: object) -> Index:
    index = Index()
    index.upsert(
        SearchItem(key=key(graph, node_id), graph=graph, id=node_id, gist=gist, **fields)  # type: ignore[arg-type]
        for node_id, gist in gists.items()
    )
    return index


def found(index: Index, text: str, *graphs: str, limit: int = 10, **filters: tuple[str, ...]) -> list[str]:
    request = SearchRequest(text=text, graphs=graphs or ("project:x",), limit=limit, **filters)  # type: ignore[arg-type]
    return [hit.id for hit in index.search(request).hits]


def hit(index: Index, text: str) -> SearchHit:
    return index.search(SearchRequest(text=text, graphs=("project:x",))).hits[0]


FILLER = {f"filler-{number}": f"Something else entirely, number {number}, about builds" for number in range(20)}


def texts(text: str) -> list[str]:
    return [term.text for term in terms(text)]


def test_what_only_other_scripts_need_is_imported_when_they_come() -> None:
    check = "import sys, kg_core.policy as p; p.said('x'); p.question('plain'); sys.exit('regex' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], check=False).returncode == 0


def test_identifiers_are_split_and_joined() -> None:
    assert texts("src/app/main.py") == ["srcappmainpi", "src", "app", "mainpi", "main", "py"]
    assert texts("retryLimits") == ["retrylimit", "retri", "limit"]
    assert texts("HTTPServer2") == ["httpserver2", "http", "server", "2"]
    assert texts("dry_run two-fold") == ["dryrun", "dry", "run", "twofold", "two", "fold"]
    assert texts("std::vector C++ c# 49222") == ["stdvector", "std", "vector", "c++", "c#", "49222"]


@pytest.mark.parametrize("written", ["wrap_lon", "wrapLon", "WRAP_LON", "wrap-lon", "wrap.lon", "wraplon", "wrap::lon"])
def test_an_identifier_is_found_however_it_is_written(written: str) -> None:
    index = indexed({**FILLER, "border": "Convert at the border with wrap_lon()", "other": "Wrap the gift"})
    assert found(index, written)[0] == "border"
    assert found(indexed({**FILLER, "border": f"Convert with {written} there"}), "wrapLon")[0] == "border"


def test_numbers_and_hashes_stay_whole() -> None:
    assert terms("10.4.2.17 23:59 1.5 7") == [Term(text, Role.NUMBER) for text in ("10.4.2.17", "23:59", "1.5", "7")]
    assert texts("7d9f8c int64") == ["7d9f8c", "int64", "int", "64"]


@pytest.mark.parametrize(
    "forms",
    [
        "schedule schedules scheduled scheduling",
        "retry retries retried retrying",
        "платёж платежа платежами",
        "очередь очереди очередью",
        "הכרטיס מהכרטיס והכרטיסים",
        "كتاب الكتاب والكتاب",
        "رمز رمزًا بالرمز",
        "کتاب کتابها کتابهای",
        "می‌خواهم نمی‌خواهم میخواهم",
    ],
)
def test_the_forms_of_a_word_are_one_term(forms: str) -> None:
    assert len(set(texts(forms))) == 1


def test_spellings_of_one_word_are_one_term() -> None:
    assert [stem(word) for word in ("class", "status", "passing", "v1")] == ["class", "status", "pass", "v1"]
    assert texts("ＦＵＬＬ Maß MASS cafe\u0301") == ["full", "mass", "mass", "café"]
    assert texts("don’t") == texts("don't") == ["dont"]
    assert texts("ёлка елка") == ["елк", "елк"]
    assert texts("کی كي") == [texts("كي")[0]] * 2


@given(st.text(min_size=1, max_size=40) | st.text("ابتهاميوف\u064b\u0640בהמשכלות", min_size=1, max_size=8))
@UNTIMED
def test_a_word_always_has_a_stem(word: str) -> None:
    assert stem(word)


def test_scripts_without_spaces_give_pairs_and_single_characters() -> None:
    assert texts("部署方案")[:3] == ["部署", "署方", "方案"]
    assert ("鍵", Role.LONE) in terms("鍵を回す")
    assert texts("重跑gen-itgc后清零")[3:6] == ["genitgc", "gen", "itgc"]
    assert texts("서버에서") == ["서버", "버에", "에서"]
    assert terms("🔥 🇯🇵") == [Term("🔥", Role.SIGN), Term("🇯🇵", Role.SIGN)]


def test_a_question_leaves_out_stop_words_unless_it_has_nothing_else() -> None:
    assert list(asked("what did we decide about the retry limits")) == ["decid", "retri", "limit"]
    assert list(asked("to be or not")) == ["to", "be", "or", "not"]
    assert "这个" not in asked("这个部署")


@pytest.mark.parametrize("query", ["部署", "服务器部署", "国内节点"])
def test_chinese_words_of_two_characters_are_found(query: str) -> None:
    index = indexed({**FILLER, "deploy": "用户服务器部署在国内节点", "other": "用户管理系统"})
    assert found(index, query)[0] == "deploy"


def test_latin_glued_to_chinese_and_kana_within_a_sentence_are_found() -> None:
    index = indexed({**FILLER, "rerun": "重跑gen-itgc后清零", "game": "子供たちは公園でしりとりをして遊んだ"})
    assert found(index, "itgc")[0] == "rerun"
    assert found(index, "しりとり")[0] == "game"
    assert found(index, "公園のベンチ")[0] == "game"


@pytest.mark.parametrize("query", ["переменные окружения", "ПЕРЕМЕННЫЕ", "окружения"])
def test_cyrillic_is_found_in_any_case(query: str) -> None:
    assert found(indexed({**FILLER, "env": "Переменные окружения читаются один раз"}), query) == ["env"]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("ADR-016", "adr-016"),
        ("ask-codex", "ask-codex"),
        ("src/app/main.py", "entry"),
        ("GB/s", "speed"),
        ("foo:bar", "colon"),
    ],
)
def test_an_exact_identifier_comes_first_and_punctuation_is_no_operator(query: str, first: str) -> None:
    gists = {
        "adr-016": "One writer per store",
        "adr-note": "The number 016 of an adr, adr and adr again",
        "ask-codex": "A second opinion",
        "ask-often": "ask codex whether codex can ask",
        "entry": "The program starts in src/app/main.py",
        "paths": "src and app, and main of any py",
        "speed": "The link gives 2 GB/s",
        "colon": "Keys look like foo:bar here",
        "bars": "foo and bar and foo",
    }
    assert found(indexed({**FILLER, **gists}), query)[0] == first


@pytest.mark.parametrize(
    ("query", "gist"),
    [
        ("2.3.1", "Since v2.3.1 the importer is strict"),
        ("v2.3.1", "Since 2.3.1 the importer is strict"),
        ("3.11", "The image has python3.11 in it"),
        ("python3.11", "We stay on Python 3.11 for now"),
        ("1.2.3", "The loader wants libfoo.so.1.2.3 beside it"),
        ("1.4", "Pinned to node-tap-1.4-beta"),
    ],
)
def test_a_version_is_found_with_and_without_what_is_written_before_it(query: str, gist: str) -> None:
    others = {"parts": "Of 3 importers 2 are strict, 1 is not; 4 of 11 images have it", "newer": "Since v2.4.0, 3.12"}
    assert found(indexed({**FILLER, **others, "right": gist}), query)[0] == "right"


@pytest.mark.parametrize(
    "query", ['a" OR "b', "(", "^x", "*", "NEAR", "", "AND NOT", "\x00", "\ud800", "'; --", "a" * 9_000]
)
def test_any_text_may_be_asked_for(query: str) -> None:
    found(indexed(FILLER), query)


def test_no_match_is_an_empty_answer_and_no_fault() -> None:
    results = indexed(FILLER).search(SearchRequest(text="walrus", graphs=("project:x",)))
    assert (results.hits, results.degraded) == ((), "")


@given(st.text(st.characters(codec=None), max_size=200))
@UNTIMED
def test_any_text_may_be_indexed_and_found_by_itself(text: str) -> None:
    index = indexed({"a": text})
    assert found(index, text) == (["a"] if texts(text) else [])


def test_a_question_is_answered_by_the_lesson_that_shares_most_of_it() -> None:
    index = indexed({**FILLER, "retries": "The payment worker stops retrying after three; the limit is in config"})
    assert found(index, "what did we decide about retry limits in the payment worker")[0] == "retries"


def test_a_term_that_every_node_has_still_finds_them() -> None:
    assert found(indexed({"a": "about redis", "b": "redis too"}), "redis") == ["a", "b"]


def test_a_term_finds_words_and_not_parts_of_words() -> None:
    assert found(indexed({"a": "concatenate strings", "b": "a cat"}), "cat") == ["b"]


def test_id_and_gist_weigh_more_than_notes_and_touches() -> None:
    index = Index()
    fields: list[dict[str, object]] = [
        {"id": "rotation", "gist": "plain"},
        {"id": "b", "gist": "rotation is daily"},
        {"id": "c", "gist": "plain", "notes": ("the rotation was late once",)},
    ]
    index.upsert(SearchItem(key=str(each["id"]), graph="project:x", **each) for each in fields)  # type: ignore[arg-type]
    assert set(found(index, "rotation")[:2]) == {"rotation", "b"}
    assert found(index, "rotation")[2:] == ["c"]


def test_evidence_rarity_and_title_say_what_was_shared() -> None:
    index = indexed({**FILLER, "token-rotation": "Tokens rotate at midnight"}, notes=("quokka",))
    whole = hit(index, "when do tokens rotate")
    assert (whole.id, whole.evidence, whole.rarity, whole.in_title) == ("token-rotation", 2, 1.0, True)
    assert not hit(index, "quokka").in_title
    assert hit(index, "quokka").rarity < 0.1
    assert hit(indexed({"d": "服务器部署"}), "部署").evidence == 1
    assert hit(indexed({"d": "服务器部署"}), "服务器部署").evidence == 2


def test_one_long_word_in_a_script_of_sounds_is_one_word() -> None:
    gists = {**FILLER, "order": "デプロイの前にマイグレーションを実行する"}
    assert 0 < hit(indexed(gists), "マイグレーション").strength < 1


def test_scopes_never_leak_and_share_one_document_frequency() -> None:
    index = indexed({"mine": "rare walrus"})
    index.upsert([SearchItem(key=key("user", str(n)), graph="user", id=str(n), gist="walrus") for n in range(9)])
    assert found(index, "walrus") == ["mine"]
    assert hit(index, "walrus").rarity == 1.0
    both = index.search(SearchRequest(text="walrus", graphs=("project:x", "user"), limit=20)).hits
    assert len(both) == 10
    assert both[0].rarity < 0.2
    assert found(index, "walrus", "project:unknown") == []


def test_filters_narrow_what_is_found() -> None:
    index = indexed({"a": "walrus"}, tier="orphaned", tags=("x", "y"), kind="derived")
    index.upsert([SearchItem(key="b", graph="project:x", id="b", gist="walrus", status="retracted")])
    assert found(index, "walrus") == ["a"]
    assert found(index, "walrus", statuses=("retracted",)) == ["b"]
    assert found(index, "walrus", tiers=("active",)) == []
    assert found(index, "walrus", tags=("x",), kinds=("derived",)) == ["a"]
    assert found(index, "walrus", tags=("x", "z")) == []
    assert found(index, "walrus", limit=0) == []


@pytest.mark.parametrize(
    "view", [{"observers": ("ada",)}, {"observed": ("bo",)}, {"tags": ("t",)}, {"kinds": ("derived",)}]
)
def test_lessons_that_a_filter_leaves_out_hold_no_other_back(view: dict[str, tuple[str, ...]]) -> None:
    index = indexed({f"near-{number}": f"Quorum of builds {number}" for number in range(20)})
    index.upsert(
        SearchItem(key=key("project:x", each), graph="project:x", id=each, gist="The builds") for each in FILLER
    )
    wanted = SearchItem(
        key=key("project:x", "hers"),
        graph="project:x",
        id="hers",
        gist="What builds want",
        tags=("t",),
        kind="derived",
        observer="ada",
        observed="bo",
    )
    index.upsert([wanted])
    assert found(index, "quorum builds", **view) == ["hers"]


COMMON = [f"common{number}" for number in range(4)]


@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from(["rare", "seldom", *COMMON * 3]), max_size=9),
            st.sampled_from(["current"] * 6 + ["superseded", "retracted"]),
        ),
        max_size=60,
    ),
    st.lists(st.sampled_from(["rare", "seldom", *COMMON]), min_size=1, max_size=6),
    st.integers(1, 8),
    st.sampled_from([(), ("current", "superseded"), ("retracted",)]),
)
@UNTIMED
def test_the_best_few_are_the_beginning_of_all(
    lessons: list[tuple[list[str], str]], asked_for: list[str], limit: int, statuses: tuple[str, ...]
) -> None:
    index = Index()
    index.upsert(
        SearchItem(key=f"k{place:02d}", graph="user", id="id", gist=" ".join(words), status=status)
        for place, (words, status) in enumerate(lessons)
    )
    request = SearchRequest(text=" ".join(asked_for), graphs=("user",), limit=limit, statuses=statuses)

    every = index.search(replace(request, limit=len(lessons) + 1)).hits

    assert index.search(request).hits == every[:limit]


def test_ties_are_broken_by_key() -> None:
    names = [f"n{number:02d}" for number in range(20)]
    assert found(indexed(dict.fromkeys(reversed(names), "walrus")), "walrus", limit=5) == names[:5]


ITEMS = st.lists(
    st.builds(
        SearchItem,
        key=st.sampled_from("abcd"),
        graph=st.sampled_from(["user", "project:x"]),
        id=st.just("id"),
        gist=st.sampled_from(["walrus", "penguin walrus", "部署", ""]),
        status=st.sampled_from(["current", "superseded", "retracted"]),
        hash=st.just("h"),
    ),
    max_size=12,
)


@given(ITEMS, st.sets(st.sampled_from("abcd")), st.sampled_from(["walrus", "penguin", "部署"]))
@UNTIMED
def test_an_index_kept_up_to_date_equals_one_built_anew(items: list[SearchItem], gone: set[str], text: str) -> None:
    index, anew = Index(), Index()
    index.upsert(items)
    index.upsert(items)
    index.remove([*gone, "unknown"])
    last = {each.key: each for each in items if each.key not in gone}
    anew.upsert(last.values())
    request = SearchRequest(text=text, graphs=("user", "project:x"), statuses=())
    assert index.search(request) == anew.search(request)
    assert dict(index.snapshot()) == dict(anew.snapshot())
    assert len(index) == len(last)


def graph_of(gists: dict[str, str], *edges: Edge, key: str = "project:x") -> Graph:
    nodes = {node_id: Node(id=node_id, gist=gist, tags=("t",)) for node_id, gist in gists.items()}
    return Graph.build(key, nodes=nodes, edges={edge.key: edge for edge in edges})


def ranked_ids(text: str, *graphs: Graph, limit: int = 10, **filters: tuple[str, ...]) -> list[str]:
    index = Index()
    for graph in graphs:
        index.upsert(item(graph.key, node, Use(), standing(graph, node.id)) for node in graph.nodes.values())
    request = SearchRequest(text=text, graphs=tuple(graph.key for graph in graphs), limit=limit, **filters)  # type: ignore[arg-type]
    return [hit.id for hit in ranked(index.search(request), graphs, request).hits]


def test_a_correction_stands_above_what_it_corrects() -> None:
    gists = {"ssh-port": "SSH port is 22 on the host", "daemon-moved": "Listens on 49222 now", "lonely": "port wine"}
    edge = Edge(source="daemon-moved", rel="supersedes", target="ssh-port")
    assert ranked_ids("SSH port 22", graph_of(gists, edge)) == ["daemon-moved", "ssh-port", "lonely"]
    assert ranked_ids("SSH port 22", graph_of(gists, edge), statuses=("current",)) == ["lonely"]
    loop = Edge(source="ssh-port", rel="supersedes", target="daemon-moved")
    assert len(ranked_ids("SSH port 22", graph_of(gists, edge, loop))) == 3


def test_what_hangs_on_the_best_hit_comes_with_it() -> None:
    gists = {"token-rotation": "Tokens rotate at midnight", "calm-nights": "Deploys wait until one", "far": "Far away"}
    near = Edge(source="token-rotation", rel="limits", target="calm-nights")
    further = Edge(source="calm-nights", rel="follows", target="far")
    graph = graph_of({**FILLER, **gists}, near, further)
    assert ranked_ids("when do tokens rotate", graph) == ["token-rotation", "calm-nights"]
    assert ranked_ids("when do tokens rotate", graph, limit=1) == ["token-rotation"]
    assert ranked_ids("when do tokens rotate", graph, tags=("t",)) == ["token-rotation", "calm-nights"]
    assert ranked_ids("when do tokens rotate", graph, kinds=("derived",)) == []


def test_what_hangs_on_the_best_hit_comes_from_other_levels_too_and_never_from_a_hub() -> None:
    user = graph_of({"quiet-hours": "No calls before noon"}, key="user")
    gists = {"token-rotation": "Tokens rotate at midnight", **FILLER}
    follows = Edge(source="token-rotation", rel="follows", target="user:quiet-hours")
    assert ranked_ids("when do tokens rotate", user, graph_of(gists, follows)) == ["token-rotation", "quiet-hours"]
    spokes = [Edge(source="token-rotation", rel="about", target=name) for name in FILLER]
    assert ranked_ids("when do tokens rotate", user, graph_of(gists, follows, *spokes)) == ["token-rotation"]


def test_what_is_lifted_passes_a_hit_of_its_own_three_times_at_most() -> None:
    cluster = {f"cheese-{name}": "The cheese service" for name in "abcdefg"}
    edges = [Edge(source="cheese-a", rel="next-to", target=name) for name in list(cluster)[1:]]
    graph = graph_of({**cluster, **FILLER, "orm-no-magic": "Prefer SQL over an ORM"}, *edges)
    order = ranked_ids("would an orm do for the cheese service", graph)
    assert order.index("orm-no-magic") <= 4


def test_the_best_of_another_level_stands_before_what_hangs_on_the_best_one_if_it_is_nearly_as_good() -> None:
    cluster = {f"cheese-{name}": "The cheese service of the dairy" for name in "abcdefg"}
    edges = [Edge(source="cheese-a", rel="next-to", target=name) for name in list(cluster)[1:]]
    project = graph_of({**cluster, **FILLER}, *edges)
    habits = graph_of({"orm-no-magic": "Prefer SQL over an ORM", "tea-at-four": "A service of tea"}, key="user")
    order = ranked_ids("for the cheese service of the dairy, would an orm do", project, habits)
    assert order[0] in cluster
    assert order[1] == "orm-no-magic"
    assert "tea-at-four" in order[3:]
    weak = graph_of({"tea-at-four": "Tea is served on the terrace, in a service of its own"}, key="user")
    assert ranked_ids("the cheese service of the dairy", project, weak).index("tea-at-four") >= len(cluster)


def test_what_is_lifted_does_not_pass_the_best_hit() -> None:
    words = "walrus harbour quay penguin"
    gists = {"boat": words, "jetty": f"{words} albatross", "pier": f"{words} albatross puffin", **FILLER}
    graph = graph_of(gists, Edge(source="pier", rel="near", target="boat"))
    assert ranked_ids(words, graph)[:3] == ["boat", "pier", "jetty"]


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.sets(st.tuples(st.integers(0, 7), st.integers(0, 7))))
@UNTIMED
def test_scores_fall_along_the_order_and_nothing_is_lost(words: list[int], pairs: set[tuple[int, int]]) -> None:
    gists = {f"n{number}": " ".join(["walrus"] * (1 + count)) for number, count in enumerate(words)}
    edges = [
        Edge(source=f"n{source}", rel="near", target=f"n{target}")
        for source, target in sorted(pairs)
        if source != target and max(source, target) < len(words)
    ]
    graph = graph_of(gists, *edges)
    index = indexed(gists)
    request = SearchRequest(text="walrus", graphs=("project:x",), limit=20)
    hits = ranked(index.search(request), [graph], request).hits
    assert sorted(hit.id for hit in hits) == sorted(gists)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_strength_compares_between_questions() -> None:
    index = indexed({**FILLER, "token-rotation": "Tokens rotate at midnight"})
    whole = hit(index, "when do tokens rotate").strength
    beside = hit(index, "when do tokens rotate in the Lisbon office").strength
    scattered = hit(index, "rotate the guests of the Lisbon office, tokens in hand").strength
    alone = hit(index, "tokens of appreciation for guests, flowers perhaps").strength
    assert whole > beside > scattered > alone == 0
    assert hit(index, "number 7").strength == 0


def test_a_node_becomes_an_item_whose_hash_follows_content_tier_and_standing() -> None:
    node = Node(id="a", gist="A", notes=("n",), touches=("t",), tags=("x",))
    made = item("user", node, Use(), Status.CURRENT)
    assert (made.key, made.notes, made.touches, made.tags, made.tier) == ("user\x1fa", ("n",), ("t",), ("x",), "active")
    others = [
        item("user", replace(node, gist="B"), Use(), Status.CURRENT),
        item("user", node, Use(tier=Tier.ARCHIVED), Status.CURRENT),
        item("user", node, Use(), Status.SUPERSEDED),
    ]
    assert len({made.hash, *(other.hash for other in others)}) == 4


def test_what_another_index_found_passes_the_filters_or_is_left_out() -> None:
    index = indexed({"of-ada": "ledger"}, observer="ada")
    index.upsert([SearchItem(key=key("project:x", "of-bob"), graph="project:x", id="of-bob", gist="ledger")])
    request = SearchRequest(text="ledger", graphs=("project:x",))

    careless = index.search(request)

    assert {hit.id for hit in careless.hits} == {"of-ada", "of-bob"}
    asked_of_ada = replace(request, observers=("ada",))
    assert [hit.id for hit in index.weighed(asked_of_ada, careless).hits] == ["of-ada"]


def test_the_terms_of_a_question_are_found_once_for_all_who_ask_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def counted(text: str) -> list[Term]:
        looked_at.append(text)
        return terms(text)

    index = indexed({"walrus": "walrus tusks"})
    monkeypatch.setattr("kg_core.policy.text.terms", counted)
    prompt = "Where did that one walrus go?"
    found = index.search(request(prompt, ("project:x",)))
    assert [hit.id for hit in found.hits] == ["walrus"]
    assert looked_at == [prompt]
