"""From text to vectors: the protocol, an endpoint, a model in the process, and the queue of what has none."""

from kg_search_pg.embedding.protocol import Embedder, EmbedderFailed, Vector, checked, written
from kg_search_pg.embedding.queue import Queue
from kg_search_pg.embedding.tokens import Tokenizer, tokenizer_of

__all__ = ["Embedder", "EmbedderFailed", "Queue", "Tokenizer", "Vector", "checked", "tokenizer_of", "written"]
