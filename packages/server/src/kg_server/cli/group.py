"""The group of all subcommands, which imports none of them until it is used, and the border where errors are told."""

from __future__ import annotations

import difflib
import errno
import importlib
import keyword
import os
import traceback
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar, Final

import click

from kg_plugin_api import Code, KgError
from kg_server.carrier.version import VERSION
from kg_server.cli.output import Unwritable, standard_output, tell_failure
from kg_server.errors import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "Agents": {
            "setup": "Connect the agents on this machine to kg.",
            "uninstall": "Take out what setup has put in.",
            "doctor": "Say what works, what does not, and what to do.",
            "preview": "Show exactly what the start of a session would deliver.",
            "demo": "Let two scripted agents share a temporary memory.",
        },
        "Lessons": {
            "show": "Show the memory of this folder, or single lessons.",
            "search": "Search the memory of this folder.",
            "why": "Explain why a lesson is in sight or not.",
            "why-recall": "Explain why the last prompt or file brought something to mind, or nothing.",
            "add": "Add a lesson.",
            "delete": "Delete lessons, after a backup.",
            "rename": "Give a lesson another id.",
            "map": "Show, check or begin the map of this code base: components and rules.",
        },
        "The whole memory": {
            "import": "Take over the memory of another product, or of an export.",
            "export": "Print the memory as JSON or Markdown.",
            "backup": "Write the whole memory into one file.",
            "restore": "Put memory back as it was in a backup.",
            "commit": "Commit the memory folder to its git repository now.",
        },
        "The server": {
            "start": "Start the server.",
            "stop": "Stop the server.",
            "restart": "Stop the server and start it again.",
            "status": "Say whether the server runs.",
            "serve": "Serve in the foreground.",
            "logs": "Show the server's log.",
            "plugins": "List the plug-ins and what is wrong with them.",
            "version": "Show the version.",
        },
        "Run by programs": {
            "mcp": "The MCP server that an agent starts (standard input and output).",
            "hook": "Carry one event; agents' hooks run this.",
            "merge-driver": "Merge graph files three-way; git runs this.",
        },
    }
)
"""Every command with its line of help, by what it is about, in the order in which a person meets them."""
COMMANDS: Final[Mapping[str, str]] = MappingProxyType(
    {name: line for section in SECTIONS.values() for name, line in section.items()}
)
"""All of them; the command itself is ``kg_server.cli.<module>.command``."""


_OF_DISKS: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO})
"""What a disk says that is full, read-only or broken."""


class Listing(click.Group):
    """Lists its commands in their order, each with its whole help, and tells a misspelt one by the one it resembles."""

    more: ClassVar[str] = ""
    """Where else a command may come from, as the end of a sentence on one that is not here."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a person meets them."""
        del ctx
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments begin with; a misspelt one is told with the name that it resembles."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as failure:
            near = difflib.get_close_matches(args[0], self.list_commands(ctx), n=1)
            advice = f" Did you mean `{ctx.command_path} {near[0]}`?" if near else self.more
            sentence = f"`{ctx.command_path}` has no command {args[0]!r}.{advice}"
            raise click.UsageError(sentence, failure.ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(self.listed()))

    def listed(self, above: str = "") -> Iterator[tuple[str, str]]:
        """Every command below ``above``, those of groups in here too, with the first paragraph of its help."""
        for name, command in self.commands.items():
            if isinstance(command, Listing):
                yield from command.listed(f"{above}{name} ")
            else:
                yield f"{above}{name}", " ".join((command.help or "").split("\n\n")[0].split())


_OF_COMMANDS: Final = frozenset({"--home", "--cwd", "--json"})
"""Options of nearly every command, and of none before it."""


