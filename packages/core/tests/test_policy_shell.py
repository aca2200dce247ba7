"""Which files a shell command reads or edits: what is certain is found, and nothing is made up."""

from __future__ import annotations

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_core.policy import shell_files, shell_folder


def found(command: str) -> list[str]:
    """The paths, those of edited files with a mark."""
    return [f"{file.path}!" if file.edits else file.path for file in shell_files(command)]


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat a b | head", ["a", "b"]),
        ("cat 'a b.txt'", ["a b.txt"]),
        ('cat "a b.txt" c"d"e', ["a b.txt", "cde"]),
        (r"cat a\ b.txt", ["a b.txt"]),
        ("cat '[id].tsx' '$HOME' '*'", ["[id].tsx", "$HOME", "*"]),
        ("head -20 f", ["f"]),
        ("head -n 20 f", ["f"]),
        ("head --lines=20 -c5 f", ["f"]),
        ("tail -f -n+5 f", ["f"]),
        ("less +G -N f", ["f"]),
        ("sed -n 1,10p f g", ["f", "g"]),
        ("sed -n '1,10p' \\\n  f", ["f"]),
        ("sed -ne p f", ["f"]),
        ("sed --quiet --expression=p f", ["f"]),
        ("grep -A 3 x f", ["f"]),
        ("grep -n 'a|b' 'my f'", ["my f"]),
        ("grep -e x -- f g", ["f", "g"]),
        ('grep "$pattern" f', ["f"]),
        ("jq --arg a b .x f", ["f"]),
        ("jq -f filter.jq f", ["f"]),
        ("nl -ba f", ["f"]),
        ("rg foo f", ["f"]),
        ("rg -n -g '*.py' foo src/a.py", ["src/a.py"]),
        ("cat < f", ["f"]),
        ("while_ < f", ["f"]),
        ("FOO=1 BAR=$(x) cat f", ["f"]),
        ("( cat f )", ["f"]),
        ("/bin/cat f", ["f"]),
        ("echo $(cat f)", ["f"]),
        ('echo "$(cat f)"', ["f"]),
        ("cat <(cat a) b", ["a", "b"]),
        ("cat -- -f", ["-f"]),
        ("cat - f", ["f"]),
        ("cat +f", ["+f"]),
        ("tail +5 f", ["f"]),
        ("cat f # and g", ["f"]),
        ("cat f#g", ["f#g"]),
        ("cat f 2>/dev/null >&2 2>&1", ["f"]),
        ("cat ~/notes.md", ["~/notes.md"]),
        ("cat '~/notes.md'", ["./~/notes.md"]),
        ("cat f f", ["f"]),
        ("cat $X f *.py g", ["f", "g"]),
        ("cat <<< text f", ["f"]),
        ("cat a|cat b&&cat c;cat d&cat e\ncat g", ["a", "b", "c", "d", "e", "g"]),
    ],
)
def test_what_a_command_reads_is_found(command: str, files: list[str]) -> None:
    assert found(command) == files


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("sed -i s/a/b/ f", ["f!"]),
        ("sed -i.bak -e s/a/b/ f", ["f!"]),
        ("sed -i '' s/a/b/ f", ["f!"]),
        ("sed -i .bak s/a/b/ f", []),
        ("cat f > out", ["f", "out!"]),
        ("echo x >> 'my out'", ["my out!"]),
        ("make 2> log", ["log!"]),
        ("make &> log", ["log!"]),
        ("make | tee -a log", ["log!"]),
        ("cat > f <<'END'\ncat secret\nEND\ncat g", ["f!"]),
    ],
)
def test_what_a_command_edits_is_found(command: str, files: list[str]) -> None:
    assert found(command) == files


