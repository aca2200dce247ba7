"""Run by the peer's own interpreter, in its server's folder: answers questions with the peer's own functions.

Says its version, then reads one JSON object a line and answers with one. Each names the text, the project's folder
and the ids that the session has seen. Nothing of kg is imported here.
"""

import importlib
import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path

TOP, MORE = 5, 10


def main():
    server = Path(importlib.util.find_spec("kg_memory").submodule_search_locations[0]) / "server"
    sys.path.insert(0, str(server))
    stores = importlib.import_module("mcp_http.store")
    sessions = importlib.import_module("mcp_http.session_manager")
    ambient = importlib.import_module("mcp_http.ambient")
    manager = sessions.HTTPSessionManager()
    store = stores.MultiProjectGraphStore(stores.GraphConfig(), manager, None)
    registered = {}
    out, sys.stdout = sys.stdout, sys.stderr
    out.write(json.dumps(importlib.metadata.version("kg-memory")) + "\n")
    out.flush()
    for line in sys.stdin:
        asked = json.loads(line)
        folder = asked["project"]
        if folder not in registered:
            registered[folder] = manager.register(folder or None)["session_id"]
        session = registered[folder]
        found = store.search(asked["text"], session_id=session, seen=set(), top_k=TOP, more_k=MORE)
        ranked = [[each["level"], each["id"]] for each in [*found["top"], *found["more"]]]
        text, shown = reminded(store, ambient, session, asked["text"], set(asked["seen"]))
        answer = {"ranked": ranked, "injected": shown, "characters": len(text)}
        out.write(json.dumps(answer) + "\n")
        out.flush()


def reminded(store, ambient, session, prompt, seen):
    """What the peer's prompt hook would say, and the lessons that are new in it."""
    said = ambient._prompt_text(prompt)  # noqa: SLF001 - it has no public name for what its hook takes a prompt for
    terms = ambient._terms(said) if said is not None else []  # noqa: SLF001 - the same
    if not terms:
        return "", []
    found = store.search(" ".join(terms), session_id=session, seen=seen, top_k=ambient.RECALL_SEARCH_TOP_K)
    decision = ambient.decide_recall(found, terms)
    if decision["reason"] != "injected":
        return "", []
    levels = {each["id"]: each["level"] for part in ("top", "more", "connectors") for each in found[part]}
    return decision["text"], [[levels.get(node, "project"), node] for node in decision["shown_unseen"]]


if __name__ == "__main__":
    main()
