from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys

import pytest

from kg_core.store import Home
from kg_plugin_api import Argument, Code, KgError, Operation
from kg_server.carrier.run import options
from kg_server.carrier.version import VERSION
from kg_server.carrier.wire import endpoint
from kg_server.cli import operations
from kg_server.cli.group import COMMANDS, SECTIONS, root
from kg_server.errors import ANSWERS


def test_every_command_is_there_and_explains_itself(kg) -> None:
    for name in COMMANDS:
        command = root.get_command(None, name)
        assert command is not None
        assert command.name == name
        assert command.help
        assert kg(name, "--help")[0] == 0


def test_help_lists_the_commands_by_what_they_are_about_in_columns_of_one_width(kg) -> None:
    lines = kg("--help")[1].splitlines()
    places = [
        line.index(text[:20]) for name, text in COMMANDS.items() for line in lines if line.startswith(f"  {name} ")
    ]

    assert [line.rstrip(":") for line in lines if line.rstrip(":") in SECTIONS] == list(SECTIONS)
    assert len(places) == len(COMMANDS)
    assert len(set(places)) == 1


def test_help_lists_the_commands_without_importing_them() -> None:
    program = (
        "import sys; from kg_server.cli.group import run_command; run_command(['--help']); "
        "sys.stderr.write(' '.join(m for m in sys.modules if m.startswith(('kg_server.cli.', 'kg_core', 'starlette'))))"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True)

    assert "uninstall" in done.stdout
    assert set(done.stderr.split()) == {"kg_server.cli.group", "kg_server.cli.output", "kg_server.cli.terminal"}


@pytest.mark.parametrize("arguments", [["show"], ["search", "x"]], ids=lambda arguments: arguments[0])
def test_a_command_that_asks_the_server_loads_nothing_of_the_memory_itself(home, arguments: list[str]) -> None:
    program = (
        "import sys; from kg_server.cli.group import run_command; run_command(sys.argv[1:]); "
        "print([name for name in ('kg_core.store', 'kg_core.policy', 'pydantic') if name in sys.modules])"
    )

    command = [sys.executable, "-c", program, *arguments, "--home", str(home.root)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)

    assert "The server is not running." in done.stderr
    assert done.stdout == "[]\n"


def test_version_needs_nothing_but_itself(kg) -> None:
    assert kg("version") == kg("--version") == (0, f"kg {VERSION}\n", "")


def test_without_arguments_the_help_is_shown(kg) -> None:
    code, out, _ = kg()

    assert code == 0
    assert "The server:" in out


@pytest.mark.parametrize("arguments", [["no-such-command"], ["start", "--nonsense"], ["search"]])
def test_a_wrong_command_line_exits_2_with_a_sentence(kg, arguments: list[str]) -> None:
    code, out, err = kg(*arguments)

    assert (code, out) == (2, "")
    assert "Error: " in err


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["map", "show", "--component", ""], "--component"),
        (["map", "show", ""], "[PATH]"),
        (["show", "--home", " "], "--home"),
        (["show", "--cwd", ""], "--cwd"),
        (["search", "word", "--observer", ""], "--observer"),
        (["search", "word", "--observed", ""], "--observed"),
        (["why-recall", "--session", ""], "--session"),
        (["preview", "--harness", ""], "--harness"),
        (["setup", "--search", ""], "--search"),
        (["restore", "a.tar.gz", "--project", ""], "--project"),
        (["restore", ""], "FILE"),
        (["backup", ""], "[FILE]"),
        (["import", ""], "SOURCE"),
    ],
)
def test_what_is_named_by_nothing_means_neither_everything_nor_this_folder(kg, served, arguments, named) -> None:
    code, out, err = kg(*arguments)

    assert (code, out) == (2, "")
    assert f"Error: Invalid value for '{named}': it is empty. Leave it out, or say what is meant." in err


def test_an_option_before_its_command_is_told_where_it_belongs(kg) -> None:
    assert "`--home` belongs behind the command" in kg("--home", "x", "show")[2]
    assert "belongs behind" not in kg("--halp", "show")[2]


