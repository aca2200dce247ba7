"""From text to vectors: the protocol, an endpoint, a model in the process, and the queue of what has none."""

from kg_search_pg.embedding.protocol import Embedder, EmbedderFailed, Vector, checked, written
from kg_search_pg.embedding.queue import Queue

__all__ = ["Embedder", "EmbedderFailed", "Queue", "Vector", "checked", "written"]
