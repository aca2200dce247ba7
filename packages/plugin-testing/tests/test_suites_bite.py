"""Every clause of the contracts fails on a plug-in that breaks it: one mutation of an honest toy for each."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kg_plugin_testing.harness import HarnessContract
from kg_plugin_testing.plugin import PluginContract
from kg_plugin_testing.search import SearchBackendContract

if TYPE_CHECKING:
    from collections.abc import Mapping

pytest_plugins = ["pytester"]

TOYS = Path(__file__).parent / "toys"

HARNESS_TEST = """
import pytest
from kg_plugin_api import RawEvent, Carrier
from kg_plugin_testing.harness import HarnessContract
from toy_agent import TOY

class TestToy(HarnessContract):
    @pytest.fixture
    def harness(self):
        return TOY

    @pytest.fixture
    def payloads(self):
        payload = {"id": "s", "prompt": "hello", "more": {"depth": 1}}
        recorded = {
            "start": RawEvent(native="Start", carrier=Carrier.HOOK_CLIENT, payload=payload),
            "prompt": RawEvent(native="Prompt", carrier=Carrier.MCP_HOOK, payload=payload),
            "before": RawEvent(native="Before", carrier=Carrier.MCP_HOOK, payload=payload),
            "other": RawEvent(native="Stop", carrier=Carrier.HOOK_CLIENT, payload=payload),
            "call": RawEvent(native="call", carrier=Carrier.MCP, payload={}, meta={"session": "s"}),
        }
        return recorded
"""

SEARCH_TEST = """
import pytest
from kg_plugin_testing.search import SearchBackendContract
from toy_index import open_index

class TestToy(SearchBackendContract):
    @pytest.fixture
    def open_backend(self):
        return open_index
"""

PLUGIN_TEST = """
import pytest
from kg_plugin_testing.plugin import PluginContract

class TestToy(PluginContract):
    @pytest.fixture
    def module(self):
        return "toy_plugin"
"""

METADATA = """Metadata-Version: 2.1
Name: toy
Version: 1.0
Requires-Dist: kg-plugin-api<2,>=1.1
"""
ENTRY_POINTS = "[kg]\ntoy = toy_plugin\n"

OVERRIDE = """
    def test_health_is_json(self):
        pass

    def test_the_name_is_a_slug(self):
        pass
