"""Lessons that have long been out of every text move into a file where a person wants it; they come back by name."""

from __future__ import annotations

import asyncio
import json
import shlex
import tarfile
import threading
from dataclasses import replace

import pytest

from kg_core.exchange.document import content
from kg_core.model import DAY, Change, Edge, Graph, Node, Tier, Use, Written
from kg_core.store import Settings, Write
from kg_core.store.aged import Aged
from kg_server.interface import ToolCall
from kg_server.keeping import keeping
from kg_server.keeping.ageing import Ageing
from kg_server.setup.team import Team

DAYS = 30


@pytest.fixture
def ageing(servers):
    """A server on whose machine lessons age."""
    return servers(settings=Settings.model_validate({"memory": {"age_orphans_days": DAYS}}))


def orphaned(server, *names, cwd="", days=DAYS + 1):
    at = server.clock() - days * DAY
    server.commit(
        cwd,
        nodes={
            name: Node(id=name, gist=f"of {name}", created=at, written=Written(at=at, by="s", author="ana"))
            for name in names
        },
        use=dict.fromkeys(names, Use(tier=Tier.ORPHANED, orphaned_at=at)),
    )


def look(server):
    server.do(lambda service: service.keeping.ageing.run())


def ids(server, key="user"):
    return set(server.graph(key).nodes)


def aged(server, key="user"):
    path = server.home.aged(key)
    return set(json.loads(path.read_text("utf-8"))["nodes"]) if path.exists() else set()


def brought_back(kg, said, *more):
    """Runs the command that a message names."""
    code, out, err = kg(*shlex.split(said.split("`")[1])[1:], *more)
    assert code == 0, err
    return out


def test_nothing_ages_by_default(server):
    orphaned(server, "old", days=10_000)

    look(server)

    assert ids(server) == {"old"}
    assert not (server.home.memory / "archive").exists()


def test_what_has_aged_is_named_with_its_file_and_comes_back_with_its_edges(kg, ageing):
    orphaned(ageing, "old", "young", days=DAYS + 1)
    orphaned(ageing, "young", days=DAYS - 1)
    ageing.put("in-use", "shown")
    edge = Edge(source="in-use", rel="uses", target="old", notes=("why",))
    ageing.commit(edges={edge.key: edge})

    look(ageing)

    assert ids(ageing) == {"young", "in-use"}
    assert aged(ageing) == {"old"}
    assert not ageing.problems()
    code, out, err = kg("show", "old", "--cwd", "/")
    said = out + err
    assert code == 1
    assert f"was moved to {ageing.home.aged('user')} on 2030-" in said
    assert "1 brought back" in brought_back(kg, said)
    assert ageing.graph("user").edges[edge.key].notes == ("why",)
    assert ageing.graph("user").tier("old") is Tier.ACTIVE
    assert ageing.graph("user").nodes["old"].written.author == "ana"

    look(ageing)
    assert "old" in ids(ageing)
    ageing.delete("old")
    assert "moved to" not in "".join(kg("show", "old", "--cwd", "/")[1:])


def called(server, name, **arguments):
    call = ToolCall(harness="", name=name, arguments=arguments, session_hint="s")
    return server.do(lambda service: service.call(call))


def test_an_agent_that_reads_it_by_id_in_whatever_case_is_told_the_same(kg, ageing):
    orphaned(ageing, "old")
    look(ageing)

    reply = called(ageing, "kg_read", ids=["old"])

    assert reply.is_error
    assert f"moved to {ageing.home.aged('user')}" in reply.text
    assert "--deleted old` brings it back." in reply.text
    assert "--deleted old` brings it back." in called(ageing, "kg_read", ids=["OLD"]).text
    assert "--deleted old` brings it back." in kg("show", "Old", "--cwd", "/")[2]


def test_a_session_is_not_told_that_lessons_have_aged(ageing):
    orphaned(ageing, "old")
    ageing.put("wrong", "false")
    called(ageing, "kg_read")
    ageing.delete("wrong")
    look(ageing)

    told = called(ageing, "kg_sync").text

    assert "deleted: wrong" in told
    assert "old" not in told


def test_a_lesson_of_a_project_ages_into_the_projects_file(kg, ageing, repository, monkeypatch):
    orphaned(ageing, "old", cwd=str(repository))
    look(ageing)
    assert aged(ageing, "project:shop") == {"old"}
    monkeypatch.chdir(repository)

    code, _, err = kg("why", "old")

    assert code != 0
    brought_back(kg, err)
    assert ids(ageing, "project:shop") == {"old"}


