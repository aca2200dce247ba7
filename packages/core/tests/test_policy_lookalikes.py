"""Which lessons seem to be the same, and which words a graph has a name for. The pairs set the thresholds."""

from __future__ import annotations

import pytest

from kg_core.model import Edge, EdgeKey, Graph, Node
from kg_core.policy.lookalikes import Lookalikes

LESSONS = {
    "cache-key-tenant": "Cache keys include the tenant id; a key without it leaks rows across tenants.",
    "retry-full-jitter": "Retries need full jitter and a cap, or a recovering service is hit by all clients at once.",
    "migrations-lock-timeout": "Set lock_timeout before every migration, or one long query blocks all writes.",
    "http-client-keepalive": "The HTTP client must reuse connections; a new one per call exhausts ports.",
    "money-as-integer-cents": "Amounts are integers of cents; floats lose a cent in sums.",
    "timestamps-in-utc": "All timestamps are stored in UTC and converted at the edge.",
    "webhook-signature-raw-body": "Verify the webhook signature over the raw body, before any JSON parsing.",
    "test-database-per-worker": "Each test worker has a database of its own, else tests see each other's rows.",
    "feature-flags-expire": "Every feature flag has an owner and a date of removal.",
    "queue-consumers-idempotent": "Queue consumers must be idempotent, since a message may be delivered twice.",
    "pagination-by-cursor": "Lists are paged by cursor, as offsets skip rows while others insert.",
    "部署-国内节点": "用户服务器部署在国内节点,不能访问外网。",
}

SAME = [
    (
        "tenant-in-cache-keys",
        "Every cache key must contain the tenant's id, or rows leak between tenants.",
        "cache-key-tenant",
    ),
    ("jitter", "Add full jitter to retries or all clients hit the recovering service together.", "retry-full-jitter"),
    (
        "migrations-block-writes",
        "A migration without lock_timeout blocks writes behind a long query.",
        "migrations-lock-timeout",
    ),
    ("float-money", "Never use floats for money: sums lose cents, so keep integer cents.", "money-as-integer-cents"),
    (
        "webhook-check",
        "Check a webhook signature against the raw body rather than the parsed JSON.",
        "webhook-signature-raw-body",
    ),
    (
        "idempotent-consumers",
        "A message may be delivered twice, so consumers of the queue must be idempotent.",
        "queue-consumers-idempotent",
    ),
    ("cursor-pages", "Page lists by cursor; offsets skip rows while somebody inserts.", "pagination-by-cursor"),
    ("国内-部署", "用户服务器部署在国内节点,无法访问外网。", "部署-国内节点"),
]

OTHER = [
    ("cache-key-locale", "Cache keys include the locale; without it users see the wrong language."),
    ("cache-ttl-jitter", "Cache lifetimes get ten percent of jitter so that keys do not expire together."),
    ("retry-budget", "Retries stop at a budget of 10 percent of requests, shared by all calls."),
    ("lock-timeout-deploys", "A deploy takes a lock with a timeout, so that two long deploys never block each other."),
    ("http-client-timeouts", "The HTTP client has a connect and a read timeout on every call."),
    ("http-client-retries", "The HTTP client must not retry a call that changes something."),
    ("queue-consumers-timeout", "Queue consumers must finish within 30 seconds, or another gets the message."),
    ("webhook-signature-rotation", "The webhook signature key is rotated monthly; both keys verify for a day."),
    ("money-rounding-half-even", "Sums are rounded half to even, at the last step alone."),
    ("test-worker-ports", "Each test worker has ports of its own, else tests collide."),
    ("tenant-quota", "Each tenant has a quota of rows; beyond it writes are refused."),
    ("数据库-备份", "数据库每天凌晨备份一次,保留三十天。"),
]


@pytest.fixture
def lookalikes() -> Lookalikes:
    known = Lookalikes()
    for node_id, gist in LESSONS.items():
        known.put("user", node_id, gist)
    return known


@pytest.mark.parametrize(("node_id", "gist", "same"), SAME, ids=[case[0] for case in SAME])
def test_the_same_in_other_words_is_recognised(lookalikes: Lookalikes, node_id: str, gist: str, same: str) -> None:
    assert lookalikes.twin("user", node_id, gist) == same


@pytest.mark.parametrize(("node_id", "gist"), OTHER, ids=[case[0] for case in OTHER])
def test_another_claim_about_the_same_things_is_not(lookalikes: Lookalikes, node_id: str, gist: str) -> None:
    assert lookalikes.twin("user", node_id, gist) is None


def test_graphs_are_apart_and_what_is_gone_resembles_nothing(lookalikes: Lookalikes) -> None:
    node_id, gist, same = SAME[0]
    assert lookalikes.twin("project:shop", node_id, gist) is None
    lookalikes.put("user", same, "Something else entirely about logs.")
    assert lookalikes.twin("user", node_id, gist) is None
    lookalikes.put("user", same, LESSONS[same])
    lookalikes.remove("user", same)
    lookalikes.remove("user", same)
    lookalikes.remove("project:shop", same)
    assert lookalikes.twin("user", node_id, gist) is None


def test_a_node_does_not_resemble_itself(lookalikes: Lookalikes) -> None:
    assert lookalikes.twin("user", "cache-key-tenant", LESSONS["cache-key-tenant"]) is None


def test_words_that_many_share_are_only_counted() -> None:
    known = Lookalikes()
    for number in range(100):
        known.put("user", f"lesson-{number}", f"Claim number {number} about pears, apples and plums.")
    assert known.twin("user", "fruit", "Pears, apples and plums.") is None
    for number in range(99):
        known.remove("user", f"lesson-{number}")
    assert known.twin("user", "fruit", "Pears, apples and plums.") is None


def level(*others: str) -> tuple[Lookalikes, Graph]:
    """A graph of forty lessons, eight of which speak of checkout, and one that is named after it."""
    gists = {f"lesson-{number}": f"Claim {number} about subject{number}." for number in range(32)}
    gists |= {f"case-{number}": f"Checkout broke in case{number}." for number in range(7)}
    gists |= dict.fromkeys(others, "The service that takes orders and payments.")
    edges = [EdgeKey(other, "implemented-in", "src/checkout.py") for other in others]
    known = Lookalikes()
    for node_id, gist in gists.items():
        known.put("user", node_id, gist)
    return known, Graph.build(
        "user",
        nodes={node_id: Node(id=node_id, gist=gist) for node_id, gist in gists.items()},
        edges={key: Edge(source=key.source, rel=key.rel, target=key.target) for key in edges},
    )


def test_a_word_that_runs_through_the_graph_is_traced_to_the_node_named_after_it() -> None:
    known, graph = level("checkout-service")
    new = ("promo-codes", "Promo codes are applied by the Checkout, not by the cart.")
    assert known.hub(graph, *new) == ("Checkout", "checkout-service")
    assert known.hub(graph, *new, aside=["checkout"]) is None
    assert known.hub(graph, "checkout-promo", new[1]) == ("checkout", "checkout-service")


def test_a_word_without_a_node_of_its_name_or_with_few_holders_is_no_name() -> None:
    known, graph = level()
    assert known.hub(graph, "promo-codes", "Promo codes are applied by the checkout.") is None
    known, graph = level("checkout-2026-02-03")
    assert known.hub(graph, "promo-codes", "Promo codes are applied by the checkout.") is None
    known, graph = level("checkout-service")
    assert known.hub(graph, "promo-codes", "Promo codes come from the payments team.") is None
    assert known.hub(Graph(key="project:shop"), "promo-codes", "Applied by the checkout.") is None
