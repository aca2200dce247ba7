"""``kg rename``: a person gives a lesson a better id."""

from __future__ import annotations

import json

import pytest

from kg_core.model import Edge, Node, Written


def linked(server, source: str, target: str, cwd: str = "") -> None:
    edge = Edge(source=source, rel="needs", target=target)
    server.commit(cwd, edges={edge.key: edge})


def test_notes_and_edges_go_with_it_and_the_old_id_stays_away(kg, server, tmp_path) -> None:
    server.put("wrong-name", "The port is 8080", notes=("80 is taken",))
    server.put("other", "o")
    linked(server, "other", "wrong-name")
    page = tmp_path / "before.json"
    page.write_text(kg("export")[1], encoding="utf-8")

    code, out, _ = kg("rename", "Wrong_Name", "port-of-shop")

    user = server.graph("user")
    assert (code, out) == (0, "Renamed 'wrong-name' to 'port-of-shop' (user); 1 edge went with it.\n")
    assert user.nodes["port-of-shop"].notes == ("80 is taken",)
    assert [(edge.source, edge.target) for edge in user.edges.values()] == [("other", "port-of-shop")]
    kg("import", page)
    assert set(server.graph("user").nodes) == {"port-of-shop", "other"}


def test_an_edge_of_a_project_that_nobody_has_opened_goes_with_a_lesson_of_the_user(kg, server, repository) -> None:
    server.put("wrong-name", "u")
    server.put("local", "p", cwd=str(repository))
    linked(server, "local", "user:wrong-name", cwd=str(repository))
    server.stop()
    server.start()

    assert kg("rename", "wrong-name", "right-name")[0] == 0

    assert [edge.target for edge in server.graph("project:shop").edges.values()] == ["user:right-name"]


def test_a_lesson_of_both_levels_asks_which(kg, server, repository) -> None:
    server.put("twin", "the user's")
    server.put("twin", "the project's", cwd=str(repository))

    code, _, err = kg("rename", "twin", "sister", "--cwd", repository)
    assert code != 0
    assert "--level project" in err

    done = json.loads(kg("rename", "twin", "sister", "--level", "project", "--cwd", repository, "--json")[1])
    assert done == {"text": "Renamed 'twin' to 'sister' (project); 0 edges went with it.", "renamed": True}
    assert set(server.graph("project:shop").nodes) == {"sister"}
    assert set(server.graph("user").nodes) == {"twin"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("none", "better"), "There is no lesson 'none' here. `kg search` finds"),
        (("one", "Two"), "There is a lesson 'two' already."),
        (("kept", "better"), "'kept' is locked. Take `locked` out of it in its file first."),
        (("one", "a/b"), "a/b"),
        (("one", "better", "--level", "project"), "This folder belongs to no project."),
    ],
)
def test_what_cannot_be_renamed_is_refused_in_a_sentence_for_a_person(kg, server, arguments, said) -> None:
    server.put("one", "1")
    server.put("two", "2")
    server.commit(nodes={"kept": Node(id="kept", gist="k", locked=True, written=Written(at=1, by="s", author="s"))})

    code, out, err = kg("rename", *arguments, "--cwd", "/")

    assert (code != 0, out, said in err, "kg_" in err) == (True, "", True, False)
    assert set(server.graph("user").nodes) == {"one", "two", "kept"}


@pytest.mark.parametrize("arguments", [("delete", "one"), ("why", "one")])
def test_a_person_in_no_project_is_told_so_by_the_other_commands_too(kg, server, arguments) -> None:
    server.put("one", "1")

    code, _, err = kg(*arguments, "--level", "project", "--cwd", "/")

    assert (code, err.startswith("Error: This folder belongs to no project.")) == (2, True)


def test_case_alone_can_be_changed_and_the_same_id_changes_nothing(kg, server) -> None:
    server.put("readme", "r")

    assert json.loads(kg("rename", "readme", "README", "--json")[1])["renamed"] is True
    assert json.loads(kg("rename", "readme", "README", "--json")[1])["renamed"] is False

    assert set(server.graph("user").nodes) == {"README"}


@pytest.mark.parametrize("then", [("delete", "README"), ("rename", "README", "manual")])
def test_an_older_copy_brings_no_spelling_back_of_a_lesson_that_went_after_its_case_was_changed(
    kg, server, tmp_path, then
) -> None:
    server.put("readme", "r")
    older = tmp_path / "older.json"
    older.write_text(kg("export")[1], encoding="utf-8")
    kg("rename", "readme", "README")

    assert kg(*then)[0] == 0
    assert kg("import", str(older))[0] == 0

    assert set(server.graph("user").nodes) == {*then[2:]}


def test_an_id_that_looks_like_a_secret_is_not_kept_and_the_person_is_told_why(kg, server) -> None:
    server.put("one", "1")

    code, out, _ = kg("rename", "one", "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5")

    assert (code, "looks like a secret" in out) == (0, True)
    assert set(server.graph("user").nodes) == {"secret-github-token"}


@pytest.mark.parametrize("name", [" ", "two\nlines", "a/b", "user:one"])
def test_an_id_that_no_tool_would_write_is_given_a_legal_one(kg, server, name) -> None:
    server.commit(nodes={name: Node(id=name, gist="g", written=Written(at=1, by="s", author="s"))})

    assert kg("rename", "--", name, "better-name")[0] == 0

    assert set(server.graph("user").nodes) == {"better-name"}


def test_a_new_id_of_any_length_is_refused_in_a_sentence(kg, server) -> None:
    server.put("short", "s")

    code, _, err = kg("rename", "short", "a" * 1_500)

    assert (code, "kg rename: 'new_id'" in err, "kg_" in err) == (2, True, False), err
    assert set(server.graph("user").nodes) == {"short"}
