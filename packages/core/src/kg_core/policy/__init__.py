"""What is worth keeping in sight, preloading, finding and recalling. Pure; ``now`` is an argument, in ms."""

from kg_core.model.depth import Depth
from kg_core.policy.compaction import Budget, planned
from kg_core.policy.decision import NAMED, Candidate, Decision, Reason, Source
from kg_core.policy.depth import Deep, at_depth, deepened
from kg_core.policy.filerecall import FileUse, recall_files, touching
from kg_core.policy.fullread import full_read
from kg_core.policy.index import Index
from kg_core.policy.items import item, key
from kg_core.policy.paths import Connections, Place, connections
from kg_core.policy.preload import preload_blocks
from kg_core.policy.prompt import said, without_frames
from kg_core.policy.prospects import LevelView, Prospects, prospects
from kg_core.policy.ranking import ranked
from kg_core.policy.recall import GATE, Gate, Recalled, question, recall, request
from kg_core.policy.renames import Renames, renames_of
from kg_core.policy.score import Explanation, Factor
from kg_core.policy.secrets import Scrubbed, scrub, scrub_blocks, scrub_node
from kg_core.policy.shell import ShellFile, shell_files, shell_folder
from kg_core.policy.touches import How, TouchIndex, TouchMatch

__all__ = [
    "GATE",
    "NAMED",
    "Budget",
    "Candidate",
    "Connections",
    "Decision",
    "Deep",
    "Depth",
    "Explanation",
    "Factor",
    "FileUse",
    "Gate",
    "How",
    "Index",
    "LevelView",
    "Place",
    "Prospects",
    "Reason",
    "Recalled",
    "Renames",
    "Scrubbed",
    "ShellFile",
    "Source",
    "TouchIndex",
    "TouchMatch",
    "at_depth",
    "connections",
    "deepened",
    "full_read",
    "item",
    "key",
    "planned",
    "preload_blocks",
    "prospects",
    "question",
    "ranked",
    "recall",
    "recall_files",
    "renames_of",
    "request",
    "said",
    "scrub",
    "scrub_blocks",
    "scrub_node",
    "shell_files",
    "shell_folder",
    "touching",
    "without_frames",
]
