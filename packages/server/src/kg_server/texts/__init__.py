"""The words that models read in every session."""

from kg_server.texts.instructions import FIRST_LINE, WHOLE, instructions
from kg_server.texts.preload import head
from kg_server.texts.tools import DESCRIPTIONS, description

__all__ = ["DESCRIPTIONS", "FIRST_LINE", "WHOLE", "description", "head", "instructions"]
