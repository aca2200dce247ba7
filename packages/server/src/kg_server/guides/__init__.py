"""Texts on how to work with the memory, written once for all agents: each harness puts them where its client looks."""

from kg_server.guides.fitting import fitted
from kg_server.guides.texts import guides

__all__ = ["fitted", "guides"]
