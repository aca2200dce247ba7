"""A team's exchange copy: what goes into it, what comes in from it, and what it cannot take away."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from kg_core.model import Edge, Node, Tombstone, to_iso
from kg_server.keeping import exchange
from kg_server.setup.team import Team


def nodes(path: Path) -> dict[str, dict]:
    return json.loads(path.read_text(encoding="utf-8"))["nodes"]


@pytest.fixture
def shared(server, repository) -> Path:
    """A repository that takes part in an exchange; its copy."""
    server.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(server.home, repository).register()
    server.sync()
    return repository / ".kg" / "graph.json"


def test_the_copy_holds_the_projects_memory_for_everybody_to_read(server, shared, repository, git) -> None:
    assert set(nodes(shared)) == {"retry-three-times"}
    assert shared.stat().st_mode & 0o777 == 0o644
    assert (shared.parent / ".gitattributes").read_text(encoding="utf-8") == "graph.json merge=kg\n"
    assert sys.executable in git(repository, "config", "--local", "merge.kg.driver")
    assert sorted(path.name for path in shared.parent.iterdir()) == [".gitattributes", "graph.json"]


def test_what_is_learned_goes_into_the_copy_and_what_colleagues_learn_comes_in(server, shared, repository) -> None:
    server.put("queue-order", "Order is kept", cwd=str(repository))
    server.sync()
    assert set(nodes(shared)) == {"queue-order", "retry-three-times"}

    theirs = json.loads(shared.read_text(encoding="utf-8"))
    theirs["nodes"]["from-ben"] = {"gist": "Ben's lesson, key AKIAIOSFODNN7EXAMPL3"}
    shared.write_text(json.dumps(theirs), encoding="utf-8")
    (outcome,) = server.sync()

    assert outcome["changed"] == 1
    gist = server.graph("project:shop").nodes["from-ben"].gist
    assert gist.startswith("Ben's lesson")
    assert "AKIAIOSFODNN7EXAMPL3" not in gist
    assert "AKIAIOSFODNN7EXAMPL3" not in shared.read_text(encoding="utf-8")


def test_a_lesson_that_a_colleague_went_on_with_is_as_recent_as_their_write(server, shared) -> None:
    theirs = json.loads(shared.read_text(encoding="utf-8"))
    at = server.graph("project:shop").nodes["retry-three-times"].written.at + 5_000
    continued = {"gist": "Five retries", "written": {"at": to_iso(at), "by": "ben", "author": "ben"}}
    theirs["nodes"]["retry-three-times"] |= continued
    shared.write_text(json.dumps(theirs), encoding="utf-8")

    server.sync()

    graph = server.graph("project:shop")
    assert graph.nodes["retry-three-times"].gist == "Five retries"
    assert graph.use_of("retry-three-times").activity_at == at


SECRET = "AKIA" + "Q3EGRJ4XVZ7LMN2P"


def test_a_secret_that_a_hand_wrote_goes_to_no_colleague_and_stays_where_it_was_written(
    server, shared, repository
) -> None:
    noted = (f"opens with {SECRET}",)
    edge = Edge(source="by-hand", rel="uses", target="retry-three-times", notes=noted)
    server.commit(
        str(repository),
        nodes={"by-hand": Node(id="by-hand", gist="Written by hand", notes=noted, created=1)},
        edges={edge.key: edge},
    )
    server.sync()
    server.sync()

    assert shared.read_text(encoding="utf-8").count("[secret:aws-access-key]") == 2
    assert SECRET not in shared.read_text(encoding="utf-8")
    graph = server.graph("project:shop")
    assert (graph.nodes["by-hand"].notes, graph.edges[edge.key].notes) == (noted, noted)
    assert graph.nodes["by-hand"].conflicts == ()


def test_a_secret_in_a_relation_of_a_colleague_is_not_taken_over(server, shared) -> None:
    theirs = json.loads(shared.read_text(encoding="utf-8"))
    theirs["nodes"]["from-ben"] = {"gist": "Ben's lesson"}
    theirs["edges"] = [{"from": "from-ben", "to": "retry-three-times", "rel": "uses", "notes": [f"by {SECRET}"]}]
    shared.write_text(json.dumps(theirs), encoding="utf-8")
    server.sync()

    (edge,) = server.graph("project:shop").edges.values()
    assert edge.notes == ("by [secret:aws-access-key]",)
    assert SECRET not in shared.read_text(encoding="utf-8")


def test_a_graph_is_not_loaded_for_a_copy_that_is_as_it_was_left(servers, repository) -> None:
    first = servers()
    first.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(first.home, repository).register()
    first.sync()
    first.stop()

    again = servers()
    again.sync()
    assert "project:shop" not in again.service._memory.loaded

    again.put("queue-order", "Order is kept", cwd=str(repository))
    again.sync()
    assert set(nodes(repository / ".kg" / "graph.json")) == {"queue-order", "retry-three-times"}


def test_what_colleagues_did_while_no_server_ran_is_there_when_it_starts(servers, repository) -> None:
    first = servers()
    first.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(first.home, repository).register()
    first.sync()
    first.stop()
    copy = repository / ".kg" / "graph.json"
    theirs = json.loads(copy.read_text(encoding="utf-8"))
    theirs["nodes"]["from-ben"] = {"gist": "Ben's lesson"}
    copy.write_text(json.dumps(theirs), encoding="utf-8")

    again = servers()

    assert set(again.graph("project:shop").nodes) == {"from-ben", "retry-three-times"}


def test_two_people_exchange_through_git_and_both_hold_everything(servers, repository, person, git):
    ana = servers("ana-memory")
    ana.put("retry-three-times", "Three retries", cwd=str(repository))
    ana.put("short-lived", "Soon gone", cwd=str(repository))
    Team(ana.home, repository).register()
    ana.sync()
    git(repository, "add", ".kg")
    git(repository, "commit", "--quiet", "-m", "Share")
    clone = person / "clone"
    git(person, "clone", "--quiet", str(repository), str(clone))
    ben = servers("ben-memory")
    ben.put("queue-order", "Order is kept", cwd=str(clone))
    Team(ben.home, clone).register()
    ben.sync()
    assert set(ben.graph("project:clone").nodes) == {"queue-order", "retry-three-times", "short-lived"}
    ben.clock.now = ana.clock.now + 1_000
    ben.put("retry-three-times", "Ben's three retries", cwd=str(clone))
    ben.sync()
    git(clone, "commit", "--quiet", "-am", "Ben")
    ana.clock.now = ben.clock.now + 1_000
    ana.put("retry-three-times", "Ana's three retries", cwd=str(repository))
    ana.delete("short-lived", cwd=str(repository))
    ana.sync()
    git(repository, "commit", "--quiet", "-am", "Ana")

    git(clone, "pull", "--quiet", "--no-rebase", "--no-edit")
    ben.sync()

    merged = ben.graph("project:clone")
    assert set(merged.nodes) == {"queue-order", "retry-three-times"}
    assert merged.nodes["retry-three-times"].gist == "Ben's three retries"
    assert [aside["gist"] for aside in merged.nodes["retry-three-times"].conflicts] == ["Ana's three retries"]
    assert set(merged.tombstones) == {"short-lived"}
    assert git(clone, "status", "--short") == ""


def test_an_old_branch_and_one_without_the_copy_take_nothing_back(server, shared, repository, git) -> None:
    """Bug cases 8 and 17."""
    git(repository, "add", ".kg")
    git(repository, "commit", "--quiet", "-m", "Share")
    git(repository, "branch", "old")
    server.put("retry-three-times", "Better: three retries, then park", cwd=str(repository))
    server.put("queue-order", "Order is kept", cwd=str(repository))
    server.sync()
    git(repository, "commit", "--quiet", "-am", "More")
    before = server.graph("project:shop")

    git(repository, "switch", "--quiet", "--detach", "HEAD~2")
    assert not shared.exists()
    server.sync()
    assert server.graph("project:shop") is before
    assert not shared.exists()

    git(repository, "switch", "--quiet", "old")
    server.sync()
    assert server.graph("project:shop").nodes == before.nodes
    assert set(nodes(shared)) == {"queue-order", "retry-three-times"}


def test_a_lesson_that_was_deleted_does_not_come_back_with_an_old_copy(server, shared, repository) -> None:
    """Bug case 17."""
    old = shared.read_text(encoding="utf-8")
    server.delete("retry-three-times", cwd=str(repository))
    server.sync()
    assert nodes(shared) == {}

    shared.write_text(old, encoding="utf-8")
    server.sync()

    assert not server.graph("project:shop").nodes
    assert nodes(shared) == {}
    assert isinstance(server.graph("project:shop").tombstones["retry-three-times"], Tombstone)


def test_a_copy_with_conflict_markers_gives_both_sides(server, shared) -> None:
    """Bug case 7."""
    text = shared.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines(keepends=True) if "Three retries" in line)
    conflict = f"<<<<<<< HEAD\n{line}=======\n{line.replace('Three', 'Four')}>>>>>>> other\n"
    shared.write_text(text.replace(line, conflict), encoding="utf-8")

    server.sync()

    node = server.graph("project:shop").nodes["retry-three-times"]
    said = {node.gist, *(aside["gist"] for aside in node.conflicts)}
    assert said == {"Three retries", "Four retries"}
    assert "<<<<<<<" not in shared.read_text(encoding="utf-8")


def test_what_a_colleague_changed_otherwise_is_told_as_kept_beside_ours(server, shared, repository) -> None:
    theirs = json.loads(shared.read_text(encoding="utf-8"))
    theirs["nodes"]["retry-three-times"]["gist"] = "Five retries"
    server.put("retry-three-times", "Four retries", cwd=str(repository))
    shared.write_text(json.dumps(theirs), encoding="utf-8")
    (outcome,) = server.sync()
    server.do(lambda service: service._memory.store.snapshot())

    assert outcome["conflicts"] == ["retry-three-times"]
    (told,) = server.problems()
    assert "two versions of retry-three-times" in told


def test_a_broken_copy_is_left_alone_and_told(server, shared) -> None:
    shared.write_text('{"nodes": {"retry-th', encoding="utf-8")

    server.sync()
    server.sync()

    assert shared.read_text(encoding="utf-8") == '{"nodes": {"retry-th'
    assert [sentence for sentence in server.problems() if str(shared) in sentence]
    assert set(server.graph("project:shop").nodes) == {"retry-three-times"}


def test_a_merge_under_way_in_the_work_tree_is_not_disturbed(server, shared, repository) -> None:
    (repository / ".git" / "MERGE_HEAD").write_text("0" * 40, encoding="utf-8")
    before = shared.read_bytes()
    server.put("queue-order", "Order is kept", cwd=str(repository))

    server.sync()

    assert shared.read_bytes() == before


def test_a_repository_cannot_lead_to_files_outside_of_it(server, shared, person) -> None:
    secret = person / "private.json"
    mine = '{"format": 1, "nodes": {"private": {"gist": "mine"}}, "edges": []}'
    secret.write_text(mine, encoding="utf-8")
    shared.unlink()
    shared.symlink_to(secret)

    server.sync()

    assert "private" not in server.graph("project:shop").nodes
    assert secret.read_text(encoding="utf-8") == mine
    assert any("symbolic link" in sentence for sentence in server.problems())


def test_what_is_no_file_in_the_place_of_a_copy_is_not_waited_for(server, shared) -> None:
    shared.unlink()
    os.mkfifo(shared)

    server.sync()

    assert any(f"{shared} cannot be used (it is no file)" in sentence for sentence in server.problems())


def test_a_copy_that_has_become_a_pipe_since_it_was_looked_at_is_not_waited_for(shared) -> None:
    shared.unlink()
    os.mkfifo(shared)

    with pytest.raises(OSError, match="it is no file"):
        exchange._bytes(shared)


def test_a_copy_larger_than_any_memory_is_not_read(server, shared) -> None:
    os.truncate(shared, exchange.LARGEST + 1)

    server.sync()

    assert any("it has more than 268,435,456 bytes" in sentence for sentence in server.problems())


def test_a_link_where_the_copy_is_written_anew_is_not_written_through(server, shared, repository, person) -> None:
    private = person / "private.json"
    private.write_text("mine", encoding="utf-8")
    private.chmod(0o600)
    (shared.parent / ".graph.json.tmp").symlink_to(private)
    server.put("queue-order", "Order is kept", cwd=str(repository))

    server.sync()

    assert private.read_text(encoding="utf-8") == "mine"
    assert private.stat().st_mode & 0o777 == 0o600
    assert not shared.is_symlink()
    assert set(nodes(shared)) == {"queue-order", "retry-three-times"}


def test_setup_shows_what_it_would_do_and_does_it_and_undoes_it(kg, server, repository, git, monkeypatch) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setattr("kg_server.cli.team._start", lambda _: None)
    config = (repository / ".git" / "config").read_text(encoding="utf-8")

    off = kg("setup", "--team", "--off")
    assert off == (0, f"{repository} does not share its memory; there is nothing to end.\n", "")
    code, out, _ = kg("setup", "--team", "--dry-run", "--full")
    assert code == 0
    assert "merge.kg.driver" in out
    assert "graph.json merge=kg" in out
    assert not (repository / ".kg").exists()

    code, out, _ = kg("setup", "--team")
    assert code == 0
    assert (repository / ".kg" / "graph.json").exists()
    assert kg("setup", "--team")[0] == 0

    git(repository, "add", ".kg")
    code, out, _ = kg("setup", "--team", "--off")
    assert code == 0
    assert "Commit that .kg/.gitattributes is deleted." in out
    assert not (repository / ".kg" / ".gitattributes").exists()
    assert (repository / ".kg" / "graph.json").exists()
    assert (repository / ".git" / "config").read_text(encoding="utf-8") == config


@pytest.fixture
def quick_doctor(monkeypatch) -> None:
    """A doctor who looks at no agent."""
    monkeypatch.setattr("kg_server.setup.findings.agent", lambda *_: ())


def test_a_clone_with_lessons_of_a_team_is_told_how_to_have_them(
    kg, servers, repository, person, git, monkeypatch, quick_doctor
) -> None:
    theirs = servers(".kg-of-ben")
    theirs.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(theirs.home, repository).register()
    theirs.sync()
    git(repository, "add", ".kg")
    git(repository, "commit", "--quiet", "-m", "Share")
    clone = person / "clone"
    git(person, "clone", "--quiet", str(repository), str(clone))
    linked = person / "linked"
    git(clone, "worktree", "add", "--quiet", str(linked))
    servers()
    monkeypatch.setattr("kg_server.cli.team._start", lambda _: None)
    (clone / "src").mkdir()

    for folder, tree in ((clone / "src", clone), (linked, linked)):
        monkeypatch.chdir(folder)
        advice = f"run `kg setup --team` in {tree};"
        assert advice in kg("show")[2]
        assert f"note  memory: {tree / '.kg' / 'graph.json'} holds lessons of a team" in kg("doctor")[1]

    monkeypatch.chdir(clone)
    assert kg("setup", "--team")[0] == 0
    for folder in (clone, linked):
        monkeypatch.chdir(folder)
        code, out, err = kg("show")
        assert (code, "retry-three-times" in out, err) == (0, True, "")
        assert "holds lessons of a team" not in kg("doctor")[1]

    monkeypatch.chdir(person)
    clone.rename(person / "moved")
    monkeypatch.chdir(person / "moved")
    told = kg("show")[2]
    assert "is not kept in step with this memory. If you trust" in told, "it has what is in it, and that is no lie"
    assert "run `kg setup --team`" in told


def test_who_will_not_share_is_told_once_of_a_copy(kg, server, shared, repository, monkeypatch, quick_doctor) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setattr("kg_server.cli.team._start", lambda _: None)

    assert kg("setup", "--team", "--off")[0] == 0
    assert kg("show")[2] == ""
    (server.home.state / "team-off.json").unlink()
    assert "with --off this is not said again" in kg("show")[2]
    assert kg("setup", "--team", "--off", "--dry-run")[0] == 0
    assert kg("show")[2] != ""
    assert "nothing to end" in kg("setup", "--team", "--off")[1]
    assert kg("show")[2] == ""
    assert "holds lessons of a team" not in kg("doctor")[1]

    assert kg("setup", "--team")[0] == 0
    assert json.loads((server.home.state / "team-off.json").read_bytes()) == {"trees": []}


def test_a_link_in_the_place_of_a_copy_is_no_copy_of_a_team(kg, server, repository, person, monkeypatch) -> None:
    (repository / ".kg").mkdir()
    (person / "elsewhere.json").write_text("{}", encoding="utf-8")
    (repository / ".kg" / "graph.json").symlink_to(person / "elsewhere.json")
    monkeypatch.chdir(repository)

    assert kg("show")[2] == ""


def test_uninstalling_takes_kg_out_of_repositories(kg, servers, repository, git) -> None:
    server = servers()
    config = (repository / ".git" / "config").read_text(encoding="utf-8")
    server.put("retry-three-times", "Three retries", cwd=str(repository))
    Team(server.home, repository).register()
    server.sync()
    git(repository, "add", ".kg")

    code, out, _ = kg("uninstall", "--yes")

    assert code == 0, out
    assert "Commit that .kg/.gitattributes is deleted." in out
    assert not (repository / ".kg" / ".gitattributes").exists()
    assert (repository / ".kg" / "graph.json").exists()
    assert (repository / ".git" / "config").read_text(encoding="utf-8") == config
    assert Team.all(server.home) == ()


def test_what_was_never_committed_need_not_be_committed_as_deleted(kg, servers, repository) -> None:
    Team(servers().home, repository).register()

    code, out, _ = kg("uninstall", "--yes")

    assert code == 0, out
    assert "is not shared any more" in out
    assert "Commit" not in out


def test_of_a_repository_that_is_gone_no_copy_is_said_to_stay(kg, server, shared, repository) -> None:
    shutil.rmtree(repository)

    code, out, _ = kg("uninstall", "--yes")

    assert code == 0, out
    assert f"{repository}: its memory is not shared any more.\n" in out


@pytest.mark.parametrize("left", [True, False], ids=["an empty folder", "nothing"])
def test_where_a_repository_within_another_was_nothing_of_the_other_is_put(servers, repository, git, left) -> None:
    """As ``git submodule deinit`` leaves an empty folder, and ``git rm`` none."""
    first = servers()
    inner = repository / "vendor"
    inner.mkdir()
    git(inner, "init", "--quiet")
    Team(first.home, inner).register()
    first.put("retry-three-times", "Three retries", cwd=str(repository))
    first.stop()
    shutil.rmtree(inner)
    if left:
        inner.mkdir()

    (outcome,) = servers().sync()

    assert outcome["problem"] == ""
    assert inner.exists() is left
    assert not (inner / ".kg").exists()


def test_another_repository_in_the_place_of_one_that_shared_its_memory_does_not_share_its_own(
    kg, servers, repository, person, git, monkeypatch
) -> None:
    first = servers()
    place = person / "place"
    git(repository, "worktree", "add", "--quiet", str(place))
    first.put("retry-three-times", "Three retries", cwd=str(place))
    Team(first.home, place).register()
    first.sync()
    assert set(nodes(place / ".kg" / "graph.json")) == {"retry-three-times"}
    first.stop()
    git(repository, "worktree", "remove", "--force", str(place))
    place.mkdir()
    git(place, "init", "--quiet")

    server = servers()
    server.put("queue-order", "Order is kept", cwd=str(place))
    (outcome,) = server.sync()

    assert "another repository" in outcome["problem"]
    assert not (place / ".kg").exists()

    monkeypatch.chdir(place)
    assert kg("setup", "--team")[0] == 0
    assert "queue-order" in nodes(place / ".kg" / "graph.json")


def test_what_is_wrong_with_a_copy_is_told_no_longer_than_it_is_kept_in_step(
    kg, server, shared, repository, monkeypatch
) -> None:
    shared.unlink()
    shared.mkdir()
    assert server.sync()[0]["problem"]
    assert [problem.path for problem in server.service._memory.store.problems()] == [str(shared)]
    shared.rmdir()
    shared.symlink_to("/nowhere/at/all")
    monkeypatch.chdir(repository)

    code, out, _ = kg("setup", "--team", "--off")

    assert code == 0
    assert f"{shared} is not kept in step any longer." in out
    server.sync()
    assert server.service._memory.store.problems() == ()


def test_a_folder_outside_of_any_repository_cannot_share(kg, server, person, monkeypatch) -> None:
    monkeypatch.chdir(person)

    code, _, err = kg("setup", "--team")

    assert code == 2
    assert "no work tree" in err


def test_a_link_in_place_of_the_folder_is_not_written_through(kg, server, repository, person, git, monkeypatch) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setattr("kg_server.cli.team._start", lambda _: None)
    private = person / "private"
    private.mkdir()
    (repository / ".kg").symlink_to(private)
    config = (repository / ".git" / "config").read_text(encoding="utf-8")

    code, _, err = kg("setup", "--team")

    assert code == 2
    assert "is a symbolic link" in err
    assert list(private.iterdir()) == []
    assert (repository / ".git" / "config").read_text(encoding="utf-8") == config
    assert Team.all(server.home) == ()


def test_a_link_in_place_of_the_attributes_is_not_written_through(kg, server, repository, person, monkeypatch) -> None:
    monkeypatch.chdir(repository)
    monkeypatch.setattr("kg_server.cli.team._start", lambda _: None)
    (repository / ".kg").mkdir()
    (repository / ".kg" / ".gitattributes").symlink_to(person / "nothing yet")

    code, _, err = kg("setup", "--team")

    assert code == 2
    assert "is a symbolic link" in err
    assert not (person / "nothing yet").exists()
    assert Team.all(server.home) == ()


@pytest.mark.skipif(os.name == "nt", reason="names there are text")
def test_a_repository_whose_name_is_not_utf_8_is_told_that_it_cannot_share(kg, server, person, git, monkeypatch):
    folder = Path(os.fsdecode(os.fsencode(person) + b"/caf\xe9"))
    folder.mkdir()
    git(folder, "init", "--quiet")
    monkeypatch.chdir(folder)
    sys.stderr.reconfigure(errors="backslashreplace")  # as a process has it

    code, _, err = kg("setup", "--team")

    assert code == 2
    assert "cannot take part: its name is not UTF-8" in err