def test_no_import_and_no_copy_of_a_team_brings_it_back(kg, ageing, repository, tmp_path):
    orphaned(ageing, "old", cwd=str(repository))
    before = tmp_path / "before.json"
    before.write_text(kg("export")[1], encoding="utf-8")
    copy = repository / ".kg" / "graph.json"
    Team(ageing.home, repository).register()
    ageing.sync()
    written = copy.read_text("utf-8")
    Team(ageing.home, repository).unregister()
    look(ageing)
    assert ids(ageing, "project:shop") == set()

    Team(ageing.home, repository).register()
    copy.write_text(written, encoding="utf-8")
    ageing.sync()
    kg("import", before)

    assert ids(ageing, "project:shop") == set()
    assert "tombstones" not in json.loads(copy.read_text("utf-8")), "it would be deleted for colleagues"


def test_what_aged_before_a_team_shared_it_stays_in_their_copy(ageing, repository):
    orphaned(ageing, "old", cwd=str(repository))
    look(ageing)
    ageing.put("in-use", "shown", cwd=str(repository))
    at = ageing.clock() - DAY
    node = Node(id="old", gist="as a colleague has it", created=at, written=Written(at=at, by="c", author="c"))
    edge = Edge(source="old", rel="uses", target="other")
    theirs = Graph.build(
        "project:shop", nodes={"old": node, "other": replace(node, id="other")}, edges={edge.key: edge}
    )
    copy = repository / ".kg" / "graph.json"
    copy.parent.mkdir()
    copy.write_bytes(b"".join(asyncio.run(content(theirs))))
    Team(ageing.home, repository).register()

    for gist in ("written here", "and again"):
        ageing.sync()
        assert "old" not in ids(ageing, "project:shop")
        found = json.loads(copy.read_text("utf-8"))
        assert set(found["nodes"]) == {"old", "other", "in-use"}
        assert [record["from"] for record in found["edges"]] == ["old"]
        ageing.put("in-use", gist, cwd=str(repository))
    copy.write_text(copy.read_text("utf-8").replace("as a colleague has it", "changed by them"), encoding="utf-8")
    ageing.sync()
    assert ageing.graph("project:shop").nodes["old"].gist == "changed by them"


def test_what_a_team_shares_does_not_age(ageing, repository):
    orphaned(ageing, "old", cwd=str(repository))
    Team(ageing.home, repository).register()
    ageing.sync()

    look(ageing)

    assert ids(ageing, "project:shop") == {"old"}


def test_it_is_looked_again_and_again_without_being_asked(servers, monkeypatch):
    looked = threading.Semaphore(0)

    async def run(self):
        looked.release()

    monkeypatch.setattr(keeping, "_LOOK_SECONDS", 0.01)
    monkeypatch.setattr(keeping, "_AGE_SECONDS", 0.0)
    monkeypatch.setattr(Ageing, "run", run)
    servers()

    assert all(looked.acquire(timeout=20) for _ in range(2))


def test_what_the_maintainer_has_an_edge_into_stays_though_its_graph_is_not_loaded(servers):
    settings = Settings.model_validate({"memory": {"age_orphans_days": DAYS}})
    server = servers(settings=settings)
    orphaned(server, "noted", "old")
    server.graph("maintain")
    edge = Edge(source="chore", rel="derived-from", target="user:noted")

    async def note(service):
        change = Change(graph="maintain", nodes={"chore": Node(id="chore", gist="x")}, edges={edge.key: edge})
        await service._memory.commit(Write(by="s", at=1, changes=(change,)))

    server.do(note)
    server.stop()
    server = servers(settings=settings)

    look(server)

    assert ids(server) == {"noted"}


def test_a_file_that_cannot_be_added_to_is_told_until_it_can(ageing):
    orphaned(ageing, "old")
    path = ageing.home.aged("user")
    path.parent.mkdir()
    path.write_text('{"format": 1, "nodes": {"x"', encoding="utf-8")

    look(ageing)

    assert ids(ageing) == {"old"}
    (told,) = ageing.problems()
    assert str(path) in told
    assert "no lesson is moved" in told
    path.unlink()
    look(ageing)
    assert aged(ageing) == {"old"}
    assert not ageing.problems()


def test_a_write_that_comes_in_between_keeps_the_lesson(ageing, monkeypatch):
    orphaned(ageing, "old", "other")

    async def run(service):
        async def keep(self, graph):
            done = await kept(self, graph)
            await service.call(ToolCall(name="kg_read", arguments={"ids": ["old"]}, session_hint="s"))
            return done

        with monkeypatch.context() as patch:
            kept = Aged.keep
            patch.setattr(Aged, "keep", keep)
            await service.keeping.ageing.run()

    ageing.do(run)

    assert ids(ageing) == {"old", "other"}
    assert ageing.graph("user").tier("old") is Tier.ACTIVE
    look(ageing)
    assert ids(ageing) == {"old"}