"""

HARNESS_MUTATIONS = {
    "test_the_name_is_a_slug": ('name="toy"', 'name="Toy Agent"'),
    "test_the_client_can_be_found": ('binaries=("toy",)', "binaries=()"),
    "test_events_are_told_apart": ('native="Before"', 'native="Prompt"'),
    "test_timeouts_are_explicit_and_in_seconds": ("timeout=3", "timeout=3000"),
    "test_a_template_belongs_to_an_mcp_hook": ('template={"id": "${id}"},', "template=None,"),
    "test_every_path_states_its_limit": ("for path in Path)", "for path in (Path.PRELOAD, Path.READ))"),
    "test_the_clients_folder_is_found_below_any_home": ('config_default=".toy"', 'config_default="/etc/toy"'),
    "test_what_the_tools_carry_is_json": ('"toy/keep": True', '"toy/keep": {True}'),
    "test_a_queue_has_room_for_text": ("inline=Limit(3_000", "inline=Limit(30_000"),
    "test_the_dialect_answers_alike_each_time": ('"text": sound', '"text": sound, "number": next(COUNT)'),
    "test_the_dialect_touches_no_disk": ("spec = next(", "open(__file__).close()\n        spec = next("),
    "test_of_a_client_that_never_ran_nothing_is_known": ("if file.exists() else []", "if True else []"),
    "test_a_run_carries_the_prompt_and_leaves_the_session_behind": ("environ=kept", "environ=environ"),
    "test_claims_stay_inside_their_places": ('site.own / "hooks.json"', 'site.own.parents[5] / "hooks.json"'),
    "test_claims_are_the_same_each_time": ("json.dumps(hooks)", 'json.dumps({**hooks, "at": id(hooks) + next(COUNT)})'),
    "test_claims_do_not_overlap": ('keys=("memory",)', 'keys=("plugins",)'),
    "test_claims_touch_no_disk": (
        "return (\n            OwnedFile",
        "open(__file__).close()\n        return (\n            OwnedFile",
    ),
    "test_claims_start_the_carriers_as_told": ('or site.launch.hook["Start"]', 'or "kg hook Start"'),
    "test_claims_start_the_carriers_where_there_is_no_posix_shell": (
        'list(site.launch.hook_argv.get("Start", ())) or ',
        "",
    ),
    "test_owned_files_end_with_a_line_break": ('+ "\\n"', '+ ""'),
    "test_steps_explain_themselves": ('explanation = "Open the agent and say yes."', 'explanation = ""'),
    "test_offers_are_questions": ("Turn its own memory off?", "Its memory goes off."),
    "test_a_guide_within_the_limits_is_written_whole": ("text=guide.skill())", "text=guide.skill()[:2_000] + chr(10))"),
    "test_copies_are_looked_for_beside_our_own_files": (
        'return (site.config / "skills",)',
        'return (site.own / "skills",)',
    ),
    "test_every_event_is_recorded_on_its_carrier": ("EVENTS = (", "EVENTS = (" + "UNSEEN,"),
    "test_recorded_payloads_parse": ("kind=spec.kind", "kind=EventKind.STOP"),
    "test_unknown_keys_are_ignored": ("if spec is None or", 'if spec is None or "added_later" in raw.payload or'),
    "test_parse_never_raises": ('prompt = raw.payload.get("prompt")', 'prompt = raw.payload["prompt"].strip()'),
    "test_parse_survives_damaged_recordings": ('prompt = raw.payload.get("prompt")', 'prompt = raw.payload["more"]'),
    "test_a_reply_delivers_any_text": ('"text": sound', '"text": text.strip()'),
    "test_no_text_is_no_reply_to_the_model": ("if not text or raw.native", "if raw.native"),
    "test_an_event_that_cannot_inject_stays_silent": (' or raw.native == "Before"', ""),
    "test_a_refusal_gives_its_reason_and_no_other_event_refuses": ('"refused": sound', '"refused": reason[:40]'),
    "test_the_caller_is_found_and_never_raises": ('session = meta.get("session")', 'session = meta["session"]'),
    "test_a_transcript_reader_never_raises": ('"utf-8", "replace"', '"utf-8"'),
    "test_it_imports_only_the_standard_library_and_the_plugin_api": ("import json\n", "import json\nimport pytest\n"),
}

SEARCH_MUTATIONS = {
    "test_an_empty_index_finds_nothing": ("return SearchResults(", "assert self.items\n        return SearchResults("),
    "test_a_word_is_found_in_every_field": ("*entry.touches, ", ""),
    "test_one_shared_word_is_enough": ("if matched and", "if matched == asked and"),
    "test_words_of_any_script_are_found": ("words | pairs", "words"),
    "test_upsert_replaces": ("self.items[entry.key] = entry", "self.items.setdefault(entry.key, entry)"),
    "test_the_last_of_equal_keys_wins": ("for entry in items:", "for entry in reversed(items):"),
    "test_remove_forgets_and_ignores_unknown_keys": (".pop(key, None)", ".pop(key)"),
    "test_graphs_never_leak": ("entry.graph in request.graphs", "True"),
    "test_filters_hold": ("and set(request.tags) <= set(entry.tags)", ""),
    "test_statements_and_conclusions_are_told_apart": (
        "and (not request.kinds or entry.kind in request.kinds)",
        "",
    ),
    "test_whose_view_it_is_narrows": ("and (not request.observed or entry.observed in request.observed)", ""),
    "test_the_limit_holds_and_ties_are_stable": ("(-hit.score, hit.key)", "-hit.score"),
    "test_scores_descend": ("(-hit.score, hit.key)", "hit.key"),
    "test_a_hit_tells_its_evidence": ("evidence=len(matched)", "evidence=1"),
    "test_any_text_is_legal": ("asked = terms(request.text)", "asked = terms(request.text.encode().decode())"),
    "test_any_words_are_legal": (
        "asked = terms(request.text)",
        "asked = terms(request.text); re.compile(request.text)",
    ),
    "test_it_agrees_with_a_dictionary": ("self.items.pop(key, None)", "self.items.get(key)"),
    "test_twice_equals_once": (
        "self.items[entry.key] = entry",
        'self.items[entry.key + "again" * (self.items.get(entry.key) == entry)] = entry',
    ),
    "test_a_snapshot_has_every_key_with_its_hash_as_told": (
        "for key, entry in self.items.items()}",
        'for key, entry in self.items.items() if entry.status == "current"}',
    ),
    "test_a_change_of_standing_alone_is_taken_up": (
        "self.items[entry.key] = entry",
        "self.items[entry.key] = old if (old := self.items.get(entry.key)) and old.gist == entry.gist else entry",
    ),
    "test_calls_may_overlap": (
        "for entry in items:",
        "self.items = await asyncio.sleep(0, dict(self.items))\n        for entry in items:",
    ),
    "test_a_search_knows_its_budget": (
        "asked = terms(request.text)",
        "await asyncio.Event().wait()",
    ),
    "test_it_leaves_the_loop_to_others": (
        "asked = terms(request.text)",
        "time.sleep(0.6); asked = terms(request.text)",
    ),
    "test_what_is_alike_is_something_else": ("if hit.key != entry.key)", ")"),
    "test_health_is_json": ('{"items": len(self.items)}', '{"items": set(self.items)}'),
    "test_closing_twice_is_closing_once": ("self.items = {}\n\n\nasync", "del self.items\n\n\nasync"),
}

PLUGIN_MUTATIONS = {
    "test_its_distribution_names_it": ("toy = ", "Toy Index = "),
    "test_it_states_with_which_plug_in_api_it_works": ("kg-plugin-api<2,>=1.1", "kg-plugin-api>=1.1"),
    "test_it_fits_the_hooks": ("def kg_search_backends", "def kg_search_backend"),
    "test_what_it_offers_has_a_kind_and_a_name_of_its_own": ('name="toy"', 'name="Toy Index"'),
    "test_loading_it_touches_nothing": (
        "from kg_plugin_api",
        "import pathlib; pathlib.Path('toy.txt').write_text('')\nfrom kg_plugin_api",
    ),
    "test_loading_it_brings_nothing_heavy": ("from kg_plugin_api", "import hypothesis\nfrom kg_plugin_api"),
}

UNSEEN = 'UNSEEN = EventSpec(native="Unseen", kind=EventKind.STOP, carrier=Carrier.HOOK_CLIENT, timeout=1)\n'
PRELUDE = "import itertools\nCOUNT = itertools.count()\n"


def outcomes(pytester: pytest.Pytester, *arguments: str) -> Mapping[str, str]:
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-rA", "-q", *arguments)
    lines = [re.match(r"(PASSED|FAILED|ERROR) \S+::(\w+)", line) for line in result.outlines]
    return {found[2]: found[1] for found in lines if found}


def clauses(suite: type[Any]) -> set[str]:
    return {name for name in dir(suite) if name.startswith("test_")}


@pytest.fixture(autouse=True)
def _the_toy_is_importable(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> None:
    """The toy of this test is imported, not that of the last one: pytester forgets what it imported."""
    monkeypatch.syspath_prepend(pytester.path)


def write(pytester: pytest.Pytester, toy: str, change: tuple[str, str], test: str) -> None:
    source = (TOYS / f"{toy}.py").read_text(encoding="utf-8")
    old, new = change
    assert old in source, f"the toy has no {old!r}"
    imports, marker, rest = source.partition("EVENTS = (") if toy == "toy_agent" else ("", "", source)
    prelude = PRELUDE + UNSEEN if marker else "import asyncio, time\n"
    mutated = (imports + prelude + marker + rest).replace(old, new, 1)
    pytester.makepyfile(**{toy: mutated, "test_toy": test})


def write_plugin(pytester: pytest.Pytester, change: tuple[str, str]) -> None:
    """The toy as an installed distribution."""
    files = {
        "toy_plugin.py": (TOYS / "toy_plugin.py").read_text(encoding="utf-8"),
        "toy-1.0.dist-info/METADATA": METADATA,
        "toy-1.0.dist-info/entry_points.txt": ENTRY_POINTS,
    }
    assert any(change[0] in text for text in files.values()), f"the toy has no {change[0]!r}"
    (pytester.path / "toy-1.0.dist-info").mkdir()
    for name, text in files.items():
        (pytester.path / name).write_text(text.replace(*change, 1), encoding="utf-8")
    pytester.makepyfile(test_toy=PLUGIN_TEST)


def test_an_honest_plug_in_keeps_every_clause(pytester: pytest.Pytester) -> None:
    write_plugin(pytester, ("", ""))

    assert outcomes(pytester) == dict.fromkeys(clauses(PluginContract), "PASSED")


def test_an_honest_harness_keeps_every_clause(pytester: pytest.Pytester) -> None:
    write(pytester, "toy_agent", ("", ""), HARNESS_TEST)

    assert outcomes(pytester) == dict.fromkeys(clauses(HarnessContract), "PASSED")


def test_an_honest_backend_keeps_every_clause(pytester: pytest.Pytester) -> None:
    write(pytester, "toy_index", ("", ""), SEARCH_TEST)

    assert outcomes(pytester) == dict.fromkeys(clauses(SearchBackendContract), "PASSED")


def test_each_clause_has_its_mutation() -> None:
    general = {"test_no_clause_is_silently_overridden"}

    assert clauses(HarnessContract) == HARNESS_MUTATIONS.keys() | general
    assert clauses(PluginContract) == PLUGIN_MUTATIONS.keys() | general
    assert clauses(SearchBackendContract) == SEARCH_MUTATIONS.keys() | general


@pytest.mark.slow
@pytest.mark.parametrize("clause", HARNESS_MUTATIONS)
def test_a_harness_that_breaks_a_clause_is_caught(pytester: pytest.Pytester, clause: str) -> None:
    write(pytester, "toy_agent", HARNESS_MUTATIONS[clause], HARNESS_TEST)

    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}


@pytest.mark.slow
@pytest.mark.parametrize("clause", SEARCH_MUTATIONS)
def test_a_backend_that_breaks_a_clause_is_caught(pytester: pytest.Pytester, clause: str) -> None:
    write(pytester, "toy_index", SEARCH_MUTATIONS[clause], SEARCH_TEST)

    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}


@pytest.mark.slow
@pytest.mark.parametrize("clause", PLUGIN_MUTATIONS)
def test_a_plug_in_that_breaks_a_clause_is_caught(pytester: pytest.Pytester, clause: str) -> None:
    write_plugin(pytester, PLUGIN_MUTATIONS[clause])

    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}


@pytest.mark.parametrize("toy", ["toy_agent", "toy_index"])
def test_a_clause_cannot_be_dropped_without_a_reason(pytester: pytest.Pytester, toy: str) -> None:
    test = HARNESS_TEST if toy == "toy_agent" else SEARCH_TEST
    clause = "test_no_clause_is_silently_overridden"
    write(pytester, toy, ("", ""), test + OVERRIDE)
    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}

    reasoned = OVERRIDE.replace("    def test_", '    @pytest.mark.xfail(reason="not yet")\n    def test_')
    pytester.makepyfile(test_toy=test + reasoned)
    assert outcomes(pytester, "-k", clause) == {clause: "PASSED"}


def test_a_recording_that_the_suite_is_told_is_passed_over_must_be_nothing(pytester: pytest.Pytester) -> None:
    clause = "test_recorded_payloads_parse"
    recorded = HARNESS_TEST.replace(
        "        return recorded\n",
        '        failed = {"id": "s", "failed": True}\n'
        '        recorded["failed"] = RawEvent(native="Prompt", carrier=Carrier.MCP_HOOK, payload=failed)\n'
        "        return recorded\n",
    )
    told = recorded + '\n    def passed_over(self, raw):\n        return bool(raw.payload.get("failed"))\n'
    drops = ("if spec is None or", 'if spec is None or raw.payload.get("failed") or')

    write(pytester, "toy_agent", drops, recorded)
    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}
    pytester.makepyfile(test_toy=told)
    assert outcomes(pytester, "-k", clause) == {clause: "PASSED"}

    write(pytester, "toy_agent", ("", ""), told)
    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}


def test_a_recorded_call_that_names_nobody_is_one_only_where_the_suite_is_told(pytester: pytest.Pytester) -> None:
    clause = "test_the_caller_is_found_and_never_raises"
    recorded = HARNESS_TEST.replace('meta={"session": "s"}', 'meta={"progressToken": 1}')
    told = recorded + "\n    def passed_over(self, raw):\n        return raw.carrier is Carrier.MCP\n"

    write(pytester, "toy_agent", ("", ""), recorded)
    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}
    pytester.makepyfile(test_toy=told)
    assert outcomes(pytester, "-k", clause) == {clause: "PASSED"}
    pytester.makepyfile(test_toy=told.replace('meta={"progressToken": 1}', 'meta={"session": "s"}'))
    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}


def test_an_event_of_which_every_recording_is_passed_over_counts_as_never_seen(pytester: pytest.Pytester) -> None:
    clause = "test_every_event_is_recorded_on_its_carrier"
    silent = HARNESS_TEST + '\n    def passed_over(self, raw):\n        return raw.native == "Prompt"\n'
    write(pytester, "toy_agent", ("", ""), silent)

    assert outcomes(pytester, "-k", clause) == {clause: "FAILED"}


def test_a_recording_is_read_as_the_event_that_it_was(tmp_path: Path) -> None:
    from kg_plugin_api import Carrier, RawEvent
    from kg_plugin_testing.recordings import recordings

    kept = {"native": "Start", "carrier": "hook_client", "payload": {"id": "s"}}
    (tmp_path / "toy-1-Start.json").write_text(json.dumps(kept), encoding="utf-8")

    expected = RawEvent(native="Start", carrier=Carrier.HOOK_CLIENT, payload={"id": "s"})
    assert recordings(tmp_path) == {"toy-1-Start": expected}
