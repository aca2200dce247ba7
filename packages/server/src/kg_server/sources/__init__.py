"""The sources of injected text, each of which mostly has nothing to say."""

from kg_server.sources.files import FileRecall
from kg_server.sources.notices import Notices, notice_blocks
from kg_server.sources.others import OthersWrites, news, news_blocks, pass_over
from kg_server.sources.preload import Preload, looked_through
from kg_server.sources.prompt import PromptRecall, recalls
from kg_server.sources.rules import Rules, hold

__all__ = [
    "FileRecall",
    "Notices",
    "OthersWrites",
    "Preload",
    "PromptRecall",
    "Rules",
    "hold",
    "looked_through",
    "news",
    "news_blocks",
    "notice_blocks",
    "pass_over",
    "recalls",
]