def test_a_backup_holds_it_and_a_memory_that_is_lost_gets_it_back(kg, servers, ageing, tmp_path):
    orphaned(ageing, "old", "wrong")
    by_hand = Use(tier=Tier.ORPHANED, orphaned_at=1)
    ageing.commit(nodes={"by-hand": Node(id="by-hand", gist="of no time")}, use={"by-hand": by_hand})
    ageing.put("in-use", "shown")
    look(ageing)
    assert kg("restore", ageing.home.aged("user"), "--level", "user", "--deleted", "wrong")[0] == 0
    ageing.delete("wrong")
    backup = tmp_path / "b.tar.gz"
    assert kg("backup", backup)[0] == 0
    ageing.delete("in-use")

    out = kg("restore", backup)[1]

    assert ids(ageing) == set()
    assert "Skipped" not in out
    fresh = servers("new")
    assert kg("restore", backup)[0] == 0
    assert ids(fresh) == {"old", "by-hand", "in-use"}


def test_a_restore_puts_nothing_that_has_aged_in_the_place_of_what_is_here_in_another_spelling(kg, ageing, tmp_path):
    orphaned(ageing, "old")
    look(ageing)
    ageing.put("Old", "learned anew")
    backup = tmp_path / "b.tar.gz"
    assert kg("backup", backup)[0] == 0

    assert kg("restore", backup)[0] == 0

    assert {node.gist for node in ageing.graph("user").nodes.values()} == {"learned anew"}


def test_a_restore_leaves_what_was_learned_anew_since_unless_the_aged_lesson_is_named(kg, ageing, tmp_path):
    orphaned(ageing, "old", "other")
    look(ageing)
    backup = tmp_path / "b.tar.gz"
    assert kg("backup", backup)[0] == 0
    ageing.put("old", "learned anew")

    assert kg("restore", backup)[0] == 0
    assert kg("import", backup)[0] == 0
    assert {node.gist for node in ageing.graph("user").nodes.values()} == {"learned anew"}
    assert not ageing.graph("user").nodes["old"].conflicts

    assert kg("restore", backup, "old")[0] == 0
    assert ageing.graph("user").nodes["old"].gist == "of old"


def test_who_writes_it_anew_is_told_where_the_earlier_one_is(kg, ageing):
    orphaned(ageing, "old-lesson")
    look(ageing)

    told = called(ageing, "kg_put_node", id="old-lesson", gist="learned anew", level="user").text

    assert f"moved to {ageing.home.aged('user')}" in told
    assert "deleted" not in told.replace("--deleted", "")
    assert "1 put back" in brought_back(kg, told)
    assert ageing.graph("user").nodes["old-lesson"].gist == "of old-lesson"


def test_a_damaged_file_in_a_backup_keeps_nothing_else_from_coming_back(kg, ageing, tmp_path):
    ageing.put("in-use", "shown")
    ageing.home.aged("user").parent.mkdir()
    ageing.home.aged("user").write_text("{{{", encoding="utf-8")
    backup = tmp_path / "b.tar.gz"
    assert kg("backup", backup)[0] == 0

    code, out, _ = kg("restore", backup)

    assert code == 0
    assert "1 unchanged" in out
    assert "Skipped: archive/user.json" in out


def test_a_folder_of_a_persons_own_where_what_has_aged_would_stand_is_left_alone(kg, server, git, tmp_path):
    git(server.home.root, "init", "--quiet", str(server.home.memory))
    server.put("in-use", "shown")
    own = server.home.aged("user").parent
    own.mkdir()
    (own / "notes.json").write_text("[]", encoding="utf-8")
    (own / "gone.json").symlink_to(own / "nowhere")
    (own / "maintain.json").mkdir()
    backup = tmp_path / "b.tar.gz"

    code, _, err = kg("backup", backup)
    assert (code, err) == (0, "")
    assert kg("commit")[0] == 0

    with tarfile.open(backup) as found:
        assert not [name for name in found.getnames() if "archive" in name]
    assert "archive" not in git(server.home.memory, "ls-files")


def test_it_is_committed_with_the_memory(kg, ageing, git):
    git(ageing.home.root, "init", "--quiet", str(ageing.home.memory))
    orphaned(ageing, "old")
    look(ageing)

    assert kg("commit")[0] == 0

    assert "archive/user.json" in git(ageing.home.memory, "ls-files")
    assert not git(ageing.home.memory, "status", "--short")
