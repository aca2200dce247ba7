"""A rough day in minutes, and whether anything was lost, wrong or left over in the end. See bench/README.md."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from soak.record import as_json, lines, violations
from soak.run import soak


def main() -> None:
    """Parses the arguments, runs, prints what was found, and ends with 1 when something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0, help="how long (default: 10)")
    parser.add_argument("--seed", type=int, default=0, help="of everything that is chosen at random (default: 0)")
    parser.add_argument("--sessions", type=int, default=100, help="how many agents (default: 100)")
    parser.add_argument("--pretend", action="store_true", help="fill no real disk, though one could be mounted")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was found to FILE")
    arguments = parser.parse_args()
    record = soak(
        arguments.minutes * 60,
        seed=arguments.seed,
        sessions=arguments.sessions,
        pretends=arguments.pretend,
        say=lambda line: print(line, file=sys.stderr, flush=True),
    )
    for line in lines(record):
        print(line)
    if arguments.json:
        text = json.dumps(as_json(record), indent=2, ensure_ascii=False)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    sys.exit(1 if violations(record) else 0)


if __name__ == "__main__":
    main()
