"""Storage: graphs in memory, a journal that makes writes durable, files that people read, and whose memory is whose."""

from kg_core.home import Home
from kg_core.store.entry import Entry, Write
from kg_core.store.files import Files, OsFiles
from kg_core.store.identity import Places, as_on_disk, is_path, is_text, normalised_remote
from kg_core.store.maps import MapState
from kg_core.store.problems import Problem, ProblemKind
from kg_core.store.projects import Project, Projects
from kg_core.store.settings import Settings
from kg_core.store.store import Store, now_ms

__all__ = [
    "Entry",
    "Files",
    "Home",
    "MapState",
    "OsFiles",
    "Places",
    "Problem",
    "ProblemKind",
    "Project",
    "Projects",
    "Settings",
    "Store",
    "Write",
    "as_on_disk",
    "is_path",
    "is_text",
    "normalised_remote",
    "now_ms",
]