def test_a_misspelt_command_is_told_with_the_one_it_resembles(kg) -> None:
    assert "Did you mean `kg start`?" in kg("strat")[2]
    assert "Did you mean `kg map check`?" in kg("map", "chek")[2]
    assert "Did you mean" not in kg("qqq")[2]
    assert "`kg plugins` lists" in kg("qqq")[2]


@pytest.mark.parametrize(
    "arguments",
    [["show"], ["search", "x"], ["why", "x"], ["why-recall"], ["preview"]],
    ids=lambda arguments: arguments[0],
)
def test_what_needs_the_server_says_so_without_one(kg, arguments: list[str]) -> None:
    assert kg(*arguments) == (3, "", "Error: The server is not running. Start it with `kg start`.\n")


def test_what_it_says_to_run_means_the_memory_that_was_asked_for(kg, tmp_path) -> None:
    elsewhere = str(tmp_path / "of my own")

    assert f"`kg start`. Add --home '{elsewhere}' to it." in kg("show", "--home", elsewhere)[2]
    assert f"`kg start --home '{elsewhere}'`" in kg("status", "--home", elsewhere)[1]
    assert f"`kg setup --home '{elsewhere}'`" in kg("doctor", "--home", elsewhere)[1]


def test_status_exits_3_when_nothing_runs_and_0_when_it_does(kg, served_later) -> None:
    code, out, _ = kg("status")
    assert code == 3
    assert "kg start" in out
    assert json.loads(kg("status", "--json")[1])["running"] is False

    served_later()

    assert kg("status")[0] == 0
    told = json.loads(kg("status", "--json")[1])
    assert told["running"] is True
    assert told["health"]["version"] == VERSION


def test_another_memory_can_be_named(kg, served, tmp_path) -> None:
    assert kg("status")[0] == 0
    assert kg("status", "--home", str(tmp_path / "other"))[0] == 3


def test_a_misspelt_variable_is_named_once_by_every_command_and_others_are_let_be(kg, served, monkeypatch) -> None:
    monkeypatch.setenv("KG_HME", "/elsewhere")
    monkeypatch.setenv("KG_DATABASE_URL", "of another program")
    line = "Note: kg does not know the variable KG_HME; did you mean KG_HOME?\n"

    assert kg("search", "x") == (0, "found x\n", line)
    assert kg("status", "--json")[2] == line
    assert kg("version")[2] == ""
    assert kg("status", "--home", "/nowhere")[2] == ""


def test_search_takes_any_words_and_says_when_nothing_matches(kg, served) -> None:
    assert kg("search", "été", "AND", "(") == (0, "found été AND (\n", "")
    assert json.loads(kg("search", "--json", "x")[1]) == {"text": "found x"}


def test_a_lesson_that_is_not_there_is_an_error_like_any_other(kg, served, monkeypatch) -> None:
    async def some(*_: object) -> dict[str, object]:
        return {"text": "found", "missing": ["There is no lesson 'x' here.", "There is no lesson 'y' here."]}

    monkeypatch.setattr(served.memory, "show", some)

    code, out, err = kg("show", "a", "x", "y")

    assert (code, out) == (1, "found\n")
    assert err == "Error: There is no lesson 'x' here.\nError: There is no lesson 'y' here.\n"
    code, out, err = kg("show", "a", "x", "y", "--json")
    assert (code, err, len(json.loads(out)["missing"])) == (1, "", 2)


def test_a_search_without_a_match_is_a_success_with_a_sentence_of_its_own(kg, served, monkeypatch) -> None:
    async def nothing(*_: object, **__: object) -> dict[str, object]:
        return {"text": "", "nodes": []}

    monkeypatch.setattr(served.memory, "search", nothing)
    assert kg("search", "zebra") == (0, "Nothing in this memory matches.\n", "")
    assert json.loads(kg("search", "zebra", "--json")[1])["nodes"] == []


