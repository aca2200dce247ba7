"""``kg delete``: a person takes lessons out of the memory, and may have them back."""

from __future__ import annotations

import json
import shlex

import pytest

from kg_core.model import Edge, Node, Written
from kg_plugin_api import Code, KgError
from kg_server.client import Client


def linked(server, source: str, rel: str, target: str) -> None:
    edge = Edge(source=source, rel=rel, target=target)
    server.commit(edges={edge.key: edge})


def backups(server) -> int:
    return len(list((server.home.state / "backups").glob("memory-*.tar.gz")))


def test_a_lesson_goes_with_its_edges_and_an_import_does_not_bring_it_back(kg, server, tmp_path) -> None:
    server.put("wrong-port", "The port is 80")
    server.put("right-port", "The port is 8080")
    linked(server, "right-port", "contradicts", "wrong-port")
    page = tmp_path / "before.json"
    page.write_text(kg("export")[1], encoding="utf-8")

    code, out, _ = kg("delete", "Wrong_Port")

    user = server.graph("user")
    assert code == 0
    assert "Deleted 'wrong-port' (user) and 1 edge." in out
    assert set(user.nodes) == {"right-port"}
    assert not user.edges
    kg("import", page)
    assert set(server.graph("user").nodes) == {"right-port"}


@pytest.mark.parametrize("name", [" ", "\u3000", " padded ", "\x00", "two\nlines", "a/b", "user:one", "..", "-"])
def test_a_lesson_whose_id_a_file_has_and_no_tool_would_write_can_be_shown_and_deleted(kg, server, name) -> None:
    written = Written(at=1, by="s", author="s")
    nodes = {each: Node(id=each, gist=f"of {each}", written=written) for each in (name, "padded", "other")}
    server.commit(nodes=nodes)

    assert json.loads(kg("show", "--json", "--", name)[1])["nodes"][0]["id"] == name
    assert kg("delete", "--", name)[0] == 0

    assert set(server.graph("user").nodes) == {"padded", "other"}


def test_the_command_that_it_prints_brings_them_back(kg, server) -> None:
    server.put("one", "1")
    server.put("two", "2")
    out = kg("delete", "one", "two")[1]
    assert not server.graph("user").nodes
    undo = out.splitlines()[-1].removeprefix("To undo it: kg ")

    kg(*shlex.split(undo))

    assert {name: node.gist for name, node in server.graph("user").nodes.items()} == {"one": "1", "two": "2"}


def test_a_lesson_is_brought_back_by_its_name_in_capitals_too(kg, server) -> None:
    server.put("Retry-Policy", "Three times")
    server.put("other", "Another")
    backup = kg("delete", "retry-policy")[1].split()[-3]
    server.put("other", "Changed")

    assert kg("restore", backup, "--deleted", "RETRY-POLICY")[0] == 0
    assert kg("restore", backup, "OTHER")[0] == 0

    gists = {name: node.gist for name, node in server.graph("user").nodes.items()}
    assert gists == {"Retry-Policy": "Three times", "other": "Another"}
    assert "holds no lesson 'nobody'" in kg("restore", backup, "--deleted", "nobody")[2]


def test_of_an_import_that_took_nothing_it_is_not_said_that_a_part_is_left(kg, server, tmp_path) -> None:
    page = tmp_path / "lessons.md"
    page.write_text("- a lesson\n", encoding="utf-8")

    code, out, err = kg("import", page, "--level", "project", "--cwd", "/")

    assert (code, out, err) == (2, "", "Error: / belongs to no project. Name another --level.\n")


def test_all_that_are_named_go_or_none_and_what_changes_nothing_takes_no_backup(kg, server) -> None:
    server.put("one", "one")
    server.commit(nodes={"kept": Node(id="kept", gist="k", locked=True, written=Written(at=1, by="s", author="s"))})

    for names, word in ((("one", "two"), "'two'"), (("one", "kept"), "locked")):
        code, _, err = kg("delete", *names)
        assert code != 0
        assert word in err

    assert set(server.graph("user").nodes) == {"one", "kept"}
    assert backups(server) == 0


def test_a_lesson_of_both_levels_asks_which(kg, server, repository) -> None:
    server.put("twin", "the user's")
    server.put("twin", "the project's", cwd=str(repository))

    code, _, err = kg("delete", "twin", "--cwd", repository)
    assert code != 0
    assert "--level project" in err

    done = json.loads(kg("delete", "twin", "--level", "project", "--cwd", repository, "--json")[1])
    assert done["deleted"] == [{"id": "twin", "level": "project"}]
    assert not server.graph("project:shop").nodes
    assert "twin" in server.graph("user").nodes


def test_what_was_concluded_from_it_is_named_unless_it_goes_too(kg, server) -> None:
    for name in ("premise", "conclusion", "other"):
        server.put(name, name)
    linked(server, "conclusion", "derived-from", "premise")
    linked(server, "other", "derived-from", "premise")

    out = kg("delete", "premise", "conclusion", "premise")[1]

    assert "What was concluded from it may fall too: 'other'." in out
    assert set(server.graph("user").nodes) == {"other"}


@pytest.mark.parametrize("asked", [{}, {"ids": "one"}, {"ids": ["one"], "level": "maintain"}])
def test_a_request_that_names_nothing_deletes_nothing(server, asked) -> None:
    server.put("one", "one")

    with Client(server.home) as client, pytest.raises(KgError) as failure:
        client.post("/api/v1/delete", asked)

    assert failure.value.code is Code.INVALID
    assert "one" in server.graph("user").nodes
