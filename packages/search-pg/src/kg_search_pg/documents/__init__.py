"""Documents beside the memory: Markdown of folders, taken apart, indexed, and found with the lessons."""

from kg_search_pg.documents.keeper import Documents, Report, Standing
from kg_search_pg.documents.rows import DOCUMENT, DocumentRows
from kg_search_pg.documents.sources import Sources

__all__ = ["DOCUMENT", "DocumentRows", "Documents", "Report", "Sources", "Standing"]
