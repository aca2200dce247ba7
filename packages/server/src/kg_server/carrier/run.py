"""What client settings start: ``python -I -S run.py hook|mcp --harness NAME --home FOLDER``.

``hook --event NAME [--start] [--part N]`` carries one event and always exits 0; ``mcp`` is the MCP shim of one session.
"""

from __future__ import annotations

import os
import sys


def options(arguments: list[str]) -> dict[str, str]:
    """``--name value`` pairs; ``--start`` stands alone. Raises ValueError for anything else."""
    found: dict[str, str] = {}
    rest = iter(arguments)
    for word in rest:
        if word == "--start":
            found["start"] = "yes"
        elif word in {"--harness", "--home", "--event", "--part"}:
            found[word[2:]] = next(rest, "")
        else:
            raise ValueError(f"unknown argument {word}")
    if not found.get("harness"):
        raise ValueError("--harness NAME is missing")
    named = (found.get("home") or os.environ.get("KG_HOME", "")).strip()
    home = os.path.expanduser(named or "~/.kg")  # as the command line does it, or one name would be two memories
    if home.startswith("~"):
        raise ValueError(f"the user of {home} cannot be found on this machine")
    found["home"] = os.path.abspath(home)
    return found


def hook(arguments: list[str]) -> None:
    """Carries one event. Whatever goes wrong, the agent is not held up and sees no error."""
    try:
        from kg_server.carrier.hook import carry

        given = options(arguments)
        carry(
            given["home"],
            given["harness"],
            given.get("event", ""),
            starts_session="start" in given,
            part=int(given.get("part", "1")),
        )
    finally:
        os._exit(0)  # at once, and without a trace of whatever may have been raised


def shim(arguments: list[str]) -> None:
    """Serves one session over standard input and output until its client is gone, or cannot be answered (code 1)."""
    from kg_server.carrier import standard_error

    standard_error.tolerate()
    try:
        given = options(arguments)
    except ValueError as wrong:
        said = str(wrong)
        sys.stderr.write(f"Error: {said[0].upper()}{said[1:]}. `kg mcp --help` says how it is started.\n")
        sys.exit(2)
    for stream, name in ((sys.__stdin__, "input"), (sys.__stdout__, "output")):
        if stream is None:
            sys.exit(f"Error: Standard {name} is closed; there is nobody to serve.")
    from kg_server.carrier.shim import serve

    serve(given["home"], given["harness"])


def main(arguments: list[str]) -> None:
    """Runs what the first argument names."""
    if arguments[:1] == ["hook"]:
        hook(arguments[1:])
    elif arguments[:1] == ["mcp"]:
        shim(arguments[1:])
    else:
        sys.stderr.write(f"{__doc__}\n")
        sys.exit(2)


if __name__ == "__main__":
    # Under -S the folder of installed packages is not on the path; last, so that the standard library always wins.
    sys.path.append(os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..")))
    main(sys.argv[1:])
