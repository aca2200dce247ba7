from __future__ import annotations

import importlib.metadata
import sys
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from kg_core.host import Plugins
from kg_plugin_api import Event, EventKind, MemoryChange, ToolUse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from importlib.metadata import EntryPoint
    from pathlib import Path

HARNESS = """
from dataclasses import replace
from kg_plugin_api import Harness, Maturity, Recognition, StartContext, hookimpl

class Silent:
    parse = reply = caller = claims = steps = offers = lambda self, *given: None

def harness(name):
    return Harness(
        name=name, title=name, maturity=Maturity.STABLE, recognition=Recognition(binaries=()), events=(),
        start_context=StartContext.PERSISTS, limits=(), dialect=Silent(), wiring=Silent(),
    )
"""

OPERATION = """
from kg_plugin_api import Operation, hookimpl

@hookimpl
def kg_operations():
    return [Operation(name="NAME", help="Does.", arguments=(), run=print)]
"""

Install = "Callable[..., tuple[EntryPoint, ...]]"


class Lender:
    def without_secrets(self, text: str) -> str:
        return text

    def graph(self, folder: str) -> str:
        return folder


@pytest.fixture
def install(tmp_path: Path) -> Iterator[Callable[..., tuple[EntryPoint, ...]]]:
    """Puts plug-ins on disk as pip would, and gives the entry points of all of them."""
    before = set(sys.modules)
    sys.path.insert(0, str(tmp_path))

    def add(module: str, body: str, *, name: str = "", requires: str = "kg-plugin-api>=1.0,<2", version: str = "1.2"):
        (tmp_path / f"{module}.py").write_text(textwrap.dedent(body), encoding="utf-8")
        info = tmp_path / f"{module}-{version}.dist-info"
        info.mkdir()
        metadata = f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: {version}\n"
        (info / "METADATA").write_text(metadata + f"Requires-Dist: {requires}\n", encoding="utf-8")
        (info / "entry_points.txt").write_text(f"[kg]\n{name or module} = {module}\n", encoding="utf-8")
        found = importlib.metadata.distributions(path=[str(tmp_path)])
        return tuple(point for distribution in found for point in distribution.entry_points)

    yield add
    sys.path.remove(str(tmp_path))
    for imported in set(sys.modules) - before:
        del sys.modules[imported]


