"""Settings from config.toml, and the folder that holds everything."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kg_core.store import Home, Settings
from kg_plugin_api import Code, KgError


@pytest.fixture
def home(tmp_path):
    return Home(tmp_path)


def test_without_a_file_there_are_the_defaults(home):
    assert Settings.load(home) == Settings()
    assert Settings().server.port == 7419


def test_what_a_person_wrote_counts_byte_order_mark_or_not(home):
    for encoding in ("utf-8", "utf-8-sig"):
        home.config.write_text("[server]\nport = 8000\n[projects]\nmatch_remotes = true\n", encoding=encoding)
        settings = Settings.load(home)
        assert settings.server.port == 8000
        assert settings.projects.match_remotes


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[server]\nprot = 1\n", "server.prot"),
        ("[sever]\nport = 1\n", "sever"),
        ("[server]\nport = 'x'\n", "server.port"),
        ("[server]\nport = 70000\n", "server.port"),
        ("[memory]\nage_orphans_days = -1\n", "memory.age_orphans_days"),
        ("[memory]\nage_orphans_days = true\n", "memory.age_orphans_days"),
        ('[projects]\noff = ["shop"]\n', "'shop' is no absolute folder"),
        ('[projects]\noff = ["~someone/shop"]\n', "'~someone/shop' is no absolute folder"),
        ("[projects]\noff = 'shop'\n", "projects.off"),
        ("[server\n", "TOML"),
        pytest.param(f"[server]\nport = {'9' * 5_000}\n", "TOML", id="endless number"),
        pytest.param(f"a = {'[' * 3_000}{']' * 3_000}\n", "TOML", id="endless nesting"),
    ],
)
def test_a_mistake_is_an_error_that_names_the_file_and_the_key(home, text, named):
    home.config.write_text(text, encoding="utf-8")
    with pytest.raises(KgError) as caught:
        Settings.load(home)
    assert caught.value.code is Code.INVALID
    assert str(home.config) in caught.value.sentence
    assert named in caught.value.sentence


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[projects]\noff = "~/shop"\n', 'projects.off: it must be a list, such as ["a", "b"].'),
        ("[plugins]\ndisabled = [1]\n", "plugins.disabled.0: it must be a text in quotes."),
        ('[rules]\nhold = "yes"\n', "rules.hold: it must be true or false."),
        ("[search]\noptions = 1\n", "search.options: it must be a table."),
        ("server = 1\n", "server: it must be a table, whose keys stand below its name in [ ]."),
    ],
)
def test_what_a_value_must_be_is_said_in_the_words_of_the_file(home, text, said):
    home.config.write_text(text, encoding="utf-8")
    with pytest.raises(KgError) as caught:
        Settings.load(home)
    assert caught.value.sentence == f"{home.config}: {said}"


@pytest.mark.parametrize("number", ["1e9", "-1", "40000", "'x'", "true"])
def test_whatever_is_wrong_with_a_number_its_bounds_are_said(home, number):
    home.config.write_text(f"[memory]\nage_orphans_days = {number}\n", encoding="utf-8")
    with pytest.raises(KgError) as caught:
        Settings.load(home)
    assert caught.value.sentence.endswith("(a whole number from 0 to 36500).")


def test_a_pipe_in_place_of_the_file_is_an_error_that_names_it_and_keeps_nobody_waiting(home):
    os.mkfifo(home.config)
    with pytest.raises(KgError) as caught:
        Settings.load(home)
    assert caught.value.sentence == f"{home.config} cannot be read (it is not a regular file)."


@pytest.mark.parametrize(
    ("text", "meant"),
    [("[sever]\nport = 1\n", "'server'"), ("[git]\ncommit_minuts = 1\n", "'git.commit_minutes'"), ("[zzz]\n", "")],
)
def test_a_misspelt_setting_is_told_with_the_one_it_resembles(home, text, meant):
    home.config.write_text(text, encoding="utf-8")

    with pytest.raises(KgError) as failure:
        Settings.load(home)

    assert f"(did you mean {meant}?)" in failure.value.sentence or not meant
    assert ("did you mean" in failure.value.sentence) is bool(meant)


def test_settings_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Settings().server.port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"HOME": "/h"}, "/h/.kg"),
        ({"HOME": "/h", "KG_HOME": ""}, "/h/.kg"),
        ({"HOME": "/h", "KG_HOME": "/data/kg"}, "/data/kg"),
        ({"HOME": "/h", "KG_HOME": "memory"}, "/cwd/memory"),
    ],
)
def test_the_home_is_where_the_variable_says(environ, root):
    assert Home.from_environ(environ, Path("/cwd")).root == Path(root)


def test_variables_that_look_like_ours_and_mean_nothing_are_named():
    home = Home.from_environ({"KG_HOEM": "x", "KG_HOME": "/x", "KGX": "y"}, Path("/"))
    assert home.unknown == ("KG_HOEM",)
    assert home == Home(Path("/x"))