@pytest.mark.parametrize(
    "command",
    [
        *("", "cat", "cat *.py", "cat a?b", "cat {a,b}", "cat $F", 'cat "$F"', "cat ${F}", "cat ~bob/x", "cat src/"),
        *("cat `ls`", "cat $(ls)", "cat $'a'", "cat 'f", 'cat "f', "cat f $(", "cat f `", "cat f\\"),
        *("sed s/a/b/ f", "sed -n", "grep x", "grep -r x dir", "rg foo", "rg --pre cat x f", "head -n", "nl -Q f"),
        *("grep $OPTIONS x f", "head -n $N f", "jq . --args f", "jq -n . f", "cat --unknown f"),
        *("wc f", "awk 1 f", "bat f", "diff a b", "python f", "vim f", "git diff f", "rm f", "echo cat f"),
        *("sudo cat f", "env cat f", "time cat f", "xargs cat f", "bash -lc 'cat f'", "! cat f"),
        *("for f in a b; do cat $f; done", "for i in 1\ndo\ncat f\ndone", "while cat f; do x; done"),
        *("if true; then cat f; fi", "case x in a) cat f;; esac", "f() { cat x; }", "function f { cat x; }"),
        *("((a>b))", "[[ a > b ]]", "x=(cat f)", "x=f", "cat <<END\ncat f\nEND", "cat <<END\n'\nEND"),
        *("make || cat f", "echo >", "cat f\0"),
    ],
)
def test_what_is_not_certain_is_no_file(command: str) -> None:
    assert found(command) == []


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cd d && cat f", ["d/f"]),
        ("cd d; cat f\ncat /g ~/h", ["d/f", "/g", "~/h"]),
        ("cd /d && cd e && cat f", ["/d/e/f"]),
        ("cd && cat f", ["~/f"]),
        ("cd 'a b' && cat 'c d'", ["a b/c d"]),
        ("(cd d && cat f); cat g", ["d/f", "g"]),
        ("echo $(cd d; cat f); cat g", ["d/f", "g"]),
        ("cd d | cat f", ["f"]),
        ('cd "$X" && cat f /g', ["/g"]),
        ("cd - && cat f", []),
        ("cd a b; cat f", []),
        ("pushd d && cat f", []),
        ("popd; cat f", []),
        ("make || cd d; cat f", []),
        ('cd "$X"; cd d; cat f', []),
        ('cd "$X"; cd /d; cat f', ["/d/f"]),
    ],
)
def test_a_command_that_moves_reads_where_it_is(command: str, files: list[str]) -> None:
    assert found(command) == files


@pytest.mark.parametrize(
    ("command", "folder"),
    [
        ("cat f", ""),
        ("cd d && cat f", "d"),
        ("cd d; cd ../e && ls", "d/../e"),
        ("cd /d", "/d"),
        ("cd", "~"),
        ("(cd d && cat f)", ""),
        ("cd d | cat f", ""),
        ("cd -", None),
        ('cd "$X"', None),
        ("for x in a; do cd $x; done", None),
        ("f() { cd d; }", None),
        ("cat 'f", None),
        ("cat <<END\ntext\nEND\ncd d", None),
    ],
)
def test_it_is_known_where_a_command_ends_or_that_it_is_not(command: str, folder: str | None) -> None:
    assert shell_folder(command) == folder


def test_of_many_files_the_first_are_looked_at_and_of_a_long_command_the_beginning() -> None:
    assert len(found("cat " + " ".join(f"f{number}" for number in range(50)))) == 8
    assert found("cat f\n" + "make; " * 500 + "cat g\n") == ["f"]
    assert found("cat f\n" + "echo $(make; make)\n" * 300 + "cat g") == ["f"]
    assert found("cat f\ncat " + "x" * 10_000) == ["f"]
    assert found("cat " + "x" * 10_000) == found("cat 'f\n" + "x" * 10_000) == []
    assert found("cat > f <<END\n" + "text\n" * 10_000 + "END") == ["f!"]
    assert found("echo " + "$(" * 300 + ")" * 300) == []
    assert shell_folder("cd d; " * 200) is shell_folder("cd d\n" * 2_000) is None


texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


@settings(deadline=None)
@given(path=texts, command=st.sampled_from(["cat {}", "cat -- {}", "head -n 3 {}", "cat < {}", "grep -n x {} | cat"]))
def test_any_path_that_is_quoted_is_found(path: str, command: str) -> None:
    is_option = path.startswith("-") and not command.startswith(("cat --", "cat <"))
    if not is_option and path != "-" and (path.endswith("/") is False or "<" in command):
        assert found(command.format(shlex.quote(path))) == [f"./{path}" if path.startswith("~") else path]


PIECES = (
    *("cat", "sed", "-n", "-i", "grep", "cd", "d", "f", "'a b'", '"', "'", "$", "$X", "$(", ")", "(", "`", "\\", "*"),
    *("~", "|", "||", "&&", ";", "&", "\n", "<", ">", ">>", "<<", "<<<", "2>&1", "#", "if", "then", "fi", "x=", "//"),
)
words = st.sampled_from(PIECES)


@settings(deadline=None)
@given(parts=st.lists(st.one_of(words, texts), max_size=12), gap=st.sampled_from(["", " "]))
def test_nothing_is_made_up(parts: list[str], gap: str) -> None:
    command = gap.join(parts)
    letters = set(command)

    for file in shell_files(command):
        word = file.word.removeprefix("./") if "./~" not in command else file.word
        assert word
        assert set(word) <= letters


@settings(deadline=None)
@given(paths=st.lists(st.from_regex(r"[a-z]{1,3}(/[a-z ]{1,4}){0,2}\.py", fullmatch=True), min_size=1, max_size=4))
def test_every_path_reported_is_a_word_of_the_command(paths: list[str]) -> None:
    command = f"make && cat {shlex.join(paths)} | grep -v x > 'o u t' ; sed -n 1p {shlex.join(paths)}"

    assert {file.word for file in shell_files(command)} <= set(shlex.split(command, posix=True))
    assert {file.path for file in shell_files(command) if not file.edits} == set(paths)
