"""Run by the peer's own interpreter, in its server's folder: answers questions with the peer's own functions.

Says its version, then reads one JSON object a line and answers with one. Each names the text, the project's folder
and the ids that the session has seen, or a file that is read. Nothing of kg is imported here.
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
        if "file" in asked:
            out.write(json.dumps(touched(store, manager.lookup(session)["project_path"], asked["file"])) + "\n")
            out.flush()
            continue
        found = store.search(asked["text"], session_id=session, seen=set(), top_k=TOP, more_k=MORE)
        ranked = [[each["level"], each["id"]] for each in [*found["top"], *found["more"]]]
        text, shown = reminded(store, ambient, session, asked["text"], set(asked["seen"]))
        answer = {"ranked": ranked, "injected": shown, "characters": len(text)}
        out.write(json.dumps(answer) + "\n")
        out.flush()


def touched(store, root, path):
    """What the peer's file hook would say to a file that is read, with nothing seen yet."""
    recall = importlib.import_module("mcp_http.file_recall")
    ambient = importlib.import_module("mcp_http.ambient")
    matches = recall._matches(store, root, [recall.file_key(path, root)], set())  # noqa: SLF001 - it has no other way
    ranked = recall._rank(store, matches) or matches if len(matches) > 1 else matches  # noqa: SLF001 - the same
    shown = ranked[: recall.FILE_RECALL_MAX_NODES]
    text = "\n".join(["KG memory on it:", *(ambient.render_node_line(each) for each in shown)]) if shown else ""
    injected = [[each["level"], each["id"]] for each in shown]
    return {"ranked": injected, "injected": injected, "characters": len(text)}


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