def test_a_plug_in_offers_its_harnesses(install: Install) -> None:
    points = install("good", HARNESS + "@hookimpl\ndef kg_harnesses():\n    yield harness('good')\n")

    plugins = Plugins.load(points=points)

    assert [harness.name for harness in plugins.harnesses] == ["good"]
    assert plugins.harness("good") is plugins.harnesses[0]
    assert plugins.harness("other") is None
    assert [(loaded.name, loaded.distribution) for loaded in plugins.loaded] == [("good", "good 1.2")]
    assert plugins.problems == ()


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("import nowhere_at_all", "nowhere_at_all"),
        ("raise SystemExit(3)", "SystemExit"),
        ("def f(:", "SyntaxError"),
        (HARNESS + "@hookimpl\ndef kg_harnesses():\n    raise RuntimeError('boom')\n", "boom"),
        (HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [1]\n", "offers a int instead of a Harness"),
        (HARNESS + "@hookimpl\ndef kg_harnesses():\n    return None\n", "NoneType"),
        (HARNESS + "@hookimpl\nasync def kg_harnesses():\n    return []\n", "is async, and no hook is"),
        (
            HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [replace(harness('a'), events=None)]\n",
            "events is a NoneType",
        ),
        (HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [harness('a')] * 2\n", "a twice"),
        (HARNESS + "def kg_harnesses():\n    return [harness('a')]\n", "implements no hook"),
        (HARNESS + "@hookimpl\ndef kg_harneses():\n    return []\n", "kg_harneses"),
        (HARNESS + "@hookimpl\ndef kg_harnesses(extra):\n    return []\n", "extra"),
        (HARNESS + "@hookimpl(wrapper=True)\ndef kg_harnesses():\n    return (yield)\n", "wraps the hooks of others"),
    ],
)
def test_a_broken_plug_in_is_data_and_leaves_the_others_alone(install: Install, body: str, reason: str) -> None:
    install("broken", body)
    points = install("good", HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [harness('good')]\n")

    plugins = Plugins.load(points=points)

    assert [harness.name for harness in plugins.harnesses] == ["good"]
    (problem,) = plugins.problems
    assert (problem.name, problem.distribution) == ("broken", "broken 1.2")
    assert reason in problem.reason


@pytest.mark.parametrize(
    "requires",
    [
        "kg-plugin-api<8,>=7",
        "kg-plugin-api>=7,<8",
        "kg-plugin-api<2,>=1.999",
        "kg-plugin-api<1,>=0.3",
        "kg_plugin_api==9",
    ],
)
def test_a_plug_in_for_another_version_of_the_api_is_not_even_imported(install: Install, requires: str) -> None:
    points = install("future", "raise AssertionError('imported')", requires=requires)

    (problem,) = Plugins.load(points=points).problems

    assert requires in problem.reason
    assert importlib.metadata.version("kg-plugin-api") in problem.reason


@pytest.mark.parametrize(
    "requires",
    ["kg-plugin-api<2,>=1.0", "kg-plugin-api>=1", "kg-plugin-api", "kg-plugin-api-more>=9", "kg-plugin-api ???"],
)
def test_a_plug_in_whose_range_is_met_or_cannot_be_read_is_used(install: Install, requires: str) -> None:
    points = install(
        "fits", HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [harness('fits')]\n", requires=requires
    )

    plugins = Plugins.load(points=points)

    assert [harness.name for harness in plugins.harnesses] == ["fits"]


def test_two_plug_ins_of_one_name_are_refused_and_both_named(install: Install) -> None:
    body = HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [harness('same')]\n"
    install("first", body, name="same")
    points = install("second", body, name="same")

    plugins = Plugins.load(points=points)

    assert plugins.harnesses == ()
    (problem,) = plugins.problems
    assert "first 1.2" in problem.reason
    assert "second 1.2" in problem.reason


def test_a_module_that_two_entry_points_name_is_used_once_and_the_other_one_says_of_whom(install: Install) -> None:
    body = HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [harness('good')]\n"
    (point,) = install("good", body)
    again = importlib.metadata.EntryPoint(name="late", value=point.value, group=point.group)

    plugins = Plugins.load(points=(point, again))

    assert [harness.name for harness in plugins.harnesses] == ["good"]
    (problem,) = plugins.problems
    assert (problem.name, "the plug-in good is already" in problem.reason) == ("late", True)


def test_two_harnesses_of_one_name_are_refused_and_both_owners_named(install: Install) -> None:
    body = HARNESS + "@hookimpl\ndef kg_harnesses():\n    return [harness('same'), harness(__name__)]\n"
    install("first", body)
    points = install("second", body)

    plugins = Plugins.load(points=points)

    assert sorted(harness.name for harness in plugins.harnesses) == ["first", "second"]
    (problem,) = plugins.problems
    assert "first 1.2 and second 1.2" in problem.reason


def test_a_disabled_plug_in_is_not_imported(install: Install) -> None:
    points = install("unwanted", "raise AssertionError('imported')")

    plugins = Plugins.load(points=points, disabled=["unwanted"])

    assert plugins.problems == ()
    assert plugins.loaded == ()


def test_what_a_plug_in_prints_does_not_reach_standard_output(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    points = install(
        "noisy", HARNESS + "print('import')\n@hookimpl\ndef kg_harnesses():\n    print('hook')\n    return []"
    )

    Plugins.load(points=points)

    assert capsys.readouterr().out == ""


def test_an_observer_that_raises_is_reported_and_stops_nobody_else() -> None:
    seen: list[MemoryChange] = []

    def failing(_: MemoryChange) -> None:
        raise ValueError("no")

    plugins = Plugins.of(observers=[failing, seen.append, failing])
    change = MemoryChange(sequence=1, graph="user", by="me", written=("a",))
    plugins.changed(change)
    plugins.changed(change)

    assert seen == [change, change]
    assert [problem.name for problem in plugins.problems] == ["observer 0", "observer 2"]
    assert "ValueError at test_host_plugins.py" in plugins.problems[0].reason


def test_an_observer_may_take_no_argument(install: Install) -> None:
    points = install("short", HARNESS + "seen = []\n@hookimpl\ndef kg_memory_changed():\n    seen.append(1)\n")

    plugins = Plugins.load(points=points)
    plugins.changed(MemoryChange(sequence=1, graph="user", by="me"))

    assert sys.modules["short"].seen == [1]
    assert plugins.problems == ()


def test_whoever_observes_events_and_borrows_the_server_is_told_and_stops_nobody_else(install: Install) -> None:
    install("broken", HARNESS + "@hookimpl\ndef kg_event_seen(event):\n    raise ValueError(event)\n")
    body = "told = []\n@hookimpl\ndef kg_event_seen(event):\n    told.append(event)\n"
    points = install("keen", HARNESS + body + "@hookimpl\ndef kg_serving(host):\n    told.append(host)\n")
    event, host = Event(kind=EventKind.SESSION_START, native="Start", session="s"), Lender()

    plugins = Plugins.load(points=points)
    plugins.serving(host)
    plugins.seen(event)

    assert sys.modules["keen"].told == [host, event]
    assert [(problem.name, "ValueError" in problem.reason) for problem in plugins.problems] == [("broken", True)]


def test_whoever_observes_events_is_handed_no_secret_and_no_text_too_long_to_be_looked_through() -> None:
    seen: list[Event] = []
    plugins = Plugins.of(event_observers=[seen.append])
    secret = "ghp_" + "a1B2c3D4e5" * 4
    tool = ToolUse(name="Bash", command=f"deploy --with {secret}", workdir="/code")
    event = Event(kind=EventKind.PROMPT, native="Prompt", session="s", cwd="/code", prompt=f"Use {secret}.", tool=tool)
    plain = replace(event, prompt="Use it.", tool=None)

    for each in (event, plain, replace(plain, prompt="long " * 5_000)):
        plugins.seen(each)

    told, untouched, long = seen
    assert secret not in repr(told)
    assert (told.prompt.startswith("Use [secret:"), told.cwd, told.tool.workdir) == (True, "/code", "/code")
    assert told.tool.command.startswith("deploy --with [secret:")
    assert untouched is plain
    assert long == replace(plain, prompt="")


@pytest.mark.parametrize("name", ["papers add", "papers"])
def test_an_operation_may_have_a_name_of_several_words(install: Install, name: str) -> None:
    points = install("tools", OPERATION.replace("NAME", name))

    plugins = Plugins.load(points=points)

    assert plugins.operation("tools", name) is not None


@pytest.mark.parametrize("name", ["papers  add", " papers", "papers/add", "Papers", ""])
def test_an_operation_whose_name_is_none_is_refused(install: Install, name: str) -> None:
    points = install("tools", OPERATION.replace("NAME", name))

    plugins = Plugins.load(points=points)

    assert "a name that is none" in plugins.problems[0].reason


def test_operations_are_kept_under_the_name_of_their_plug_in(install: Install) -> None:
    points = install(
        "tools",
        """
        from kg_plugin_api import Operation, hookimpl

        async def run(arguments):
            return {}

        @hookimpl
        def kg_operations():
            return [Operation(name="status", help="Says how it is.", arguments=(), run=run, changes=False)]
        """,
    )

    plugins = Plugins.load(points=points)

    assert [operation.name for operation in plugins.operations["tools"]] == ["status"]
    assert plugins.operation("tools", "status") is plugins.operations["tools"][0]
    assert plugins.operation("tools", "other") is None
    assert plugins.operation("others", "status") is None
