"""Deliveries: texts made for a context, fitted, framed, and believed only once they have arrived."""

from kg_server.delivery.compose import Composed, Sources, compose, room, stated_limit
from kg_server.delivery.deliveries import CALL_LIFE, EVENT_LIFE, Deliveries, event_life
from kg_server.delivery.duplicates import Duplicates
from kg_server.delivery.frame import framed, within_frame
from kg_server.delivery.outlook import Outlook
from kg_server.delivery.pages import Pages, Part
from kg_server.delivery.parts import Parts
from kg_server.delivery.queues import Queues, pages_for
from kg_server.delivery.source import ContextSource, Offer, RecallSource, View
from kg_server.delivery.waiting import Packet

__all__ = [
    "CALL_LIFE",
    "EVENT_LIFE",
    "Composed",
    "ContextSource",
    "Deliveries",
    "Duplicates",
    "Offer",
    "Outlook",
    "Packet",
    "Pages",
    "Part",
    "Parts",
    "Queues",
    "RecallSource",
    "Sources",
    "View",
    "compose",
    "event_life",
    "framed",
    "pages_for",
    "room",
    "stated_limit",
    "within_frame",
]
