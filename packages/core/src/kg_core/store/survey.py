"""The files of a memory read to see what is wrong with them, those of graphs that nobody has opened too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kg_core.model import MAINTAIN, USER, project_key
from kg_core.model.ids import is_legal
from kg_core.model.odd import told
from kg_core.store.edits import odd_sentence
from kg_core.store.failures import read_failure
from kg_core.store.problems import Problem, ProblemKind
from kg_core.store.reading import read_graph, read_uses

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from kg_core.home import Home
    from kg_core.model import GraphKey
    from kg_core.store.files import Files

_ONCE_OPENED: Final = "Once it is opened, it is kept under another name and what can be saved is served."


async def survey(home: Home, files: Files) -> AsyncIterator[Problem]:
    """What a store would find on opening every graph. Blocking while it reads; writes nothing and keeps nothing."""
    slugs = (name for name in files.names(home.projects) if is_legal(name) and not name.startswith("."))
    for key in (USER, MAINTAIN, *map(project_key, sorted(slugs))):
        for path, look in ((home.graph(key), _content), (home.use(key), _use)):
            try:
                data = files.read(path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                yield Problem(kind=ProblemKind.DAMAGED, path=str(path), sentence=read_failure(error, path).sentence)
                continue
            for kind, sentence in (await look(key, path, data)).items():
                yield Problem(kind=kind, path=str(path), sentence=sentence)


async def _content(key: GraphKey, path: Path, data: bytes) -> dict[ProblemKind, str]:
    reading = await read_graph(key, data)
    if reading.is_newer:
        return {ProblemKind.NEWER: f"{path} has format {reading.format}: a later version of kg wrote it."}
    odd = [words for each in sorted(reading.odd, key=str) for words in told(reading.graph, each)]
    damage = {ProblemKind.DAMAGED: f"{path}: {reading.damage}. {_ONCE_OPENED}"} if reading.damage else {}
    return {**damage, **({ProblemKind.ODD: odd_sentence(path, odd)} if odd else {})}


async def _use(key: GraphKey, path: Path, data: bytes) -> dict[ProblemKind, str]:
    del key
    _, damage = await read_uses(data)
    return {ProblemKind.DAMAGED: f"{path}: {damage}. What can be read of it is used."} if damage else {}
