"""``kg map``: what is shown, the exit codes, and the map that it begins."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from kg_core.store import Places
from kg_core.store.maptext import MapSource, parse_map


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "shop"
    for path in ("src/auth/a.py", "src/cart/b.py"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("x\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    return folder


def test_show_asks_for_the_map_a_file_or_a_component(kg, served, tmp_path) -> None:
    cwd = ("--cwd", str(tmp_path))
    assert kg("map", "show", *cwd) == (0, f"map of {tmp_path}\n", "")
    assert kg("map", "show", "src/a.py", *cwd) == (0, f"map of {tmp_path} {tmp_path}/src/a.py\n", "")
    assert json.loads(kg("map", "show", "--component", "auth", "--json", *cwd)[1]) == {
        "text": f"map of {tmp_path} auth"
    }


def test_check_exits_1_where_a_rule_reaches_nobody(kg, served, tmp_path) -> None:
    assert kg("map", "check", "--cwd", str(tmp_path)) == (0, f"checked {tmp_path}\n", "")
    (tmp_path / "broken").mkdir()
    code, out, _ = kg("map", "check", "--json", "--cwd", str(tmp_path / "broken"))
    assert (code, json.loads(out)["ok"]) == (1, False)
    assert kg("map", "check", "--cwd", str(tmp_path / "broken")) == (1, f"checked {tmp_path / 'broken'}\n", "")


def test_a_problem_that_the_text_names_is_told_once(kg, served, monkeypatch) -> None:
    async def found(*_: object) -> dict[str, object]:
        return {"text": "PROBLEM: It is torn.", "problem": "It is torn.", "ok": False}

    monkeypatch.setattr(served.memory, "check_map", found)

    assert kg("map", "check") == (1, "PROBLEM: It is torn.\n", "")


def test_a_map_that_is_torn_from_its_beginning_shows_its_problem_alone(kg, served, monkeypatch) -> None:
    async def found(*_: object) -> dict[str, object]:
        return {"text": "", "problem": "It is torn."}

    monkeypatch.setattr(served.memory, "show_map", found)

    assert kg("map", "show") == (0, "", "Note: It is torn.\n")


def test_the_name_of_a_folder_makes_no_second_line_of_a_problem(kg, served, monkeypatch) -> None:
    async def found(*_: object) -> dict[str, object]:
        return {"text": "", "problem": "/a\nall of it reaches somebody/map.toml is torn."}

    monkeypatch.setattr(served.memory, "show_map", found)

    assert kg("map", "show") == (0, "", "Note: /a all of it reaches somebody/map.toml is torn.\n")


def test_both_say_so_without_a_server(kg) -> None:
    for name in ("show", "check"):
        assert kg("map", name) == (3, "", "Error: The server is not running. Start it with `kg start`.\n")


def test_init_begins_a_map_without_rules_and_never_changes_one(kg, repository) -> None:
    file = repository / ".kg" / "map.toml"
    code, dry, _ = kg("map", "init", "--dry-run", "--cwd", str(repository / "src"))
    assert (code, file.exists()) == (0, False)

    code, out, _ = kg("map", "init", "--cwd", str(repository / "src"))

    assert (code, out) == (
        0,
        f"{file} has 2 components and no rules. Write down the rules, then `kg map check`.\n",
    )
    text = file.read_text(encoding="utf-8")
    assert text == dry
    project_map = parse_map([MapSource("map.toml", text)])
    assert [component.slug for component in project_map.components] == ["auth", "cart"]
    assert project_map.rules == ()
    file.write_text("# mine\n", encoding="utf-8")
    code, out, err = kg("map", "init", "--cwd", str(repository))
    assert (code, out, err) == (1, "", f"Error: {file} is there already, and nothing was changed.\n")
    assert kg("map", "init", "--dry-run", "--cwd", str(repository))[0] == 1
    assert file.read_text(encoding="utf-8") == "# mine\n"


def test_init_names_the_file_that_stands_where_its_folder_would_be(kg, repository) -> None:
    (repository / ".kg").write_text("mine", encoding="utf-8")
    code, out, err = kg("map", "init", "--cwd", str(repository))
    assert (code, out, err) == (1, "", f"Error: {repository / '.kg'} is there already, and nothing was changed.\n")


def test_the_example_rule_of_a_new_map_can_be_used_as_it_stands(kg, repository) -> None:
    dry = json.loads(kg("map", "init", "--dry-run", "--json", "--cwd", str(repository))[1])
    assert (dry["written"], dry["components"]) == (False, 2)
    example = dry["text"].partition("# [[constraint]]")
    lines = [line.removeprefix("# ") for line in (example[1] + example[2]).splitlines()]
    (rule,) = parse_map([MapSource("map.toml", example[0] + "\n".join(lines))]).rules
    assert (rule.component, rule.title) == ("auth", "A few words")


def test_init_needs_a_code_base(kg, home) -> None:
    for folder in (Path.home(), Path("/"), home.root):
        code, _, err = kg("map", "init", "--cwd", str(folder))
        assert (code, "belongs to no code base" in err) == (2, True)


def test_init_writes_no_empty_map_where_there_is_no_repository(kg, tmp_path, monkeypatch) -> None:
    nothing_is_temporary = Places(Path("/home/nobody"), ())
    monkeypatch.setattr(Places, "from_environ", classmethod(lambda *_: nothing_is_temporary))
    aside = tmp_path.resolve() / "notes"
    aside.mkdir()

    code, out, err = kg("map", "init", "--cwd", str(aside))

    assert (code, out) == (2, "")
    assert f"{aside} is in no git repository, and nothing in it would become a component" in err
    assert list(aside.iterdir()) == []


def test_init_says_when_nothing_of_a_repository_became_a_component(kg, tmp_path) -> None:
    folder = tmp_path.resolve() / "new"
    subprocess.run(["git", "init", "--quiet", folder], check=True)

    code, out, _ = kg("map", "init", "--cwd", str(folder))

    assert code == 0
    assert "has no components, as nothing here became one, and no rules. Write down both" in out


@pytest.mark.parametrize("arguments", [(), ("--dry-run",)])
def test_init_follows_no_link_out_of_the_repository(kg, repository, tmp_path, arguments) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (repository / ".kg").symlink_to(elsewhere)

    code, out, err = kg("map", "init", *arguments, "--cwd", str(repository))

    assert (code, out) == (2, "")
    assert f"{repository / '.kg'} is a symbolic link" in err
    assert list(elsewhere.iterdir()) == []


def test_init_reads_no_file_outside_of_the_repository(kg, repository, tmp_path) -> None:
    owners = tmp_path / "CODEOWNERS"
    owners.write_text("/src/auth/ @nobody-of-this-team\n", encoding="utf-8")
    (repository / "CODEOWNERS").symlink_to(owners)
    assert "@nobody-of-this-team" not in kg("map", "init", "--dry-run", "--cwd", str(repository))[1]

    (repository / "CODEOWNERS").unlink()
    (repository / "docs").mkdir(exist_ok=True)
    owners.rename(repository / "docs" / "owners")
    (repository / "CODEOWNERS").symlink_to("docs/owners")
    assert "@nobody-of-this-team" in kg("map", "init", "--dry-run", "--cwd", str(repository))[1]


@pytest.mark.skipif(os.name == "nt", reason="names there are text")
def test_a_folder_whose_name_is_not_utf_8_has_a_map_like_any_other(kg, served, tmp_path) -> None:
    cwd = os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")
    for name in (b"src/auth/a.py", b"src/cart/b.py", b"src/\xe9t\xe9/c.py"):
        file = Path(cwd, os.fsdecode(name))
        file.parent.mkdir(parents=True)
        file.write_text("x\n", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet"], cwd=cwd, check=True)

    assert json.loads(kg("map", "check", "--json", "--cwd", cwd)[1])["text"] == f"checked {cwd}"
    assert kg("map", "init", "--cwd", cwd)[0] == 0
    text = Path(cwd, ".kg", "map.toml").read_text(encoding="utf-8")
    assert [each.slug for each in parse_map([MapSource("map.toml", text)]).components] == ["auth", "cart"]
