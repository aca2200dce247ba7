"""Which lessons touch a file: how pointers are read, what they meet, and how the index follows its graph."""

from __future__ import annotations

import posixpath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.model import Graph, Node
from kg_core.policy import How, TouchIndex
from kg_core.policy.pointers import readings

HOME = "/home/user"
ROOT = f"{HOME}/shop"


def graph(touches: dict[str, tuple[str, ...]], key: str = "project:shop") -> Graph:
    return Graph.build(key, nodes={name: Node(id=name, gist=name, touches=own) for name, own in touches.items()})


def index(*touches: str, key: str = "project:shop", folds_case: bool = False) -> TouchIndex:
    """Each pointer is that of a node of the same name."""
    made = TouchIndex(home=HOME, folds_case=folds_case)
    made.update(graph({touch: (touch,) for touch in touches}, key))
    return made


def met(*touches: str, path: str, **options: object) -> list[tuple[str, How]]:
    spellings = (path,) if path.startswith("/") else (path, f"{ROOT}/{path}")
    return [(match.id, match.how) for match in index(*touches, **options).match(spellings)]


@pytest.mark.parametrize(
    "touch",
    [
        "src/auth/token.py",
        "./src/auth/token.py",
        "src//auth/./token.py",
        "src/auth/../auth/token.py",
        "`src/auth/token.py`",
        " src/auth/token.py ",
        "src/auth/token.py:12",
        "src/auth/token.py:12-40",
        "src/auth/token.py:12:5",
        "src/auth/token.py:12-40 (refresh)",
        "src/auth/token.py (refresh() and its twin)",
        "src/auth/token.py#L12-L40",
        "src/auth/token.py#refresh",
        "src/auth/token.py lines 12-40",
        "src/auth/token.py:TokenStore.refresh",
        "src/auth/token.py::TokenStore::refresh",
        "src\\auth\\token.py",
        f"{ROOT}/src/auth/token.py:12",
        "~/shop/src/auth/token.py",
    ],
)
def test_a_pointer_is_understood_however_it_is_written(touch: str) -> None:
    assert met(touch, path="src/auth/token.py") == [(touch, How.EXACT)]


@pytest.mark.parametrize(
    ("touch", "path"),
    [
        ("my notes/read me.txt", "my notes/read me.txt"),
        ("my notes/read me.txt:3 (the end)", "my notes/read me.txt"),
        ("app/[id]/page.tsx", "app/[id]/page.tsx"),
        ("notes (old).md", "notes (old).md"),
        ("what?.md", "what?.md"),
        ("src/C#/main.cs", "src/C#/main.cs"),
        ("部署/方案.md:7", "部署/方案.md"),
        ("cafe\u0301.md", "caf\u00e9.md"),
        ("a:b/c.txt", "a:b/c.txt"),
    ],
)
def test_names_that_look_like_something_else_are_names(touch: str, path: str) -> None:
    assert met(touch, path=path) == [(touch, How.EXACT)]


@pytest.mark.parametrize(
    "touch", ["", " ", ".", "./", "/", "~", "~/", "..", "../other", "https://example.org/a.py", "*", "**", "**/*", "?"]
)
def test_what_says_nothing_of_a_file_points_nowhere(touch: str) -> None:
    assert readings(touch, HOME) == ()


@pytest.mark.parametrize(
    ("touch", "path"),
    [
        ("src/*.py", "src/token.py"),
        ("src/**/*.py", "src/token.py"),
        ("src/**/*.py", "src/auth/deep/token.py"),
        ("src/**", "src/auth/token.py"),
        ("**/token.py", "src/auth/token.py"),
        ("*.sql", "db/migrations/1.sql"),
        ("*.sql", "1.sql"),
        ("src/{auth,pay}/*.py", "src/pay/card.py"),
        ("packages/*/tests/", "packages/core/tests/deep/test_a.py"),
        ("src/t?ken.py", "src/token.py"),
        ("src/**.py", "src/token.py"),
        (f"{ROOT}/src/*.py", "src/token.py"),
        ("~/shop/src/*.py", "src/token.py"),
    ],
)
def test_a_pattern_meets_what_it_means(touch: str, path: str) -> None:
    assert met(touch, path=path) == [(touch, How.GLOB)]


@pytest.mark.parametrize(
    ("touch", "path"),
    [
        ("src/*.py", "src/auth/token.py"),
        ("src/*.py", "src/token.pyi"),
        ("src/*.py", "lib/src/token.py"),
        ("src/{auth,pay}/*.py", "src/ship/box.py"),
        ("*.sql", "db/1.sqlite"),
        ("{a,../b}/x.py", "b/x.py"),
    ],
)
def test_a_pattern_meets_nothing_else(touch: str, path: str) -> None:
    assert met(touch, path=path) == []


def test_a_pattern_of_many_wildcards_or_alternatives_is_answered_like_any_other() -> None:
    assert met("*a" * 200 + "/b", path="a" * 4_000) == []
    assert met("{a,b}" * 90, path="a" * 90) == [("{a,b}" * 90, How.GLOB)]


