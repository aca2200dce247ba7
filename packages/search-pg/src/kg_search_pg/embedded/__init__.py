"""A private Postgres for one memory: its programs come in a wheel, its data are below ``state/pg``."""

from kg_search_pg.embedded.places import Places
from kg_search_pg.embedded.server import EmbeddedServer

__all__ = ["EmbeddedServer", "Places"]
