"""Other sets of lessons and questions: on files, generated from a git repository, or from a file that a user brings."""

from sets.devbench import read_devbench
from sets.files import FileSet, read_files
from sets.history import read_history
from sets.locomo import read_observations, read_sessions

__all__ = ["FileSet", "read_devbench", "read_files", "read_history", "read_observations", "read_sessions"]