def test_of_the_folders_that_lessons_point_at_the_nearest_counts() -> None:
    assert met("src", "src/auth", "src/auth/deep", path="src/auth/token.py") == [("src/auth", How.DIRECTORY)]
    assert met("src/", f"{ROOT}/src/auth/", path="src/auth/token.py") == [(f"{ROOT}/src/auth/", How.DIRECTORY)]
    assert met("sr", "src/au", path="src/auth/token.py") == []


def test_a_nearer_folder_that_does_not_count_hides_no_other() -> None:
    found = index("src", "src/auth").match("src/auth/token.py", admits=lambda node_id: node_id != "src/auth")

    assert [match.id for match in found] == ["src"]


def test_the_best_way_to_meet_comes_first_and_a_node_comes_once() -> None:
    made = TouchIndex()
    made.update(
        graph(
            {
                "folder": ("src/auth",),
                "loose": ("**/*.py",),
                "tight": ("src/auth/*.py",),
                "exact": ("src/auth", "*.py", "src/auth/token.py:7"),
            }
        )
    )

    assert [(match.id, match.how) for match in made.match("src/auth/token.py")] == [
        ("exact", How.EXACT),
        ("tight", How.GLOB),
        ("loose", How.GLOB),
        ("folder", How.DIRECTORY),
    ]


@pytest.mark.parametrize(
    "touch", ["token.py", "auth/token.py", "lib/src/auth/token.py", "src/auth/token.p", "src/auth/token.py/x", "/src"]
)
def test_a_name_alone_never_meets_the_file_of_another_folder(touch: str) -> None:
    assert met(touch, path="src/auth/token.py") == []


def test_a_relative_pointer_of_a_project_means_nothing_outside_of_it() -> None:
    touches = ("src/a.py", "src", "*.py", "**/a.py", "src/*.py")

    assert met(*touches, path="/home/user/other/src/a.py") == []
    assert len(met(*touches, path="src/a.py")) == len(touches)


def test_a_relative_pointer_of_the_user_means_something_only_as_a_pattern_for_any_folder() -> None:
    touches = ("src/a.py", "src", "src/*.py", "*.py", "**/src/a.py", "~/shop/src/a.py")

    assert met(*touches, path="src/a.py", key="user") == [
        ("~/shop/src/a.py", How.EXACT),
        ("*.py", How.GLOB),
        ("**/src/a.py", How.GLOB),
    ]


def test_case_counts_unless_the_disk_says_otherwise() -> None:
    assert met("src/Token.py", "SRC/*.py", path="src/token.py") == []
    found = met("src/Token.py", "SRC/*.py", path="src/token.py", folds_case=True)
    assert found == [("src/Token.py", How.EXACT), ("SRC/*.py", How.GLOB)]


def test_what_meets_a_file_under_another_of_its_names_comes_behind_what_meets_its_own_in_the_same_way() -> None:
    made = index("src/old.py", "src/new.py", "src/n*.py", "src/o*.py", "src")

    found = made.match("src/new.py", former=("src/old.py",))

    assert [(match.id, match.how) for match in found] == [
        ("src/new.py", How.EXACT),
        ("src/old.py", How.RENAMED),
        ("src/n*.py", How.GLOB),
        ("src/o*.py", How.RENAMED),
        ("src", How.DIRECTORY),
    ]
    assert "src/old.py" not in [match.id for match in made.match("src/new.py")]


names = st.text(st.characters(codec="utf-8", exclude_characters="/\0", exclude_categories=("Cs",)), min_size=1)
paths = st.lists(names, min_size=1, max_size=4).map("/".join)


@settings(deadline=None)
@given(path=paths)
def test_every_file_is_met_by_its_own_path_if_anything_can_be_said_of_it(path: str) -> None:
    made = index(path)

    is_plain = path == path.strip().strip("`").strip() and posixpath.normpath(path) == path
    if is_plain and readings(path, HOME):
        assert path in [match.id for match in made.match(path)]


@settings(deadline=None)
@given(path=paths, touch=paths)
def test_nothing_is_ever_raised_and_what_is_met_was_asked_for(path: str, touch: str) -> None:
    for match in index(touch).match(path):
        assert match.id == match.touch == touch


small = st.sampled_from(["src/a.py", "src/a.py:3", "src", "*.py", "src/*.py", "b.py", "~/x", "https://x.y"])
states = st.dictionaries(st.sampled_from("abc"), st.lists(small, max_size=3).map(tuple), max_size=3)


@settings(deadline=None)
@given(before=states, after=states)
def test_an_index_that_followed_its_graph_is_one_that_was_built_from_it(
    before: dict[str, tuple[str, ...]], after: dict[str, tuple[str, ...]]
) -> None:
    followed, built = TouchIndex(home=HOME), TouchIndex(home=HOME)
    followed.update(graph(before))
    followed.update(graph(after), {*before, *after})
    built.update(graph(after))

    for path in ("src/a.py", "b.py", "src/deep/a.py", "/home/user/x"):
        assert followed.match(path) == built.match(path)
    assert len(followed) == len(built)
    followed.update(graph({}))
    assert (len(followed), followed._places, followed._groups) == (0, {}, {})
