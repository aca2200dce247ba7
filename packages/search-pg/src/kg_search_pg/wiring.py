"""What ``kg setup --search pg`` looks at before the settings choose this backend."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kg_plugin_api import Code, KgError, StepState, StepStatus
from kg_search_pg.embedded.programs import Programs
from kg_search_pg.embedding import EmbedderFailed
from kg_search_pg.embedding.local import is_installed, model_name
from kg_search_pg.opening import embedder_of, prepared, reranker_of
from kg_search_pg.options import LOCAL, NONE, OPENAI, Options
from kg_search_pg.reranking import RerankerFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kg_plugin_api import SearchStep

_PATIENCE: Final = 30.0
"""Seconds; a service may load its model for the first question."""


def steps(home: Path, options: Mapping[str, str]) -> Sequence[SearchStep]:
    """A Postgres and what embeds; each is tried, and nothing is started that the server will start.

    Raises INVALID for an option that is wrong.
    """
    given = replace(Options.parse(options), home=home)
    return (PostgresStep(given), EmbedderStep(given), *([RerankerStep(given)] if given.reranker else []))


@dataclass(frozen=True, slots=True)
class PostgresStep:
    """A Postgres of one's own with our tables, or the programs of a private one."""

    options: Options

    @property
    def title(self) -> str:
        """One line for the list of steps."""
        return "Postgres of the option `dsn`" if self.options.dsn else "A private Postgres"

    def status(self) -> StepStatus:
        """How far it is. Never raises."""
        if self.options.dsn:
            return StepStatus(state=StepState.UNKNOWN, sentence="It is asked when this step is taken.")
        try:
            programs = Programs.find()
        except KgError as failure:
            return StepStatus(state=StepState.OPEN, sentence=failure.sentence)
        who = "as another user, because this is root; " if programs.prefix else ""
        return StepStatus(state=StepState.DONE, sentence=f"{who}the server starts it and ends it with itself.")

    def take(self, progress: Callable[[str], None]) -> None:
        """Makes the tables, or says what to install. Raises KgError."""
        if not self.options.dsn:
            Programs.find()
            return
        progress("connecting")
        try:
            vectors, _ = asyncio.run(prepared(self.options.dsn, self.options))
        except TimeoutError as error:
            raise KgError(Code.UNAVAILABLE, f"{error}.") from error
        progress(f"the schema {self.options.schema} is there")
        if vectors.problem:
            progress(f"it will be searched by words alone: {vectors.problem}")


@dataclass(frozen=True, slots=True)
class EmbedderStep:
    """What turns texts into vectors, if anything."""

    options: Options

    @property
    def title(self) -> str:
        """One line for the list of steps."""
        return "What embeds"

    def status(self) -> StepStatus:
        """How far it is. Never raises."""
        wanted = self.options.embedder or (LOCAL if is_installed() else NONE)
        if wanted == OPENAI:
            return StepStatus(state=StepState.UNKNOWN, sentence=f"{self.options.model} at {self.options.url}.")
        if wanted == LOCAL:
            if is_installed():
                return StepStatus(state=StepState.DONE, sentence=f"{model_name()}, in this environment.")
            sentence = "It is not installed: `pip install 'kg-search-pg[local]'`."
            return StepStatus(state=StepState.OPEN, sentence=sentence)
        sentence = "nothing, so that it is searched by words alone; `pip install 'kg-search-pg[local]'` brings a model."
        return StepStatus(state=StepState.DONE, sentence=sentence)

    def take(self, progress: Callable[[str], None]) -> None:
        """Has one word embedded. Raises UNAVAILABLE."""
        embedder, problem = embedder_of(self.options)
        if embedder is None:
            raise KgError(Code.UNAVAILABLE, f"Nothing embeds: {problem}.")

        async def tried() -> int:
            try:
                return len(await embedder.query("memory"))
            finally:
                await embedder.close()

        try:
            dimensions = asyncio.run(tried())
        except EmbedderFailed as failure:
            raise KgError(Code.UNAVAILABLE, f"{failure.sentence[:1].upper()}{failure.sentence[1:]}.") from failure
        progress(f"{embedder.model} answers with {dimensions} dimensions")


@dataclass(frozen=True, slots=True)
class RerankerStep:
    """What puts the best of what was found in a better order."""

    options: Options

    @property
    def title(self) -> str:
        """One line for the list of steps."""
        return "What reranks"

    def status(self) -> StepStatus:
        """How far it is. Never raises."""
        return StepStatus(state=StepState.UNKNOWN, sentence=f"{self.options.reranker_url}/rerank.")

    def take(self, progress: Callable[[str], None]) -> None:
        """Has two words put in order. Raises UNAVAILABLE."""
        reranker = reranker_of(self.options)
        if reranker is None:
            return

        async def tried() -> None:
            try:
                await reranker.scores("memory", ["memory", "kettle"], _PATIENCE)
            finally:
                await reranker.close()

        try:
            asyncio.run(tried())
        except RerankerFailed as failure:
            raise KgError(Code.UNAVAILABLE, f"{failure.sentence[:1].upper()}{failure.sentence[1:]}.") from failure
        progress("it answers with a score for each text")
