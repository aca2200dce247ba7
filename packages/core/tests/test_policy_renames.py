"""The names that a file has at other times, from what git lists."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.policy import Renames, renames_of
from kg_core.policy.renames import Rename


def test_gits_listing_is_read_with_any_name() -> None:
    listing = "R100\0a b.py\0c\nd.py\0R087\0R100\0部署.md\0\n\0M\0x.py\0"

    assert renames_of(listing) == (Rename("a b.py", "c\nd.py"), Rename("R100", "部署.md"))
    assert renames_of("") == renames_of("R100") == renames_of("R100\0only-one") == ()


def test_a_file_is_followed_over_all_its_names_in_both_directions() -> None:
    renames = Renames([Rename("b", "c"), Rename("x", "y"), Rename("a", "b")])

    assert renames.names("c") == ("b", "a")
    assert renames.names("a") == ("b", "c")
    assert renames.names("b") == ("a", "c")
    assert renames.names("y") == ("x",)
    assert renames.names("z") == ()
    assert len(renames) == 3


def test_two_files_that_had_one_name_in_turn_are_kept_apart() -> None:
    # The first "a" became "old"; later another "a" was made and became "new".
    renames = Renames([Rename("a", "new"), Rename("a", "old")])

    assert renames.names("new") == ("a",)
    assert renames.names("old") == ("a",)

    # "b" became "a" only after the first "a" had become "c".
    renames = Renames([Rename("b", "a"), Rename("a", "c")])

    assert renames.names("c") == ("a",)
    assert "b" not in renames.names("c")
    assert renames.names("b") == ("a",)


def test_a_name_that_was_given_twice_is_followed_to_what_came_next() -> None:
    renames = Renames([Rename("b", "second"), Rename("x", "b"), Rename("b", "first"), Rename("a", "b")])

    assert renames.names("a") == ("b", "first")


def test_files_that_changed_names_in_a_circle_are_followed_to_an_end() -> None:
    renames = Renames([Rename("b", "a"), Rename("a", "b")] * 50)

    assert set(renames.names("a")) == {"b"}


names = st.sampled_from("abcde")


@settings(deadline=None)
@given(chain=st.lists(st.builds(Rename, names, names), max_size=12), path=names)
def test_a_name_is_another_one_that_some_rename_gave(chain: list[Rename], path: str) -> None:
    found = Renames(chain).names(path)

    assert path not in found
    assert len(found) == len(set(found))
    assert set(found) <= {name for rename in chain for name in rename}
