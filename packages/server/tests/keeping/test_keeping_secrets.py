"""Secrets in what is imported: a placeholder is saved in their place, wherever they are."""

from __future__ import annotations

import json


def test_an_import_takes_secrets_out_and_says_so(kg, server, tmp_path) -> None:
    page = tmp_path / "lessons.md"
    page.write_text("- The key is AKIAIOSFODNN7EXAMPL3 here\n", encoding="utf-8")

    _, out, _ = kg("import", page, "--level", "user")

    (node,) = server.graph("user").nodes.values()
    assert (node.id, node.gist) == ("the-key-is-secret-aws", "The key is [secret:aws-access-key] here")
    assert "Secrets were found in 1 place; a placeholder" in out


def test_an_import_takes_secrets_out_of_saved_states_too(kg, server, tmp_path) -> None:
    graph = tmp_path / "user.json"
    saved = {"deploy": {"state": {"how": ["with AKIAIOSFODNN7EXAMPL3"]}, "at": "2026-01-01T00:00:00.000Z", "by": "s"}}
    graph.write_text(json.dumps({"format": 1, "nodes": {}, "edges": [], "progress": saved}), encoding="utf-8")

    _, out, _ = kg("import", graph, "--level", "user")

    assert server.graph("user").progress["deploy"].state == {"how": ["with [secret:aws-access-key]"]}
    assert "Secrets were found in 1 place; a placeholder" in out


def test_an_import_takes_secrets_out_of_what_only_its_source_knows(kg, server, tmp_path) -> None:
    secret = "AKIAIOSFODNN7EXAMPL3"
    lesson = {"gist": "g", "wiki_login": secret, "conflicts": [{"gist": f"or {secret}"}]}
    edge = {"from": "one", "rel": "in", "to": "a/b", "seen_with": secret}
    document = {"format": 1, "graphs": {"user": {"nodes": {"one": lesson}, "edges": [edge]}}}
    (tmp_path / "other.json").write_text(json.dumps(document), encoding="utf-8")

    code, out, _ = kg("import", tmp_path / "other.json")
    server.do(lambda service: service._memory.store.snapshot())

    assert code == 0
    assert "Secrets were found in 2 places" in out
    assert secret not in server.home.graph("user").read_text(encoding="utf-8")
