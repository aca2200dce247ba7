"""Keeps every test run away from the person who runs it.

For the whole run ``HOME`` and ``KG_HOME`` are a temporary folder, and variables that would move kg, a client or a
client's model endpoint are taken out of the environment. A test that reaches the real memory or a real client's
settings all the same fails.

Generated examples are the same in every run, so that a change is judged by its own faults alone. ``.ci/nightly`` looks
for new ones, with ``--hypothesis-profile=exploring``.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

STRIPPED: Final = ("KG_", "CLAUDE", "CODEX_", "COPILOT_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "XDG_")
"""Prefixes of variables that no test may inherit."""
KEPT: Final = frozenset({"KG_CLIENTS_DIR", "KG_REQUIRE_CLIENTS", "CLAUDE_BIN", "CODEX_BIN", "COPILOT_BIN"})
"""Where the real clients are, and whether their tests must run: settings of the test run itself."""
PRIVATE: Final = (".kg", ".claude", ".claude.json", ".codex", ".copilot", ".gemini", ".config/kg")
"""What belongs to the person, below the real home."""
WATCHED: Final = frozenset(
    {"open", "os.chmod", "os.link", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.scandir"}
)


def _private_places(environ: Mapping[str, str]) -> tuple[str, ...]:
    home = Path(environ.get("HOME") or Path.home())
    moved = ("KG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME")
    named = [environ[name] for name in moved if environ.get(name)]
    return tuple(str(Path(place).absolute()) for place in [*(home / name for name in PRIVATE), *named])


def _without_stripped(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environ.items() if name in KEPT or not name.startswith(STRIPPED)}


def _moved(outside: Mapping[str, str], home: Path) -> dict[str, str]:
    real_cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return {
        "KG_CLIENTS_DIR": str(real_cache / "kg" / "clients"),
        **outside,
        "HOME": str(home),
        "USERPROFILE": str(home),
        "KG_HOME": str(home / ".kg"),
        "TMPDIR": tempfile.gettempdir(),
    }


settings.register_profile("exploring", deadline=None)  # a busy machine proves nothing
settings.register_profile("repeatable", settings.get_profile("exploring"), derandomize=True)
settings.load_profile("repeatable")

OUTSIDE: Final = _without_stripped(os.environ)
_PRIVATE_PLACES: Final = _private_places(os.environ)
_HOME: Final = Path(tempfile.mkdtemp(prefix="kg-tests-"))
_inside = _moved(OUTSIDE, _HOME)
os.environ.clear()
os.environ.update(_inside)

_touched: list[str] = []


def _watch(event: str, arguments: tuple[object, ...]) -> None:
    if event not in WATCHED:
        return
    for argument in arguments[:2]:
        if isinstance(argument, str | bytes):
            path = os.fsdecode(argument)
            if any(path == place or path.startswith(place + os.sep) for place in _PRIVATE_PLACES):
                _touched.append(f"{event} {path}")


sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def _the_real_home_stays_untouched() -> Iterator[None]:
    _touched.clear()
    yield
    if _touched:
        pytest.fail(f"this test touched what belongs to the person who runs it: {', '.join(sorted(set(_touched)))}")


@pytest.fixture(scope="session")
def tool_environ() -> dict[str, str]:
    """The environment for uv, pip and git, which need their own caches and settings in the real home."""
    return dict(OUTSIDE)


def pytest_unconfigure() -> None:
    """Removes the temporary home."""
    shutil.rmtree(_HOME, ignore_errors=True)
