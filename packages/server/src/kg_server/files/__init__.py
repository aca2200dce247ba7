"""The files of events: which ones a tool used, how they are written, and which lessons point at them."""

from kg_server.files.named import Named, named
from kg_server.files.uses import Uses

__all__ = ["Named", "Uses", "named"]
