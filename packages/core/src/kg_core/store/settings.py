"""Settings that a person edits in ``config.toml``. Unknown keys are errors that name the file and the key."""

from __future__ import annotations

import difflib
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from kg_core.store.regular import read_regular
from kg_core.store.tomlwords import wrong
from kg_plugin_api import Code, KgError

if TYPE_CHECKING:
    from kg_core.home import Home


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class ServerSettings(_Table):
    """``[server]``"""

    port: int = Field(default=7419, ge=0, le=65_535)
    """The preferred port on the loopback interface; 0 means any free one."""


class ProjectSettings(_Table):
    """``[projects]``"""

    match_remotes: bool = False
    """Whether folders with the same git remote share one memory: a second clone does, and so does a moved folder."""
    off: tuple[str, ...] = Field(default=(), strict=False)
    """Folders in which agents have no memory, with all below them: absolute, or from the home folder with ``~``."""

    @field_validator("off")
    @classmethod
    def _absolute(cls, folders: tuple[str, ...]) -> tuple[str, ...]:
        for folder in folders:
            if not Path(folder).is_absolute() and Path(folder).parts[:1] != ("~",):
                raise ValueError(f"{folder!r} is no absolute folder; write it with all above it, or from ~ on")
        return folders


class JournalSettings(_Table):
    """``[journal]``"""

    days: int = Field(default=7, ge=1, le=365)
    """How long entries stay at hand for contexts that have not seen them."""
    mebibytes: int = Field(default=16, ge=1, le=1_024)
    """How much of them stays at most."""


class GitSettings(_Table):
    """``[git]``"""

    commit_minutes: int = Field(default=15, ge=0, le=10_080)
    """How often the memory folder is committed when it is a git repository; 0 means never."""


class MemorySettings(_Table):
    """``[memory]``"""

    age_orphans_days: int = Field(default=0, ge=0, le=36_500)
    """How long a lesson is orphaned before it is moved out of its graph into ``memory/archive``; 0 means never."""


class PluginSettings(_Table):
    """``[plugins]``"""

    disabled: tuple[str, ...] = Field(default=(), strict=False)
    """Names of plug-ins that are installed and not to be loaded."""


class GuideSettings(_Table):
    """``[guides]``"""

    enabled: bool = True
    """Whether set-up brings the guides on how to work with the memory into the agents, as skills or the like."""


class SearchSettings(_Table):
    """``[search]``"""

    backend: str = ""
    """The search backend of a plug-in that is asked before the built-in index, by its name; empty means none."""
    options: dict[str, str] = Field(default_factory=dict)
    """What that backend is opened with; its plug-in says what it takes."""


class PreloadSettings(_Table):
    """``[preload]``"""

    whole: bool = False
    """Whether a session is given all active lessons when it starts, where its client lets so much text through."""


class RuleSettings(_Table):
    """``[rules]``"""

    hold: bool = False
    """Whether an agent's first edit of a component whose ``must`` rules it has not been shown is refused, once."""


class Settings(_Table):
    """All settings. A new table is a new field with a default."""

    server: ServerSettings = ServerSettings()
    projects: ProjectSettings = ProjectSettings()
    journal: JournalSettings = JournalSettings()
    git: GitSettings = GitSettings()
    memory: MemorySettings = MemorySettings()
    plugins: PluginSettings = PluginSettings()
    preload: PreloadSettings = PreloadSettings()
    rules: RuleSettings = RuleSettings()
    search: SearchSettings = SearchSettings()
    guides: GuideSettings = GuideSettings()

    @classmethod
    def load(cls, home: Home) -> Self:
        """The settings of this home; defaults when there is no file. Raises INVALID, naming the file and the key."""
        try:
            text = read_regular(home.config).decode("utf-8-sig")
            return cls.model_validate(tomllib.loads(text))
        except FileNotFoundError:
            return cls()
        except OSError as error:
            raise KgError(Code.UNAVAILABLE, f"{home.config} cannot be read ({error.strerror}).") from error
        except ValidationError as error:
            raise KgError(
                Code.INVALID, f"{home.config}: {'; '.join(_sentences(error))}.", {"path": str(home.config)}
            ) from error
        except (ValueError, RecursionError) as error:
            raise KgError(Code.INVALID, f"{home.config} is not valid TOML: {error}.") from error


def _sentences(error: ValidationError) -> list[str]:
    sentences = []
    for problem in error.errors():
        key = ".".join(str(part) for part in problem["loc"])
        unknown = problem["type"] == "extra_forbidden"
        misfit = f"{key}: {wrong(problem)}{_bounds(problem['loc'])}"
        sentences.append(f"there is no setting {key!r}{_meant(key)}" if unknown else misfit)
    return sentences


def _bounds(where: tuple[int | str, ...]) -> str:
    """What a number must lie between, to be added to whatever is wrong with it; empty for what is no number."""
    table = getattr(Settings(), str(where[0]), None)
    field = type(table).model_fields.get(str(where[-1])) if isinstance(table, BaseModel) and len(where) == 2 else None
    if field is None:
        return ""
    ends = [getattr(each, name) for name in ("ge", "le") for each in field.metadata if hasattr(each, name)]
    return f" (a whole number from {ends[0]} to {ends[1]})" if len(ends) == 2 else ""


def _meant(key: str) -> str:
    """A question for the table or the key that an unknown one resembles; mostly it is misspelt."""
    tables = {name: value for name, value in Settings() if isinstance(value, BaseModel)}
    known = [*tables, *(f"{name}.{each}" for name, table in tables.items() for each, _ in table)]
    near = difflib.get_close_matches(key, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
