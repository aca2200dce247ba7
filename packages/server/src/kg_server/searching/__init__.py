"""Search: a plug-in's backend where one is chosen and answers in time, the built-in index everywhere else."""

from kg_server.searching.chosen import BUILTIN, Chosen, choose
from kg_server.searching.follower import LACK, LAG, Follower, State

__all__ = ["BUILTIN", "LACK", "LAG", "Chosen", "Follower", "State", "choose"]
