"""Documents of a folder in a real Postgres: what gets in, what stays out, and what is embedded again."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import subprocess
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

import kg_search_pg
from kg_plugin_api import Event, EventKind, KgError, SearchItem, SearchRequest
from kg_search_pg.desk import Desk
from kg_search_pg.documents import files
from kg_search_pg.documents.files import LARGEST, listed
from kg_search_pg.documents.pieces import MOST
from kg_search_pg.embedding.tokens import estimate
from kg_search_pg.options import Options

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from kg_search_pg.backend import PgBackend
    from kg_search_pg.documents import Documents

SECRET = "hunter2-" + "correct-horse"
GUIDE = """# Guide

Turn the crane off before the harbour closes.

## Roll back

```sh
kettle --undo  # not a heading
# nor this
```

## Long

"""
PARAGRAPH = "The payment worker stops trying again after five attempts. " * 12


class Lender:
    """What a server lends: a filter of one secret, and projects by the names of folders."""

    projects: dict[str, str]

    def __init__(self) -> None:
        self.projects = {}

    def without_secrets(self, text: str) -> str:
        return text.replace(SECRET, "[secret:password]")

    def graph(self, folder: str) -> str:
        return next((graph for root, graph in self.projects.items() if Path(folder).is_relative_to(root)), "user")


def git(folder: Path, *arguments: str) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    subprocess.run(["git", *arguments], cwd=folder, env=environ, check=True, capture_output=True)


def write(root: Path, **texts: str) -> None:
    for name, text in texts.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one of everything that is to be found, cut, changed or left out."""
    root = tmp_path / "harbour"
    outside = tmp_path / "outside"
    write(outside, **{"elsewhere.md": "# Elsewhere\n\nwalnut\n"})
    write(
        root,
        **{
            "README.md": "# Harbour\n\nThe harbour closes at nine.\n",
            "docs/guide.md": GUIDE + f"{PARAGRAPH}\n\n" * 6,
            "docs/keys.md": f"# Keys\n\nThe password is {SECRET}, glacier.\n",
            "docs/private/plans.md": "# Plans\n\nwalnut\n",
            "docs/draft-one.md": "# Draft\n\nwalnut\n",
            "docs/large.md": "walnut " * (LARGEST // 7 + 1),
            "build/made.md": "# Made\n\nwalnut\n",
            "notes.txt": "walnut\n",
            ".gitignore": "build/\n",
            ".kgignore": "# not for the memory\nprivate/\n",
            "docs/.kgignore": "draft-*\n",
        },
    )
    (root / "docs" / "link.md").symlink_to(outside / "elsewhere.md")
    (root / "linked").symlink_to(outside)
    git(root, "init", "-q")
    git(root, "add", "-A", "--", "docs", "README.md", "linked")
    return root.resolve()


@pytest.fixture
def lender(repository: Path) -> Lender:
    lender = Lender()
    lender.projects[str(repository)] = "project:harbour"
    return lender


@pytest.fixture
def documented(opened: Any, until: Any, lender: Lender, tmp_path: Path) -> Any:
    """Opens a backend with documents and gives both."""

    @asynccontextmanager
    async def open_one(**more: Any) -> AsyncIterator[tuple[PgBackend, Documents]]:
        async with opened(host=lender, home=tmp_path / "home", **more) as backend:
            assert backend.documents is not None
            yield backend, backend.documents

    return open_one


def embedded(health: dict[str, Any]) -> bool:
    return health["rows"] > 0 and health["lag"] == 0


def ask(text: str, *graphs: str, **more: Any) -> SearchRequest:
    return SearchRequest(text=text, graphs=graphs or ("user", "project:harbour"), budget=30.0, documents=3, **more)


async def chunks(postgres: Any, columns: str = "content") -> list[Any]:
    async with await psycopg.AsyncConnection.connect(postgres.dsn) as connection:
        query = f"select {columns} from tried.chunk where type = 'document' order by item, line, id".encode()
        return [row if len(row) > 1 else row[0] for row in await (await connection.execute(query)).fetchall()]


async def passages(backend: PgBackend, text: str, *graphs: str) -> list[tuple[str, int]]:
    found = await backend.search(ask(text, *graphs))
    return [(Path(hit.passage.path).name, hit.passage.line) for hit in found.hits if hit.passage is not None]


async def quiet(documents: Documents) -> None:
    """Waits until nothing is looked at in the background."""
    while documents._tasks:
        await asyncio.gather(*documents._tasks)


def test_what_is_no_document_or_is_kept_out_does_not_get_in_and_the_reason_is_told(repository: Path) -> None:
    found = listed(repository)

    assert found.names == ("README.md", "docs/guide.md", "docs/keys.md")
    assert dict(found.left_out) == {
        "docs/draft-one.md": ".kgignore",
        "docs/large.md": "it has more than 600,000 bytes",
        "docs/link.md": "it is a link, or is reached by one",
        "docs/private/plans.md": ".kgignore",
    }


def test_rules_above_the_folder_hold_and_a_deeper_one_takes_nothing_back(repository: Path) -> None:
    write(repository, **{"docs/private/.kgignore": "!plans.md\n"})

    assert listed(repository / "docs").names == ("guide.md", "keys.md")


def test_a_rule_that_cannot_be_read_lets_nothing_through(repository: Path) -> None:
    (repository / "docs" / ".kgignore").unlink()
    (repository / "docs" / ".kgignore").mkdir()

    with pytest.raises(KgError, match="kgignore cannot be read"):
        listed(repository)


def test_without_git_hidden_and_built_folders_and_other_work_trees_stay_out(repository: Path) -> None:
    shutil.rmtree(repository / ".git")
    write(repository, **{".cache/x.md": "walnut", "node_modules/x/README.md": "walnut", "other/README.md": "walnut"})
    (repository / "other" / ".git").mkdir()

    assert listed(repository).names == ("README.md", "docs/guide.md", "docs/keys.md")


def test_a_folder_that_cannot_be_looked_into_keeps_no_other_out(tmp_path: Path) -> None:
    write(tmp_path, **{"a.md": "walnut\n"})
    deep = tmp_path
    most = os.pathconf(tmp_path, "PC_PATH_MAX") - 4  # no room for the name that is looked for
    while (left := most - len(os.fsencode(deep))) > 1:
        deep = deep / ("d" * min(200, left - 1))
        deep.mkdir()

    assert listed(tmp_path).names == ("a.md",)


@pytest.mark.parametrize("trouble", ["damaged", "missing"])
def test_where_git_cannot_say_what_is_excluded_nothing_is_listed(
    repository: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    if trouble == "damaged":
        (repository / ".git" / "HEAD").unlink()
    else:
        monkeypatch.setattr(files, "_GIT", ("no-such-git",))

    with pytest.raises(KgError, match="git does not say"):
        listed(repository)


def test_names_in_any_script_and_files_of_a_repository_that_names_a_program_are_listed(repository: Path) -> None:
    write(repository, **{"docs/部署 方案.MD": "# 部署\n", "docs/new\nline.markdown": "# x\n"})
    (repository / "run").write_text("#!/bin/sh\ntouch ran\n", encoding="utf-8")
    (repository / "run").chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(repository / "run"))

    assert {"docs/部署 方案.MD", "docs/new\nline.markdown"} <= set(listed(repository).names)
    assert not (repository / "ran").exists()


def test_the_documents_of_a_folder_are_cut_cleaned_and_found_as_documents(
    documented: Any, until: Any, repository: Path, postgres: Any, endpoint: Any
) -> None:
    async def main() -> None:
        async with documented() as (backend, documents):
            standing = await documents.add(repository, everywhere=False)
            await until(backend, embedded)

            assert (standing.report.graph, standing.report.new, standing.count.documents) == ("project:harbour", 3, 3)
            assert (standing.count.with_secrets, len(standing.report.left_out)) == (1, 4)
            rows = await chunks(postgres)
            assert max(map(estimate, rows)) <= MOST
            everything = "\n".join([*rows, *endpoint.texts, *(await chunks(postgres, "words::text"))])
            assert SECRET not in everything
            assert "horse" not in everything
            assert "walnut" not in everything
            assert "\n".join(rows).count("payment") == 6 * 12
            assert [text for text in rows if "```" in text] == [
                "## Roll back\n\n```sh\nkettle --undo  # not a heading\n# nor this\n```"
            ]
            found = (await backend.search(ask("kettle"))).hits
            assert found[0].passage is not None
            assert (found[0].passage.path, found[0].passage.line) == (str(repository / "docs" / "guide.md"), 5)
            assert (found[0].passage.heading, found[0].passage.kind) == ("Guide > Roll back", "note")
            assert dict(found[0].ranks)["lexical"] == 1
            assert (await passages(backend, "glacier"))[0] == ("keys.md", 1)

    asyncio.run(main())


def test_a_second_look_embeds_nothing_and_a_changed_line_only_its_piece(
    documented: Any, until: Any, repository: Path, endpoint: Any
) -> None:
    async def main() -> None:
        async with documented() as (backend, documents):
            await documents.add(repository, everywhere=False)
            await until(backend, embedded)
            endpoint.texts.clear()

            again = (await documents.add(repository, everywhere=False)).report
            await until(backend, embedded)
            assert (again.new, again.changed, again.unchanged, again.gone) == (0, 0, 3, 0)
            assert endpoint.texts == []

            guide = repository / "docs" / "guide.md"
            before = guide.read_text(encoding="utf-8")
            guide.write_text(before.replace("Turn the crane off", "Switch the crane off"), encoding="utf-8")
            edited = (await documents.add(repository, everywhere=False)).report
            await until(backend, embedded)
            assert (edited.changed, edited.unchanged) == (1, 2)
            assert endpoint.texts == ["# Guide\n\nSwitch the crane off before the harbour closes."]
            endpoint.texts.clear()

            on_top = "A line on top, which moves all others."
            guide.write_text(f"{on_top}\n\n" + guide.read_text(encoding="utf-8"), encoding="utf-8")
            await documents.add(repository, everywhere=False)
            await until(backend, embedded)
            assert endpoint.texts == [on_top]
            assert (await passages(backend, "kettle undo"))[0] == ("guide.md", 7)

    asyncio.run(main())


def test_what_is_gone_excluded_or_became_a_link_is_forgotten_and_what_cannot_be_read_stays(
    documented: Any, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            write(repository, **{"a.md": "# A\n\nledger\n", "b.md": "# B\n\nledger\n", "c.md": "# C\n\nledger\n"})
            write(repository, **{"d.md": "# D\n\nledger\n"})
            await documents.add(repository, everywhere=False)
            (repository / "a.md").unlink()
            write(repository, **{".kgignore": "/b.md\nprivate/\n"})
            (repository / "c.md").unlink()
            (repository / "c.md").symlink_to(repository / "README.md")
            read = files.read

            def fails(root: Path, name: str) -> bytes:
                if name == "d.md":
                    raise PermissionError(13, "denied")
                return read(root, name)

            monkeypatch.setattr("kg_search_pg.documents.keeper.read", fails)

            report = (await documents.add(repository, everywhere=False)).report

            assert (report.gone, report.unchanged) == (3, 3)
            assert "cannot be read" in report.left_out["d.md"]
            assert await passages(backend, "ledger") == [("d.md", 1)]

    asyncio.run(main())


def test_a_folder_that_lost_all_its_documents_is_told_and_forgets_nothing(documented: Any, repository: Path) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            await documents.add(repository, everywhere=False)
            for gone in (lambda: write(repository, **{".kgignore": "*\n"}), lambda: shutil.rmtree(repository)):
                gone()
                documents.refresh(str(repository))
                await quiet(documents)

                (standing,) = await documents.standings()
                assert standing.problem
                assert standing.count.documents == 3
                assert ("README.md", 1) in await passages(backend, "harbour closes at nine")

            assert await documents.remove(repository) == 3
            assert await documents.standings() == []
            assert await passages(backend, "harbour") == []

    asyncio.run(main())


def test_documents_are_found_from_their_project_or_from_everywhere_and_never_beyond(
    documented: Any, repository: Path
) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            await documents.add(repository, everywhere=False)
            assert await passages(backend, "nine", "user", "project:other") == []
            assert await passages(backend, "nine", "user", "project:harbour") == [("README.md", 1)]

            await documents.add(repository, everywhere=True)
            assert await passages(backend, "nine", "user", "project:other") == [("README.md", 1)]
            assert await passages(backend, "nine", "project:harbour") == []

    asyncio.run(main())


def test_documents_change_nothing_of_what_is_found_of_lessons(documented: Any, until: Any, repository: Path) -> None:
    lessons = [
        SearchItem(key=f"user\x1fn{number}", graph="user", id=f"n{number}", gist=gist, hash=gist)
        for number, gist in enumerate(["the harbour closes", "a crane", "the payment worker", "kettle of the harbour"])
    ]

    async def main() -> None:
        async with documented() as (backend, documents):
            await backend.upsert(lessons)
            await until(backend, embedded)
            asked = ["harbour", "payment worker attempts", "crane kettle", "closes at nine"]
            requests = [SearchRequest(text=text, graphs=("user",), budget=30.0) for text in asked]
            before = [await backend.search(request) for request in requests]
            groups = await backend.similar_groups("user", 5)

            await documents.add(repository, everywhere=True)
            await until(backend, embedded)

            assert [await backend.search(request) for request in requests] == before
            assert await backend.similar_groups("user", 5) == groups
            assert set(await backend.snapshot()) == {lesson.key for lesson in lessons}
            for text, alone in zip(asked, before, strict=True):
                both = (await backend.search(ask(text, "user"))).hits
                assert tuple(hit for hit in both if hit.passage is None) == alone.hits
                assert 0 < sum(hit.passage is not None for hit in both) <= 3
                assert [-hit.score for hit in both] == sorted(-hit.score for hit in both)
            stated = await backend.search(ask("harbour", "user", kinds=("stated",)))
            assert any(hit.passage for hit in stated.hits), "only a lesson can be a conclusion"
            assert not any(hit.passage for hit in (await backend.search(ask("harbour", "user", tags=("x",)))).hits)

    asyncio.run(main())


def test_a_reranker_or_an_embedder_that_hangs_takes_no_document_away(
    documented: Any, until: Any, repository: Path, reranker: Any, endpoint: Any
) -> None:
    lessons = [
        SearchItem(key=f"user\x1f{name}", graph="user", id=name, gist=f"the harbour {name}", hash=name)
        for name in ("opens", "closes")
    ]

    async def main() -> None:
        async with documented(reranker="tei", reranker_url=reranker.url) as (backend, documents):
            await backend.upsert(lessons)
            await documents.add(repository, everywhere=True)
            await until(backend, embedded)
            reranker.open.clear()
            endpoint.open.clear()
            try:
                found = await backend.search(replace(ask("harbour closes", "user"), budget=4.0))
            finally:
                endpoint.open.set()

            assert [hit.id for hit in found.hits if hit.passage is None] == ["closes", "opens"]
            assert any(hit.passage for hit in found.hits)
            assert "Not reranked" in found.degraded

    asyncio.run(main())


def test_of_one_document_two_passages_are_given_at_most(documented: Any, repository: Path) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            await documents.add(repository, everywhere=True)

            found = await passages(backend, "payment worker attempts")

            assert [name for name, _ in found] == ["guide.md", "guide.md"]

    asyncio.run(main())


def test_a_session_that_starts_has_the_documents_looked_at_again(
    documented: Any, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            monkeypatch.setattr(kg_search_pg, "_DESK", Desk(backend=backend))
            await documents.add(repository, everywhere=False)
            write(repository, **{"docs/new.md": "# New\n\npigment\n"})

            for kind, folder in ((EventKind.PROMPT, repository), (EventKind.SESSION_START, repository.parent)):
                kg_search_pg.kg_event_seen(Event(kind=kind, native="x", session="s", cwd=str(folder)))
                await quiet(documents)
                assert await passages(backend, "pigment") == []

            for _ in range(100):
                start = Event(kind=EventKind.SESSION_START, native="x", session="s", cwd=str(repository / "docs"))
                kg_search_pg.kg_event_seen(start)
            assert len(documents._tasks) == 1
            await quiet(documents)
            assert await passages(backend, "pigment") == [("new.md", 1)]
        kg_search_pg.kg_event_seen(start)

    asyncio.run(main())


def test_an_index_that_was_dropped_has_its_documents_again_once_it_is_opened(
    documented: Any, repository: Path, lender: Lender
) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (_, documents):
            await documents.add(repository, everywhere=False)

        async with documented(embedder="none") as (backend, documents):
            await quiet(documents)
            assert ("README.md", 1) in await passages(backend, "harbour")
            lender.projects[str(repository)] = "project:renamed"
            documents.begin()
            await quiet(documents)
            assert ("README.md", 1) in await passages(backend, "harbour", "project:renamed")

    asyncio.run(main())


def test_documents_whose_folder_is_not_listed_any_more_are_forgotten_when_it_opens(
    documented: Any, repository: Path, tmp_path: Path, postgres: Any
) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (_, documents):
            await documents.add(repository, everywhere=False)
        listing = tmp_path / "home" / "state" / "documents.json"
        assert listing.stat().st_mode & 0o777 == 0o600
        told = listing.read_text(encoding="utf-8")

        listing.write_text("{", encoding="utf-8")
        async with documented(embedder="none", keep=True) as (backend, documents):
            await quiet(documents)
            assert ("README.md", 1) in await passages(backend, "harbour")
            with pytest.raises(KgError, match=re.escape(str(listing))):
                await documents.add(repository, everywhere=False)
        assert listing.read_text(encoding="utf-8") == "{", "what cannot be read is not written over"

        listing.write_text(json.dumps({**json.loads(told), "sources": []}), encoding="utf-8")
        async with documented(embedder="none", keep=True) as (backend, documents):
            await quiet(documents)
            assert await chunks(postgres) == []

    asyncio.run(main())


@pytest.mark.parametrize(("indexed", "overlapping"), [(".", "docs"), ("docs", ".")])
def test_a_folder_that_overlaps_another_is_refused(
    documented: Any, repository: Path, indexed: str, overlapping: str
) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (_, documents):
            await documents.add(repository / indexed, everywhere=False)

            with pytest.raises(KgError, match="overlaps"):
                await documents.add(repository / overlapping, everywhere=False)
            with pytest.raises(KgError, match=f"those of {repository / indexed} are"):
                await documents.remove(repository / overlapping)

    asyncio.run(main())


def test_a_folder_without_documents_is_refused_and_told_why(documented: Any, repository: Path) -> None:
    async def main() -> None:
        async with documented(embedder="none") as (_, documents):
            write(repository, **{".kgignore": "*\n"})
            with pytest.raises(KgError, match=r"no Markdown .* \.kgignore"):
                await documents.add(repository, everywhere=False)
            with pytest.raises(KgError, match="no folder"):
                await documents.add(repository / "nowhere", everywhere=False)
            assert await documents.standings() == []

    asyncio.run(main())


def test_operations_add_show_and_remove(
    documented: Any, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = {operation.name: operation for operation in kg_search_pg.kg_operations()}

    async def told(name: str, **given: object) -> Any:
        return json.loads(json.dumps(await operations[name].run(given)))

    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            monkeypatch.setattr(kg_search_pg, "_DESK", Desk(options=Options(home=tmp_path / "home"), backend=backend))

            added = await told("docs add", folder=str(repository))
            shown = await told("docs status")

            assert (added["documents"], added["new"], added["graph"]) == (3, 3, "project:harbour")
            assert added["left_out"]["docs/link.md"]
            assert shown == {"ok": True, "folders": [added]}
            assert {"area": "documents", "level": "ok", "sentence": "3 in all"} in (await told("doctor"))["findings"]
            write(repository, **{".kgignore": "*\n"})
            documents.refresh(str(repository))
            await quiet(documents)
            assert not (await told("docs status"))["ok"]
            (finding,) = [each for each in (await told("doctor"))["findings"] if each["area"] == "documents"]
            assert (finding["level"], "no Markdown" in finding["sentence"]) == ("problem", True)
            assert await told("docs remove", folder=str(repository)) == {"folder": str(repository), "removed": 3}
            for wrong in ("relative", "", "/a\0b", None, 5):
                with pytest.raises(KgError, match="absolute path"):
                    await told("docs add", folder=wrong)
            for wrong in (tmp_path, tmp_path / "home" / "memory", Path("/")):
                with pytest.raises(KgError, match="holds the memory"):
                    await told("docs add", folder=str(wrong))
        with pytest.raises(KgError, match="does not answer"):
            await told("docs status")

    asyncio.run(main())


def test_a_postgres_that_is_too_slow_is_told(
    documented: Any, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def slow(*_: object) -> None:
        raise TimeoutError

    async def main() -> None:
        async with documented(embedder="none") as (backend, documents):
            monkeypatch.setattr(kg_search_pg, "_DESK", Desk(options=Options(home=tmp_path / "home"), backend=backend))
            monkeypatch.setattr(documents._rows, "known", slow)
            operations = {operation.name: operation for operation in kg_search_pg.kg_operations()}

            with pytest.raises(KgError, match="did not answer in time"):
                await operations["docs add"].run({"folder": str(repository)})
            monkeypatch.undo()

            documents.refresh(str(repository))
            await quiet(documents)
            assert ("README.md", 1) in await passages(backend, "harbour")

    asyncio.run(main())


def test_the_local_model_counts_the_tokens_of_its_documents(documented: Any, repository: Path, postgres: Any) -> None:
    async def main() -> None:
        async with documented(embedder="local") as (backend, documents):
            await documents.add(repository, everywhere=False)
            count = backend.meaning.embedder.tokenizer.count

            assert max(count(text) for text in await chunks(postgres)) <= MOST
            assert documents._tokenizer.name == "multilingual-e5-small-q4"

    asyncio.run(main())
