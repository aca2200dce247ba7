"""``kg setup``"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kg_plugin_api import Code, KgError, StepState
from kg_server.cli import changes
from kg_server.cli.consent import Consent
from kg_server.cli.control import control
from kg_server.cli.given import NAME
from kg_server.cli.options import apart, as_json, patiently, told, with_home
from kg_server.cli.output import tell_failure
from kg_server.cli.terminal import in_line
from kg_server.cli.turn import own_turn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kg_core.claims import Outcome, Plan
    from kg_core.host import Plugins
    from kg_core.store import Home
    from kg_plugin_api import Harness
    from kg_server.setup.account import Account
    from kg_server.setup.choice import Choice
    from kg_server.setup.connection import Connection


@click.command("setup")
@click.option("--harness", "named", multiple=True, metavar="NAME", help="Only this agent; may be given again.")
@click.option(
    "--search", type=NAME, metavar="NAME", help="Have this search backend asked instead: of a plug-in, or `builtin`."
)
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Of --search; may be given again.")
@click.option("--service", is_flag=True, help="Also have systemd start the server when you log in.")
@click.option("--yes", is_flag=True, help="Ask nothing: do what is needed and accept what is offered.")
@click.option("--trust-hooks", is_flag=True, help="Also trust our hooks in the agents' own interfaces.")
@changes.with_dry_run
@click.option("--team", is_flag=True, help="Share this project's memory through its git repository instead.")
@click.option("--off", is_flag=True, help="With --team: share it no longer.")
@as_json
@with_home
def command(
    home: Home,
    named: tuple[str, ...],
    search: str | None,
    options: tuple[str, ...],
    *,
    service: bool,
    yes: bool,
    trust_hooks: bool,
    dry_run: bool,
    full: bool,
    team: bool,
    off: bool,
    as_json: bool,
) -> int:
    """Connect the agents on this machine to kg, start the server, and prove that memory works.

    With --json nobody is asked anything, and one document on standard output holds, for each agent, its files with
    their diffs, its steps and offers, and what is still open; what a person would read goes to standard error.
    """
    from kg_server.setup.installed import lasting
    from kg_server.setup.launch import check_nameable

    if not lasting():
        raise KgError(Code.REFUSED, "This kg runs from a cache that may vanish. Install it with pip, uv tool or pipx.")
    of_agents = {"--harness": named, "--service": service, "--trust-hooks": trust_hooks}
    if team:
        from kg_server.cli.team import share

        apart("--team", {"--json": as_json, "--search": search, "--option": options, **of_agents})
        return share(home, dry_run=dry_run, full=full, off=off)
    if off:
        raise KgError(Code.INVALID, "--off goes with --team. To disconnect agents, use `kg uninstall`.")
    check_nameable(home)
    consent = Consent.NOBODY if as_json and not yes else Consent.of(yes=yes)
    if search is not None:
        from kg_server.cli.searching import choose

        apart("--search", of_agents)
        return choose(home, search, options, agreed=consent.goes_on, dry_run=dry_run, full=full, as_json=as_json)
    if options:
        raise KgError(Code.INVALID, "--option goes with --search.")
    with told(home, dry_run=dry_run, as_json=as_json) as report:
        choice, agents, wanted, plugins = _asked_for(home, named, service=service)
        report.more["missing"] = [*choice.missing, *choice.cut_off]
        _tell(choice, plugins.harnesses)
        if dry_run:
            return report.ends(_shown(wanted, report.accounts, full=full))
        with own_turn(home):
            connected = _connected(wanted, consent, report.accounts, trust_hooks=trust_hooks)
            still_open = [sentence for account in report.accounts for sentence in account.still_open]
            try:
                proved = [connection for connection in connected if connection in agents]
                _prove(home, proved, plugins)
            except KgError as failure:
                still_open.append(failure.sentence)
        for sentence in still_open:
            click.echo(f"Still open: {sentence}", err=True)
        if still_open:
            tell_failure("Not all is set up. Run `kg setup` again once that is mended: it goes on where it stopped.")
        report.more["open"] = still_open
        return report.ends(1 if still_open else 0)


def _asked_for(
    home: Home, named: tuple[str, ...], *, service: bool
) -> tuple[Choice, list[Connection], list[Connection], Plugins]:
    """What was found, the agents to connect, these and what else is wanted, and every plug-in installed."""
    from kg_server.installed import plugins_of
    from kg_server.setup.choice import chosen
    from kg_server.setup.connection import Connection, Records
    from kg_server.setup.machine import Machine
    from kg_server.setup.service import SERVICE

    machine, plugins, records = Machine.this(home), plugins_of(home), Records.at(home)
    choice = chosen(plugins, machine, named)
    agents = [Connection.of(machine, harness, records) for harness in choice.harnesses]
    more = [Connection.of(machine, SERVICE, records)] if service else []
    return choice, agents, [*agents, *more], plugins


def _account(connection: Connection, accounts: list[Account]) -> Account:
    """A new account of a harness."""
    from kg_server.setup.account import Account

    accounts.append(Account(connection.harness.name, connection.harness.title))
    return accounts[-1]


def _connected(
    wanted: Sequence[Connection], consent: Consent, accounts: list[Account], *, trust_hooks: bool
) -> list[Connection]:
    """Connects one after the other; those that nothing prevented."""
    connected = []
    for connection in wanted:
        account = _account(connection, accounts)
        try:
            if _agreed(connection, consent, account):
                account.still_open = _connect(connection, consent, account, trust_hooks=trust_hooks)
                if not account.still_open:
                    connected.append(connection)
            for step in connection.steps():
                account.step(step, connection.state(step))
        except KgError as failure:
            account.still_open.append(f"{connection.harness.title}: {failure.sentence}")
    return connected


def _tell(choice: Choice, installed: Sequence[Harness]) -> None:
    from kg_server.setup.choice import how_to_serve
    from kg_server.setup.installed import add_line

    for name in choice.cut_off:
        click.echo(f"{name} is connected, but its plug-in is not here: it stays without memory. {how_to_serve(name)}")
    for name in choice.missing:
        click.echo(f"{name} is on this machine, but its plug-in is not. Add it with: {add_line(name)}")
    if not choice.harnesses:
        have = ", ".join(harness.name for harness in installed)
        hint = f"Name one with --harness ({have})." if have else "Any MCP client can run `kg mcp --harness mcp`."
        click.echo(f"No agent was found here. {hint} `kg demo` shows how two of them share a memory.")


def _shown(connections: Sequence[Connection], accounts: list[Account], *, full: bool) -> int:
    """Shows what a set-up would do; 1 when a plug-in cannot even say so."""
    code = 0
    for connection in connections:
        click.echo(f"# {connection.harness.title}")
        account = _account(connection, accounts)
        try:
            _preview(connection, account, full=full)
        except KgError as failure:
            tell_failure(failure.sentence)
            account.still_open.append(failure.sentence)
            code = 1
    click.echo(changes.unchanged(accounts, "setup", full=full))
    return code


def _preview(connection: Connection, account: Account, *, full: bool) -> None:
    plan = connection.plan()
    account.planned(plan)
    if plan.changes or not plan.refusals:
        click.echo(changes.shown(plan, full=full) or "Nothing to change.")
    _refused(plan)
    if plan.refusals:  # a run ends here, too
        return
    for offer in connection.offers():
        accepted = connection.accepted(offer)
        account.offered(offer, accepted)
        click.echo(f"# Offered: {offer.question}\n{changes.shown(accepted, full=full)}")
    if copies := connection.copies():
        account.copies(copies, removed=False)
        click.echo("# Offered: Move copies of kg's guides away?\n" + "\n".join(str(copy.path) for copy in copies))
    for step in connection.steps():
        status = connection.state(step)
        account.step(step, status)
        if status.state is not StepState.DONE:
            click.echo(f"# Step: {step.title}\n{step.explanation}")


def _agreed(connection: Connection, consent: Consent, account: Account) -> bool:
    """Says which files of a harness will be written. False when the person wants them left as they are."""
    title, plan = connection.harness.title, connection.plan()
    account.planned(plan)
    if not plan.changes:
        click.echo(f"{title}: already connected." if not plan.refusals else f"{title}:")
        return True
    click.echo(f"{title}: these files will be written (--dry-run --full shows how):")
    for change in plan.changes:
        click.echo(f"  {in_line(change.path)}")
    if not consent.goes_on():
        click.echo(f"{title}: left as it is.")
        return False
    return True


def _connect(connection: Connection, consent: Consent, account: Account, *, trust_hooks: bool) -> list[str]:
    """Writes the claims of one harness, takes its steps and makes its offers. Returns what is left open."""
    title, plan = connection.harness.title, connection.plan()
    outcome = connection.apply(plan)
    account.wrote(plan, outcome)
    left = _written(outcome, title)
    if left:
        return left + [f"{title}: not tried: {step.title}." for step in connection.steps()]
    left = _take_steps(connection, consent, trust_hooks=trust_hooks)
    for offer in connection.offers():
        plan = connection.accepted(offer)
        if consent.accepts(offer.question):
            outcome = connection.accept(offer)
            account.offered(offer, plan, outcome)
            refused = _written(outcome, title)
            left += refused
            if refused or consent is not Consent.PERSON:  # who has just said yes need not be told so
                click.echo(f"  {offer.question} {'Not done.' if refused else 'Yes.'}")
            continue
        account.offered(offer, plan)
        if consent is Consent.NOBODY:
            click.echo(f"  {offer.question} Nobody was there to ask; `kg setup --yes` does it.")
    return left + _put_copies_away(connection, consent, account)


def _put_copies_away(connection: Connection, consent: Consent, account: Account) -> list[str]:
    """Offers to move copies of our guides out of the client's sight. Returns what failed."""
    copies = connection.copies()
    if not copies:
        return []
    click.echo("  Copies of kg's guides, which the agent is shown beside them:")
    for copy in copies:
        click.echo(f"    {copy.path} (version {copy.version})")
    wanted = consent.accepts("Move them away?")
    account.copies(copies, removed=wanted)
    if wanted:
        try:
            click.echo(f"  They are in {connection.remove(copies)} now.")
        except KgError as failure:
            return [f"{connection.harness.title}: {failure.sentence}"]
    elif consent is Consent.NOBODY:
        click.echo("  Nobody was there to ask; `kg setup --yes` moves them away.")
    return []


