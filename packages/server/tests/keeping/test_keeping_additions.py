"""``kg add``: a person adds a lesson on the command line."""

from __future__ import annotations

import json

import pytest

from kg_core.model import Node, Written


def test_it_goes_to_the_project_of_the_folder_with_an_id_from_its_first_words(kg, server, repository) -> None:
    (repository / "src").mkdir()
    more = (
        "--note",
        "the shop sends each order twice",
        "--tag",
        "shop",
        "--touches",
        "orders.py:12",
        "--touches",
        "api/",
    )

    code, out, _ = kg("add", "Orders carry an idempotency key", *more, "--cwd", repository / "src")

    assert (code, out) == (0, "Saved 'orders-carry-an-idempotency-key' (project).\n")
    node = server.graph("project:shop").nodes["orders-carry-an-idempotency-key"]
    assert (node.gist, node.notes, node.tags) == (
        "Orders carry an idempotency key",
        ("the shop sends each order twice",),
        ("shop",),
    )
    assert node.touches == ("src/orders.py:12", "src/api/")


def test_outside_of_a_project_it_goes_to_the_user(kg, server) -> None:
    done = json.loads(
        kg("add", "Tests come first", "--id", "tests-first", "--touches", "~/x", "--cwd", "/", "--json")[1]
    )

    assert done == {"text": "Saved 'tests-first' (user).", "id": "tests-first", "level": "user"}
    assert server.graph("user").nodes["tests-first"].touches == ("~/x",)


def test_a_folder_that_is_not_there_makes_no_project_of_its_own(kg, server, repository) -> None:
    missing = repository.with_name("shopp")

    code, out, err = kg("add", "Tests come first", "--cwd", missing)

    assert (code, out) == (2, "")
    assert f"There is no folder {missing}, so no session would see the lesson." in err
    assert "shopp" not in kg("export")[1]
    assert kg("add", "Tests come first", "--level", "user", "--cwd", missing)[0] == 0


def test_a_file_of_no_project_is_kept_by_the_path_by_which_it_is_found_again(kg, server, repository, person) -> None:
    (repository / "src").mkdir()
    given = ("a.py", "../../notes.md", "/etc/../etc/hosts", "docs/", "**/*.py", "*.py", "~/x", "https://a.b/c")
    touches = [word for touch in given for word in ("--touches", touch)]

    kg("add", "One", "--id", "of-project", *touches, "--cwd", repository / "src")
    kg("add", "Two", "--id", "of-user", *touches, "--level", "user", "--cwd", repository / "src")

    folder = f"~/{repository.relative_to(person)}"
    assert server.graph("project:shop").nodes["of-project"].touches == (
        "src/a.py",
        "~/notes.md",
        "/etc/hosts",
        "src/docs/",
        "src/**/*.py",
        "src/*.py",
        "~/x",
        "https://a.b/c",
    )
    assert server.graph("user").nodes["of-user"].touches == (
        f"{folder}/src/a.py",
        "~/notes.md",
        "/etc/hosts",
        f"{folder}/src/docs/",
        "**/*.py",
        "*.py",
        "~/x",
        "https://a.b/c",
    )


def test_what_is_there_is_never_changed(kg, server, repository) -> None:
    server.put("twin", "the project's", cwd=str(repository))
    server.put("twin", "the user's")

    code, out, err = kg("add", "another", "--id", "Twin", "--cwd", repository)

    assert (code, out) == (1, "")
    assert "There is a lesson 'twin' already (project). See it with `kg show twin`" in err
    assert server.graph("project:shop").nodes["twin"].gist == "the project's"


def test_one_of_another_level_is_no_hindrance_and_is_named(kg, server, repository) -> None:
    server.put("twin", "the user's")

    code, out, _ = kg("add", "another", "--id", "twin", "--cwd", repository)

    assert (code, "has this id too" in out) == (0, True)
    assert server.graph("project:shop").nodes["twin"].gist == "another"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("x" * 2_000,), "characters"),
        (("g", "--id", "a/b"), "a/b"),
        (("g", "--id", "i" * 1_500), "kg add: 'id'"),
        (("g", "--level", "project"), "This folder belongs to no project."),
        ((" ",), "it is empty"),
        (("\u200b",), "gist"),
        (("g", "--note", "n" * 100_000), "note"),
    ],
)
def test_what_no_lesson_can_be_is_refused_in_a_sentence_for_a_person(kg, server, arguments, said) -> None:
    server.put("one", "1")

    code, out, err = kg("add", *arguments, "--cwd", "/")

    assert (code != 0, out, said in err, "kg_" in err) == (True, "", True, False), err
    assert set(server.graph("user").nodes) == {"one"}


def test_secrets_are_not_kept_and_the_person_is_told(kg, server) -> None:
    token = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7xY9zA1bC3dE5"

    code, out, _ = kg("add", f"The token is {token}", "--note", token)

    assert (code, "looks like a secret" in out) == (0, True)
    assert token not in kg("export")[1]


def test_one_that_was_deleted_comes_back_with_new_words(kg, server) -> None:
    server.put("gone", "old")
    kg("delete", "gone")

    code, out, _ = kg("add", "new", "--id", "gone", "--cwd", "/")

    assert (code, "A node of this id had been deleted" in out) == (0, True)
    assert server.graph("user").nodes["gone"].gist == "new"


def test_what_could_be_better_is_said_with_the_commands_of_a_person(kg, server) -> None:
    out = kg("add", "The release went out", "--id", "release-2026-10-01")[1]

    assert ("the id carries a date" in out, "`kg rename`" in out, "kg_" in out) == (True, True, False)


def test_a_lesson_that_a_person_locked_keeps_its_id(kg, server) -> None:
    server.commit(nodes={"kept": Node(id="kept", gist="k", locked=True, written=Written(at=1, by="s", author="s"))})

    assert kg("add", "another", "--id", "kept", "--cwd", "/")[0] == 1
    assert server.graph("user").nodes["kept"].gist == "k"
