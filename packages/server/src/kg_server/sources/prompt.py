"""Prompt recall: what a person's prompt brings to mind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_core.policy import Decision, Reason, Source, question, recall
from kg_plugin_api import EventKind
from kg_server.delivery.source import Offer

if TYPE_CHECKING:
    from kg_plugin_api import Event
    from kg_server.delivery.source import View


class PromptRecall:
    """Offers the lessons that a prompt names, unless they are in front of the model already."""

    def offer(self, event: Event, view: View) -> Offer:
        """At most four lessons and the path between them; nothing without evidence."""
        if event.kind is not EventKind.PROMPT:
            return Offer()
        if not event.prompt and view.harness.transcripts is not None:  # a step of the model without a new prompt
            return Offer()
        if event.machine or event.agent:
            reason = Reason.MACHINE if event.machine else Reason.SUBAGENT
            return Offer(decision=Decision(source=Source.PROMPT, reason=reason))
        found = recall(event.prompt, view.results, view.graphs, view.in_view)
        return Offer(blocks=found.blocks, decision=found.decision)


def recalls(event: Event) -> bool:
    """Whether an event asks for recall: a prompt that a person gave to the main agent."""
    return event.kind is EventKind.PROMPT and not event.machine and not event.agent and bool(question(event.prompt))