def _take_steps(connection: Connection, consent: Consent, *, trust_hooks: bool) -> list[str]:
    """Takes the steps that are open; one that wants consent only with it. Returns what failed."""
    left = []
    for step in connection.steps():
        status = connection.state(step)
        if status.state is StepState.DONE:
            continue
        if status.state is StepState.OPEN and status.sentence:
            click.echo(f"  {status.sentence}")
        if step.needs_consent and not trust_hooks:
            asked = consent is Consent.PERSON
            if asked:
                click.echo(f"  {step.explanation} Or say yes here: kg tells the agent the same.")
            if not consent.trusts(step.title):
                how = "" if asked else f" {step.explanation}"
                click.echo(
                    f"  Left to you: {step.title}.{how} Or run "
                    "`kg setup --trust-hooks`, which tells the agent the same through its own interface."
                )
                continue
        click.echo(f"  {step.title} …")
        try:
            connection.take(step)
            click.echo("  Done.")
        except KgError as failure:
            left.append(f"{connection.harness.title}: {step.title}. {failure.sentence} {step.explanation}")
    return left


def _written(outcome: Outcome, title: str) -> list[str]:
    """Tells what a run did; returns what it left open."""
    for note in outcome.notes:
        click.echo(f"  {note.path}: {note.sentence}")
    if outcome.backup is not None:
        click.echo(f"  The originals are in {outcome.backup}.")
    _refused(outcome)
    left = [f"{title}: {refusal.reason}" for refusal in outcome.refusals]
    if outcome.failed is not None:
        left.append(f"{title}: {outcome.failed.sentence}")
        left += [f"{title}: not tried: {path}." for path in outcome.open if path != outcome.failed.path]
    return list(dict.fromkeys(left))


def _refused(found: Outcome | Plan) -> None:
    changes.tell_refused(found, "NOT changed", "To do it by hand:")


def _prove(home: Home, connections: Sequence[Connection], plugins: Plugins) -> None:
    """Starts the server, of this version and with these plug-ins, and asks it the way each agent does."""
    from kg_server.setup.launch import shim
    from kg_server.setup.verify import through_shim

    started = control(home, "Starting the server").start(plugins)
    click.echo(f"The server runs (process {started.health['pid']}) and keeps the memory in {in_line(home.root)}.")
    for name, command in [(c.harness.title, c.site.launch.shim) for c in connections] or [
        ("Any MCP client", shim(home, "mcp"))
    ]:
        proof = patiently(f"{name}: asking the memory", partial(through_shim, command, Path.home()))
        click.echo(f"{name}: memory answers, {proof.tools} tools, {proof.seconds * 1000:.0f} ms.")
    if connections:
        click.echo("Start a new session of your agent: what it learns, the others are given. `kg doctor` checks all.")