class Commands(Listing):
    """Finds a command by its name, then among the operations of plug-ins."""

    more = " Plug-ins may add commands; `kg plugins` lists those of the plug-ins that are here."

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """What is left for the command. An option that stands too early is told where it belongs."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as failure:
            if failure.option_name not in _OF_COMMANDS:
                raise
            sentence = f"`{failure.option_name}` belongs behind the command, as in `kg show {failure.option_name}`."
            raise click.UsageError(sentence, ctx) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order in which a person meets them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None when neither kg nor a plug-in has one."""
        del ctx
        module = importlib.import_module(f"kg_server.cli.{_module(cmd_name) if cmd_name in COMMANDS else 'operations'}")
        if cmd_name in COMMANDS:
            command: click.Command = module.command
            return command
        found: click.Command | None = module.of_plugin(cmd_name)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands by what they are about, in columns of one width."""
        del ctx
        width = max(map(len, COMMANDS))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name.ljust(width), line) for name, line in commands.items()])

    def listed(self, above: str = "") -> Iterator[tuple[str, str]]:
        """The commands of kg, without importing them."""
        return ((f"{above}{name}", line) for name, line in COMMANDS.items())


root: Final = Commands(
    name="kg",
    help="One local memory for every coding agent on this machine. Begin with `kg setup`.",
    epilog="Plug-ins may add commands; `kg plugins` lists those of the plug-ins that are here.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
click.version_option(VERSION, message="kg %(version)s", help="Show the version and exit.")(root)


def _module(name: str) -> str:
    """The module of a command: its name, made one that Python can import."""
    return f"{name}_" if keyword.iskeyword(name) else name.replace("-", "_")


def run_command(arguments: Sequence[str]) -> int:
    """Runs a command and says on one line what went wrong, if something did. Returns the exit code."""
    try:
        with standard_output():
            return _run(arguments)
    except Unwritable as failure:
        tell_failure(str(failure))
    except BrokenPipeError:
        pass  # whoever read has read enough
    return 1


def _run(arguments: Sequence[str]) -> int:
    try:
        result = root.main(list(arguments), prog_name="kg", standalone_mode=False)
    except KgError as failure:
        tell_failure(failure.sentence)
        return ANSWERS[failure.code].exit_code
    except click.exceptions.NoArgsIsHelpError as failure:
        click.echo(failure.format_message())
        return 0
    except click.ClickException as failure:
        failure.show()
        return failure.exit_code
    except (click.Abort, KeyboardInterrupt, EOFError):
        click.echo("Nothing more was done.", err=True)
        return 130
    except (BrokenPipeError, Unwritable):
        raise
    except OSError as failure:
        return _told_of_file(failure, arguments)
    except Exception as failure:  # noqa: BLE001 - process border: a person gets a sentence, the details go to a file
        return _told_of_bug(failure, arguments)
    return result if isinstance(result, int) else 0


def _told_of_file(failure: OSError, arguments: Sequence[str]) -> int:
    """Says which file or folder cannot be used, as its owner can do something about it. Returns the exit code."""
    if isinstance(failure.filename, str | bytes) and failure.strerror is not None:
        what = os.fsdecode(failure.filename)
    elif failure.errno in _OF_DISKS or (type(failure) is FileNotFoundError and failure.strerror):
        what = "A file that this needs"  # a write does not say which one, nor does the search for a temporary folder
    else:
        return _told_of_bug(failure, arguments)
    tell_failure(f"{what} cannot be used ({failure.strerror}).")
    return ANSWERS[Code.UNAVAILABLE].exit_code


def _told_of_bug(failure: Exception, arguments: Sequence[str]) -> int:
    """Says what nobody foresaw. Returns the exit code."""
    tell_failure(f"kg failed ({type(failure).__name__}: {failure}). {_noted(arguments)}")
    return 1


def _noted(arguments: Sequence[str]) -> str:
    """Writes down where the failure came from, for its owner's eyes only, and says where that can be read."""
    from kg_core.home import Home
    from kg_server.carrier.places import Places
    from kg_server.carrier.regular import regular
    from kg_server.cli.place import working_folder

    try:
        environ = {**os.environ, **_named(arguments)}
        home = Home.from_environ(environ, working_folder())
        path = home.state / "command-error.log"
        Places(str(home.root)).prepare()
        with open(path, "w", encoding="utf-8", errors="backslashreplace", opener=regular) as file:
            file.write(traceback.format_exc())
    except (OSError, KgError):
        return "Please report this."
    return f"Please report this with {path}."


def _named(arguments: Sequence[str]) -> dict[str, str]:
    """The memory that the command line names, as the variable that would."""
    for word, following in zip(arguments, [*arguments[1:], ""], strict=True):
        option, _, folder = word.partition("=")
        if option == "--home":
            return {"KG_HOME": folder or following}
    return {}
