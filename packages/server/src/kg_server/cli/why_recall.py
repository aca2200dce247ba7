"""``kg why-recall``"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kg_server.cli.given import NAME
from kg_server.cli.looking import looked
from kg_server.cli.options import as_json, print_json, with_cwd, with_home
from kg_server.cli.output import tell_failure

if TYPE_CHECKING:
    from kg_core.store import Home


@click.command("why-recall")
@click.option(
    "--session", type=NAME, metavar="ID", help="A session of an agent, or its beginning; else this project's."
)
@click.option(
    *("-n", "--count"),
    type=click.IntRange(min=1, max=100),
    default=1,
    show_default=True,
    metavar="COUNT",
    help="How many decisions of each kind: on prompts, on files, on rules.",
)
@as_json
@with_cwd
@with_home
def command(home: Home, cwd: str, session: str | None, count: int, *, as_json: bool) -> int:
    """Explain why the last prompt, or the last file, brought something to mind or did not.

    Exit code 1 when nothing is known of the session that was named.
    """
    found = looked(home, "/api/v1/why-recall", {"cwd": cwd, "session": session or "", "count": str(count)})
    is_unknown = session is not None and not found["decisions"]
    if as_json:
        print_json(found)
    elif is_unknown:
        tell_failure(found["text"])
    else:
        click.echo(found["text"])
    return 1 if is_unknown else 0
