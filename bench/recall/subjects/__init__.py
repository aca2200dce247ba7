"""What is measured: kg's own engine and simple ways to search."""

from subjects.backend import over
from subjects.bm25 import Bm25
from subjects.files import KgFiles, SameName
from subjects.kg import Kg
from subjects.peer import peer
from subjects.subject import Answer, Reminder, Subject
from subjects.substring import Conjunction, Substring

__all__ = [
    "Answer",
    "Bm25",
    "Conjunction",
    "Kg",
    "KgFiles",
    "Reminder",
    "SameName",
    "Subject",
    "Substring",
    "over",
    "peer",
]
