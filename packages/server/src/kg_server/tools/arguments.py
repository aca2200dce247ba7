"""Arguments of the tools: one pydantic model each is the source of the schema that clients see and of the parsing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from kg_core.policy import scrub
from kg_core.render import cut
from kg_plugin_api import Code, KgError, Unit
from kg_server.counting import counted
from kg_server.tools.lists import names, paths, texts

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Level = Literal["user", "project", "maintain"]
"""The levels of memory as a client names them."""

SESSION = "session_id"
"""The argument by which a client without hooks says who it is."""


_LONGEST_NAME: Final = 1_000
_REPEATED: Final = 100
"""Characters of an unknown argument's name that are repeated."""
_NULLS: Final = ("null", "None")
_TOLD: Final = 5
"""Of the faults of one call so many are told: a list of a hundred wrong items has one fault a hundred times."""


def _short(value: str) -> str:
    if len(value) > _LONGEST_NAME:
        raise ValueError(f"has {len(value):,} characters, and nothing has a name of more than {_LONGEST_NAME:,}")
    return value


Texts = Annotated[tuple[str, ...], BeforeValidator(texts)]
Named = BeforeValidator(names)
"""Has a list read from its text, too."""
Words = Annotated[tuple[str, ...], Named]
Paths = Annotated[tuple[str, ...], BeforeValidator(paths)]
Name = Annotated[str, AfterValidator(_short)]
"""What names something: a refusal repeats it, and must leave room for what to do."""
Ids = Annotated[tuple[Name, ...], Named]


class Arguments(BaseModel):
    """What every tool takes. A field that was not sent is not in ``model_fields_set``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    session_id: Annotated[
        str,
        Field(
            description="The session_id that kg_read gave, for clients that kg cannot tell apart by itself.",
            max_length=100,
        ),
    ] = ""

    def sent(self, name: str) -> bool:
        """Whether the caller sent this argument."""
        return name in self.model_fields_set


_OF_LISTS: Final = {"minLength": "minItems", "maxLength": "maxItems"}

A = TypeVar("A", bound=Arguments)


def parse(tool: str, model: type[A], arguments: Mapping[str, object]) -> A:
    """The typed arguments. ``null`` counts as not sent, and so does an empty text where no text is asked for, and one
    that says null where none is needed: some models fill in everything. Raises INVALID with a sentence that says what
    to mend.
    """
    sent = {name: value for name, value in arguments.items() if value is not None}
    try:
        return model.model_validate({name: value for name, value in sent.items() if not _is_blank(model, name, value)})
    except ValidationError as error:
        problems = error.errors(include_url=False)
        sentences = [_sentence(tool, model, problem) for problem in problems[:_TOLD]]
        if len(problems) > _TOLD:
            sentences.append(f"Besides these: {counted(len(problems) - _TOLD, 'fault')}.")
        raise KgError(Code.INVALID, " ".join(dict.fromkeys(sentences)), {"tool": tool}) from None


def _is_blank(model: type[A], name: str, value: object) -> bool:
    field = model.model_fields.get(name)
    if field is None or (value != "" and value not in _NULLS):
        return False
    return field.annotation is not str or (value != "" and not field.is_required())


def schema(model: type[Arguments], hidden: Collection[str] = ()) -> dict[str, Any]:
    """The JSON schema of a model: one flat object, no unions, no references, every field typed and described.

    ``hidden`` names arguments that are accepted but not shown.
    """
    generated = _generated(model)
    properties = {name: _flat(property_) for name, property_ in generated["properties"].items() if name not in hidden}
    properties = {name: properties[name] for name in sorted(properties, key=lambda name: name == SESSION)}
    required = [name for name in generated.get("required", ()) if name not in hidden]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@cache
def _generated(model: type[Arguments]) -> Mapping[str, Any]:
    """What pydantic says of a model. Made once: the server writes it down for every harness before it answers."""
    return model.model_json_schema()


def _flat(property_: Mapping[str, Any]) -> dict[str, Any]:
    """A property without its title, its default and the alternative of ``null``."""
    chosen: Mapping[str, Any] = next(
        (option for option in property_.get("anyOf", ()) if option.get("type") != "null"), {}
    )
    merged = {**chosen, **property_}
    if merged.get("type") == "array":  # pydantic names the bounds of a validated list as those of a text
        merged = {_OF_LISTS.get(name, name): value for name, value in merged.items()}
    return {name: value for name, value in merged.items() if name not in {"anyOf", "title", "default"}}


def _sentence(tool: str, model: type[Arguments], problem: Mapping[str, Any]) -> str:
    path = cut(scrub(".".join(str(part) for part in problem["loc"])).text, _REPEATED, Unit.CHARACTERS)
    match problem["type"]:
        case "extra_forbidden":
            return f"{tool} has no argument {path!r}; it takes {', '.join(_shown(model))}."
        case "missing":
            return f"{tool} needs the argument {path!r}."
        case "literal_error" | "enum":
            return f"{tool}: {path!r} must be {problem['ctx']['expected']}."
        case "value_error":
            return f"{tool}: {path!r} {problem['ctx']['error']}."
        case "string_type":
            return f"{tool}: {path!r} must be one text."
        case "tuple_type":
            return f'{tool}: {path!r} must be a list of texts, like ["one", "two"].'
        case "bool_type" | "bool_parsing":
            return f"{tool}: {path!r} must be true or false."
        case "int_type" | "int_parsing" | "int_from_float":
            return f"{tool}: {path!r} must be a whole number."
        case "string_too_long":
            return f"{tool}: {path!r} has too many characters; at most {problem['ctx']['max_length']} are taken."
        case "too_short":
            return f"{tool}: {path!r} is empty; it takes at least {problem['ctx']['min_length']}."
        case "too_long":
            return f"{tool}: {path!r} has too many; at most {problem['ctx']['max_length']} go into one call."
        case "greater_than_equal" | "less_than_equal":
            bound = problem["ctx"].get("ge", problem["ctx"].get("le"))
            least = problem["type"] == "greater_than_equal"
            return f"{tool}: {path!r} must be {'at least' if least else 'at most'} {bound}."
        case _:
            return f"{tool}: {path!r} is not right: {str(problem['msg']).rstrip('.')}."


def _shown(model: type[Arguments]) -> list[str]:
    """The arguments as clients call them, in the order in which they are shown."""
    names = [field.alias or name for name, field in model.model_fields.items()]
    return sorted(names, key=lambda name: name == SESSION)
