"""Contexts: what each model has in front of it, who that is, and how it is remembered."""

from kg_server.contexts.admission import Admission
from kg_server.contexts.binding import Bindings
from kg_server.contexts.context import Context
from kg_server.contexts.covered import Covered, Span
from kg_server.contexts.key import ContextKey
from kg_server.contexts.ledger import Known, Ledger
from kg_server.contexts.recent import Recent
from kg_server.contexts.registry import CAPACITY, LIFE, Registry
from kg_server.contexts.start import Entrance, entrance

__all__ = [
    "CAPACITY",
    "LIFE",
    "Admission",
    "Bindings",
    "Context",
    "ContextKey",
    "Covered",
    "Entrance",
    "Known",
    "Ledger",
    "Recent",
    "Registry",
    "Span",
    "entrance",
]
