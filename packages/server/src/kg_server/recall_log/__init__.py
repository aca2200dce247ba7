"""The recall log: what every source of recall decided, why, and whether its text arrived."""

from kg_server.recall_log.entry import Arrival, Entry, Moment
from kg_server.recall_log.explained import explained, told
from kg_server.recall_log.log import RecallLog

__all__ = ["Arrival", "Entry", "Moment", "RecallLog", "explained", "told"]
