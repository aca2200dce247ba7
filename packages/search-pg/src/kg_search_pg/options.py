"""What a person may set under ``[search.options]`` in ``config.toml``."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self

from kg_plugin_api import Code, KgError
from kg_search_pg.fusion import DENSE_CONSTANT, DENSE_WEIGHT, LEXICAL_CONSTANT, LEXICAL_WEIGHT
from kg_search_pg.reranking import FORMS

if TYPE_CHECKING:
    from collections.abc import Mapping

_NAME: Final = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_NAMES: Final = frozenset({"schema", "language"})
_ADDRESSES: Final = MappingProxyType({"url": "key_file", "reranker_url": "reranker_key_file"})
"""With where the key of each belongs: addresses are told and logged."""
_WITH_MORE: Final = re.compile(r"[^/]*//[^/?#]*@|.*[?#]", re.DOTALL)
LOCAL: Final = "local"
NONE: Final = "none"
OPENAI: Final = "openai"
_CHOICES: Final = {"embedder": ("", NONE, LOCAL, OPENAI), "reranker": ("", *FORMS)}
_TRUTHS: Final = MappingProxyType({"true": True, "false": False})


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of the backend, each with what holds when it is not set."""

    home: Path = Path()
    """The memory folder; kg says it."""
    dsn: str = ""
    """A Postgres of one's own, as libpq understands it. Its password belongs into ``~/.pgpass``."""
    schema: str = "kg"
    """Everything is in it; what else is there is left alone."""
    language: str = "english"
    """The text search configuration that knows the endings of words."""
    embedder: str = ""
    """``local``, ``openai`` (any endpoint of that form) or ``none``; empty: local where it is installed."""
    url: str = ""
    """The endpoint, up to and without ``/embeddings``."""
    model: str = ""
    """The name of the endpoint's model."""
    key_file: str = ""
    """A file with the endpoint's key."""
    query_prefix: str = ""
    """What the model wants before a question."""
    passage_prefix: str = ""
    """What the model wants before a stored text."""
    gate: float = 0.0
    """The largest distance at which a lesson may come to mind by its meaning alone; 0: none does."""
    alike: float = 0.1
    """The largest distance at which two gists say nearly the same."""
    lexical_constant: float = LEXICAL_CONSTANT
    """k of weight/(k + rank), by which the legs are fused, of the leg by words."""
    dense_constant: float = DENSE_CONSTANT
    """That of the leg by meaning."""
    lexical_weight: float = LEXICAL_WEIGHT
    """What the rank by words counts."""
    dense_weight: float = DENSE_WEIGHT
    """What the rank by meaning counts."""
    reranker: str = ""
    """The form of a reranker's endpoint, ``tei`` or ``cohere``; empty: there is none."""
    reranker_url: str = ""
    """Its address, up to and without ``/rerank``."""
    reranker_model: str = ""
    """The name of its model, where it has several."""
    reranker_key_file: str = ""
    """A file with its key."""
    misses: bool = False
    """Whether questions that nothing answered are written down."""
    connections: int = 4
    """How many connections there are at most."""

    @classmethod
    def parse(cls, given: Mapping[str, str]) -> Self:
        """The options of a settings file. Raises INVALID, naming the option that is wrong."""
        kinds = {field.name: field.type for field in fields(cls)}
        values: dict[str, Any] = {}
        for name, text in given.items():
            if name not in kinds:
                known = ", ".join(sorted(kinds.keys() - {"home"}))
                shown = name if _NAME.fullmatch(name) else "what stands there"  # it may be an address with a password
                raise _invalid(shown, f"there is no such option; there are {known}")
            values[name] = _value(name, str(kinds[name]), text)
        options = cls(**values)
        if options.embedder == OPENAI and not (options.url and options.model):
            raise _invalid("embedder", f"{OPENAI!r} needs a url and a model")
        if options.reranker and not options.reranker_url:
            raise _invalid("reranker", f"{options.reranker!r} needs a reranker_url")
        return options


def _value(name: str, kind: str, text: str) -> object:
    """A value of the type of its field."""
    if kind == "Path":
        return Path(text)
    if name in _NAMES and not _NAME.fullmatch(text):
        raise _invalid(name, f"{text!r} is not a plain name in small letters")
    if name in _ADDRESSES and _WITH_MORE.match(text):
        raise _invalid(
            name,
            "a user, a password or what follows a `?` is not sent from here, and not shown, for it may be secret; "
            f"a key belongs into a file (`{_ADDRESSES[name]}`)",
        )
    if text not in (choices := _CHOICES.get(name, (text,))):
        raise _invalid(name, f"{text!r} is none of {', '.join(filter(None, choices))}")
    if kind == "bool":
        if text not in _TRUTHS:
            raise _invalid(name, f"{text!r} is neither true nor false")
        return _TRUTHS[text]
    try:
        value: object = {"float": float, "int": int}.get(kind, str)(text)
    except ValueError as error:
        raise _invalid(name, f"{text!r} is no number") from error
    if isinstance(value, int | float) and not 0 <= value < float("inf"):
        raise _invalid(name, f"{text!r} is out of range")
    return value


def _invalid(name: str, what: str) -> KgError:
    return KgError(Code.INVALID, f"config.toml, [search.options], {name}: {what}.")