def test_why_takes_an_id_and_perhaps_its_level(kg, served, tmp_path) -> None:
    cwd = ("--cwd", str(tmp_path))
    assert kg("why", "cache-key", *cwd) == (0, f"cache-key of {tmp_path} is active\n", "")
    told = json.loads(kg("why", "cache-key", "--level", "user", "--json", *cwd)[1])
    assert told == {"text": f"cache-key of {tmp_path} is user"}
    assert kg("why", "cache-key", "--level", "maintain")[0] == 2


def test_why_recall_asks_for_this_folder_or_for_a_session(kg, served, tmp_path) -> None:
    cwd = ("--cwd", str(tmp_path))
    assert kg("why-recall", *cwd) == (0, f"1 of {tmp_path}\n", "")
    assert json.loads(kg("why-recall", "--session", "s-1", "-n", "3", "--json", *cwd)[1])["text"] == "3 of s-1"
    assert kg("why-recall", "-n", "0")[0] == 2
    assert kg("why-recall", "--session", "nobody") == (1, "", "Error: 1 of nobody\n")
    code, out, err = kg("why-recall", "--session", "nobody", "--json")
    assert (code, json.loads(out)["decisions"], err) == (1, [], "")


def test_preview_shows_the_text_and_its_measure(kg, served, tmp_path) -> None:
    code, out, err = kg("preview", "--harness", "plain", "--cwd", str(tmp_path))

    assert code == 0
    assert out == f"Preload for plain in {tmp_path}\n"
    assert err == f"\n{len(out) - 1} of at most 9,500 characters, counted as UTF-16 units.\n"


def test_a_folder_that_is_not_there_is_pointed_out(kg, served, tmp_path) -> None:
    missing = tmp_path / "missing"

    code, _, err = kg("search", "x", "--cwd", str(missing))

    assert (code, err) == (0, f"Note: there is no folder {missing}.\n")


def test_a_folder_that_was_deleted_counts_as_what_it_was(kg, served, tmp_path, monkeypatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setenv("PWD", str(gone))
    gone.rmdir()

    assert kg("status")[0] == 0
    assert kg("show")[1] == f"{gone}\n"
    assert kg("show", "--cwd", "below")[1] == f"{gone / 'below'}\n"
    monkeypatch.delenv("PWD")
    assert kg("status")[0] == 0


def test_words_that_utf_8_cannot_hold_are_searched_for_all_the_same(kg, served) -> None:
    code, out, err = kg("search", "a\udcffb")

    assert (code, out, err) == (0, "found a?b\n", "")


@pytest.mark.parametrize(
    ("arguments", "named", "length"),
    [
        (["search", "w" * 70_000], "query", 70_006),
        (["search", "ы" * 12_000], "query", 72_006),
        (["show", *["lesson"] * 9_000], "id", 89_999),
        (["why", "\x01" * 60_000], "id", 180_003),
        (["why-recall", "--session", "w" * 200_000], "session", 200_008),
        (["preview", "--harness", "w" * 70_000], "harness", 70_008),
        (["map", "show", "--component", "w" * 70_000], "component", 70_010),
        (["search", "word", "--observer", "w" * 70_000], "observer", 70_009),
    ],
)
def test_what_no_request_can_carry_is_told_with_what_is_too_long(kg, served, arguments, named, length) -> None:
    code, out, err = kg(*arguments)

    assert (code, out) == (2, "")
    assert err == (
        f"Error: Encoded for the server, `{named}` takes {length:,} bytes, and a request may have 61,440 in all. "
        "Shorten it, or ask for less at a time.\n"
    )


def test_of_what_a_body_cannot_carry_its_size_is_told(kg, served) -> None:
    code, out, err = kg("delete", "w" * (4 << 20), "--cwd", "/")

    assert (code, out) == (2, "")
    assert err.startswith("Error: This takes 4,194,342 bytes, and a request may have 4,194,304 in all. Shorten it, ")


@pytest.mark.parametrize("name", ["w" * 61_000, "\r\nX-Evil: 1\r\n\r\n", "\udced\udca0\udc80", "%0d%0a", "#?&=+ "])
def test_an_odd_name_that_a_request_can_carry_arrives_as_it_was_given(kg, served, monkeypatch, name) -> None:
    asked = []

    async def why(_cwd: str, node_id: str, _level: str) -> dict[str, object]:
        asked.append(node_id)
        return {"text": "known"}

    monkeypatch.setattr(served.memory, "why", why)

    assert kg("why", name, "--cwd", "/") == (0, "known\n", "")
    assert asked == [name]


@pytest.mark.parametrize("arguments", [["logs"], ["commit"], ["doctor"], ["map", "init"], ["plugins"]])
def test_a_folder_that_cannot_be_looked_at_is_named_in_a_sentence(kg, arguments: list[str]) -> None:
    folder = "/" + "d" * 300
    where = ["--cwd", folder] if arguments[0] == "map" else ["--home", folder]

    code, _, err = kg(*arguments, *where)

    assert code == 3
    assert f"Error: {folder}" in err
    assert "(File name too long)" in err
    assert "report" not in err


@pytest.mark.parametrize(
    "failure",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EFBIG, "File too large"),
        OSError(errno.EROFS, "Read-only file system"),
        FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']"),
    ],
    ids=str,
)
def test_a_disk_that_takes_nothing_is_no_bug(kg, monkeypatch, failure: OSError) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", fail)

    assert kg("status") == (3, "", f"Error: A file that this needs cannot be used ({failure.strerror}).\n")


def test_plugins_are_listed(kg) -> None:
    code, out, _ = kg("plugins")
    told = json.loads(kg("plugins", "--json")[1])

    assert code == 0
    for loaded in told["loaded"]:
        assert loaded["name"] in out


def test_logs_show_the_end(kg, home) -> None:
    assert kg("logs")[0] == 1
    home.state.mkdir()
    home.log.write_text("".join(f"line {at} é\n" for at in range(1000)), encoding="utf-8")

    assert kg("logs", "-n", "2") == (0, "line 998 é\nline 999 é\n", "")


@pytest.mark.parametrize("code", list(Code))
def test_every_kind_of_failure_has_its_exit_code_and_one_sentence(kg, monkeypatch, code: Code) -> None:
    def fail(*_: object) -> None:
        raise KgError(code, "Because of this.")

    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", fail)

    assert kg("status") == (ANSWERS[code].exit_code, "", "Error: Because of this.\n")


def test_a_bug_is_told_in_a_sentence_and_its_details_go_to_a_file(kg, home, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", fail)

    code, out, err = kg("status")

    assert (code, out) == (1, "")
    assert "Traceback" not in err
    assert "boom" in err
    assert "Traceback" in (home.state / "command-error.log").read_text(encoding="utf-8")


@pytest.mark.parametrize("named", [["--home", "another"], ["--home=another"]])
def test_the_details_of_a_bug_lie_in_the_memory_that_was_named(kg, home, monkeypatch, tmp_path, named) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", fail)
    monkeypatch.chdir(tmp_path)

    _, _, err = kg("status", *named)

    noted = tmp_path / "another" / "state" / "command-error.log"
    assert str(noted) in err
    assert noted.is_file()
    assert not (home.state / "command-error.log").exists()


def test_the_details_of_a_bug_are_for_their_owner_alone(kg, tmp_path, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", fail)
    monkeypatch.setenv("KG_HOME", str(tmp_path / "new"))

    assert kg("status")[0] == 1

    made = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert len(made) == 3
    assert all(not path.stat().st_mode & 0o077 for path in made)


def test_an_interrupt_ends_quietly(kg, monkeypatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("kg_server.lifecycle.control.Control.health", fail)

    assert kg("status")[0] == 130


def test_operations_of_plug_ins_are_commands(kg, served, plugins, monkeypatch) -> None:
    async def run(arguments):
        return {"got": dict(arguments)}

    async def find_fault(_):
        return {"ok": False}

    words = (Argument(name="word", help="A word.", required=True), Argument(name="loud", help="Loud.", flag=True))
    offered = [
        Operation(name="do", help="Does.", arguments=words, run=run),
        Operation(name="look", help="Looks.", arguments=(), run=run, changes=False),
        Operation(name="see", help="Sees.", arguments=words, run=run, changes=False),
        Operation(name="check", help="Checks.", arguments=(), run=find_fault, changes=False),
    ]
    extended = type(plugins).of(harnesses=plugins.harnesses, operations={"extra": offered})
    monkeypatch.setattr(operations.Plugins, "load", classmethod(lambda cls: extended))
    served.plugins.operations = extended.operations

    assert json.loads(kg("extra", "do", "--word", "w", "--loud", "--json")[1]) == {"got": {"word": "w", "loud": True}}
    assert json.loads(kg("extra", "do", "--word", "w", "--json")[1]) == {"got": {"word": "w", "loud": False}}
    assert json.loads(kg("extra", "see", "--word", "w", "--loud", "--json")[1]) == {"got": {"word": "w", "loud": True}}
    assert json.loads(kg("extra", "see", "--word", "w", "--json")[1]) == {"got": {"word": "w", "loud": False}}
    assert json.loads(kg("extra", "look", "--json")[1]) == {"got": {}}
    assert kg("extra", "look")[:2] == (0, "got: none\n")
    assert kg("extra", "do", "--word", "w")[:2] == (0, "got:\n  word: w\n  loud: no\n")
    assert kg("extra", "check")[:2] == (1, "ok: no\n")
    assert json.loads(kg("extra", "check", "--json")[1]) == {"ok": False}
    assert kg("extra", "do")[0] == 2
    assert kg("extra", "other")[0] == 2


def test_an_operation_of_several_words_is_a_command_below_others_and_a_path_is_made_absolute(
    kg, served, plugins, monkeypatch, tmp_path
) -> None:
    async def run(arguments):
        return {"got": dict(arguments)}

    folder = Argument(name="folder", help="A folder.", required=True, positional=True, path=True)
    offered = [
        Operation(name="papers add", help="Adds.", arguments=(folder,), run=run),
        Operation(name="papers list", help="Lists.", arguments=(), run=run, changes=False),
    ]
    extended = type(plugins).of(harnesses=plugins.harnesses, operations={"extra": offered})
    monkeypatch.setattr(operations.Plugins, "load", classmethod(lambda cls: extended))
    monkeypatch.chdir(tmp_path)
    served.plugins.operations = extended.operations

    added = json.loads(kg("extra", "papers", "add", "below/../papers", "--json")[1])

    assert added == {"got": {"folder": str(tmp_path / "papers")}}
    assert json.loads(kg("extra", "papers", "list", "--json")[1]) == {"got": {}}
    assert kg("extra", "papers", "add")[0] == 2
    assert kg("extra", "add", ".")[0] == 2


def test_the_operations_of_a_plug_in_are_listed_with_their_whole_help(kg, plugins, monkeypatch) -> None:
    async def run(_):
        return {}

    long = "Say what is wrong with the papers, whichever folder they lie in, and name at once what mends it."
    folder = Argument(name="folder", help="Where the papers lie.", required=True, positional=True, path=True)
    offered = [
        Operation(name="doctor", help=long, arguments=(), run=run),
        Operation(name="papers add", help=f"{long} Again.", arguments=(folder,), run=run),
    ]
    extended = type(plugins).of(operations={"extra": offered})
    monkeypatch.setattr(operations.Plugins, "load", classmethod(lambda cls: extended))

    told = " ".join(kg("extra", "--help")[1].split())

    assert f"doctor {long} papers add {long} Again." in told
    assert "FOLDER: Where the papers lie." in kg("extra", "papers", "add", "--help")[1]
    assert "add" in kg("extra", "papers")[1]
    assert "Did you mean `kg extra papers add`?" in kg("extra", "papers", "ad")[2]


def test_the_version_constant_is_the_distributions_version() -> None:
    from importlib.metadata import version

    assert version("kg-server") == VERSION


def test_the_entry_point_starts_carriers_without_the_command_lines_imports(home) -> None:
    program = (
        "import sys; sys.argv = ['kg', 'mcp', '--harness', 'x', '--home', sys.argv[1]]; "
        "from kg_server import main; import kg_server.carrier.run as run; "
        "run.main = lambda arguments: print(arguments, [m for m in sys.modules if 'click' in m or 'pydantic' in m]); "
        "main.main()"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(home.root)], capture_output=True, encoding="utf-8", check=True
    )

    assert done.stdout == f"['mcp', '--harness', 'x', '--home', '{home.root}'] []\n"


@pytest.mark.parametrize("command", ["mcp", "hook"])
@pytest.mark.parametrize("asked", ["-h", "--help"])
def test_a_carrier_explains_itself_to_a_person(command: str, asked: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kg_server", command, asked],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )

    assert f"Usage: kg {command}" in done.stdout


@pytest.mark.parametrize("named", ["~/memory", "  ~/memory ", "memory", "/memory/x/..", "", " "])
def test_a_memory_of_any_name_is_the_same_one_to_carriers_and_commands(tmp_path, monkeypatch, named: str) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("KG_HOME", named)
    monkeypatch.chdir(tmp_path)

    carried = options(["--harness", "x"])["home"]

    assert carried == os.path.normpath(Home.from_environ(os.environ, tmp_path).root)


def test_a_memory_below_the_home_of_nobody_is_refused_in_a_sentence(kg, monkeypatch) -> None:
    monkeypatch.setenv("KG_HOME", "~nobody-of-this-name/memory")

    code, out, err = kg("status")

    assert (code, out, err.count("\n")) == (2, "", 1)
    assert "~nobody-of-this-name/memory cannot be found" in err
    with pytest.raises(ValueError, match="nobody-of-this-name"):
        options(["--harness", "x"])


@pytest.mark.parametrize("encoding", ["utf-8:strict", "utf-8:surrogateescape", "latin-1:strict", "ascii:strict"])
def test_what_standard_output_cannot_write_is_escaped(tmp_path, encoding: str) -> None:
    home = tmp_path / os.fsdecode(b"caf\xe9 \xf0\x9f\x90\xa2")
    environ = {**os.environ, "KG_HOME": str(home), "PYTHONIOENCODING": encoding}

    def run(*arguments: str) -> bytes:
        command = [sys.executable, "-m", "kg_server", *arguments]
        done = subprocess.run(command, env=environ, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (3, b"")
        return done.stdout

    assert json.loads(run("status", "--json").decode(encoding.partition(":")[0]))["home"] == str(home)
    assert run("status").startswith(b"No server answers for ")


@pytest.mark.slow
def test_the_demo_shows_two_agents_sharing_what_they_learn(kg) -> None:
    code, out, err = kg("demo")

    assert (code, err) == (0, "")
    ada, bob, told = (out.index(text) for text in ("Ada starts", "Bob, another agent, starts", "Ada's user types"))
    assert "retry-needs-jitter: " not in out[ada : out.index("kg_put_node:")]
    assert "retry-needs-jitter: " in out[bob:told]
    assert "sandbox-keys-expire-monthly: " in out[told:]


@pytest.mark.slow
def test_a_demo_that_is_ended_from_outside_leaves_no_server_and_no_folder(tmp_path) -> None:
    environ = {**os.environ, "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-u", "-m", "kg_server", "demo"]
    with subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, encoding="utf-8") as demo:
        assert demo.stdout is not None
        assert demo.stdout.readline().startswith("Ada starts")
        server = endpoint(str(Home(next(tmp_path.glob("kg-demo-*")) / ".kg").server_file))

        demo.terminate()

        assert demo.wait(30) == 128 + signal.SIGTERM
    assert server is not None
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)
    assert list(tmp_path.glob("kg-demo-*")) == []


@pytest.mark.parametrize("command", ["import", "restore"])
def test_nothing_is_read_while_no_server_is_there_to_be_given_it(kg, tmp_path, monkeypatch, command: str) -> None:
    source = tmp_path / "source.json"
    source.write_text('{"format": 1, "graphs": {}}', encoding="utf-8")
    read: list[object] = []
    monkeypatch.setattr("kg_core.exchange.sources.read_source", lambda *given: read.append(given))

    assert kg(command, str(source)) == (3, "", "Error: The server is not running. Start it with `kg start`.\n")
    assert kg(command, str(tmp_path / "none"))[2] == f"Error: There is no {tmp_path / 'none'}.\n"
    assert read == []
