"""
Commands as plain values.

A command is declared once; the quick reader (`arguments`), click (`clicked`), the help page and the reference
page all read the same declaration.
"""

from __future__ import annotations

from exitgate.core.model.value import Value, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.cli.terminal import Terminal

    Run = Callable[["ParsedArguments", Terminal], "Answer"]
    #: What went wrong, and the words behind the command's name.
    Trouble = Callable[[BaseException, Sequence[str]], "Answer"]
    from collections.abc import Mapping


FLAG, TEXT, NUMBER, REPEAT = "flag", "text", "number", "repeat"
ONE, OPTIONAL, MANY, ANY, REST = "one", "optional", "many", "any", "rest"
_ARITIES = {"": ONE, "[]": OPTIONAL, "...": MANY, "[...]": ANY, "-- ...": REST}


class Option(Value):
    """
    An option.

    Args:
        usage: As the help page shows it: ``--policy, -p NAME|PATH``. Without a name for its value it is a
            flag, unless it has `choices`; with ``...`` behind it, it may be given any number of times.
        doc: One sentence part for the help page.
        choices: The only values allowed, or none for any.
        default: Value where it is not given.
        suggests: Values that a shell completes, where others are read as well.
        kind: `NUMBER` for a whole number; by itself `FLAG`, `REPEAT` or `TEXT`.
    """

    __slots__ = ("choices", "default", "doc", "flags", "kind", "metavar", "suggests")

    def __init__(
        self,
        usage: str,
        doc: str = "",
        choices: tuple[str, ...] = (),
        default: str | None = None,
        suggests: tuple[str, ...] = (),
        kind: str = "",
    ) -> None:
        names, _, metavar = usage.replace(", ", ",").partition(" ")
        self.flags = tuple(names.split(","))
        self.metavar = metavar.removesuffix("...")
        self.kind = kind or (REPEAT if self.metavar != metavar else TEXT if metavar or choices else FLAG)
        self.doc = doc
        self.choices = choices
        self.default = default
        self.suggests = suggests

    @property
    def key(self) -> str:
        """The name its value goes by, ``state_dir`` of ``--state-dir``."""
        return self.flags[0].lstrip("-").replace("-", "_")


def formats(*names: str, doc: str = "output format") -> Option:
    """Return the option `--format`; the first of `names` is the default."""
    return Option("--format", doc, names, names[0])


class Argument(Value):
    """
    A positional argument.

    `usage` is as the help page shows it: ``PATH``, ``[PATH]``, ``PATH...`` (one or more), ``[PATH...]`` (none
    or more), or ``-- COMMAND...``: the last argument, another program's command line; no option of ours
    follows its first word. `suggests` is what a shell completes.
    """

    __slots__ = ("arity", "doc", "name", "suggests", "usage")

    def __init__(self, usage: str, doc: str = "", suggests: tuple[str, ...] = ()) -> None:
        self.usage = usage
        self.name = usage.strip("-[. ]")
        self.arity = _ARITIES[usage.replace(self.name, "")]
        self.doc = doc
        self.suggests = suggests

    @property
    def key(self) -> str:
        """The name its value goes by."""
        return self.name.lower().replace("-", "_")

    def __str__(self) -> str:
        return self.usage


LOG_LEVEL = Option("--log-level LEVEL", "report each step on stderr", ("debug", "info", "warning"))
COLORS = ("auto", "always", "never")
COLOR = Option("--color WHEN", "color the text; NO_COLOR and FORCE_COLOR also apply", COLORS, "auto")
SUCCESS = ("0", "success")
TROUBLE = (
    ("64", "the command line is wrong"),
    ("65", "a policy or another input is wrong"),
    ("70", "an internal error"),
    ("73, 74", "cannot write, cannot read"),
)


class Command(Value):
    """
    A command, or a group of commands when it has `children`.

    Args:
        name: As typed.
        summary: One line for the list of commands.
        about: Paragraphs for its own help page.
        arguments, options: What it takes; a command that runs takes `COLOR` and `LOG_LEVEL` too.
        examples: Command lines, each with what it does.
        codes: Exit codes, each with its meaning; a mapping has those that `SUCCESS` and `TROUBLE` do not say.
        run: Does it: from what was given to an answer.
        children: Commands below it, by name.
        trouble: Answers instead of `main` when something goes wrong, a wrong command line included.
        color: Whether it takes `COLOR`.
    """

    __slots__ = (
        "about", "arguments", "children", "codes", "examples", "name", "options", "run", "summary", "trouble",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        summary: str,
        about: str = "",
        arguments: tuple[Argument, ...] = (),
        options: tuple[Option, ...] = (),
        examples: tuple[tuple[str, str], ...] = (),
        codes: tuple[tuple[str, str], ...] | dict[str, str] | None = None,
        run: Run | None = None,
        children: tuple[Command, ...] = (),
        trouble: Trouble | None = None,
        color: bool = True,
    ) -> None:
        self.name = name
        self.summary = summary
        self.about = about
        self.arguments = arguments
        self.options = (
            options if run is None else (*options, COLOR, LOG_LEVEL) if color else (*options, LOG_LEVEL)
        )
        self.examples = examples
        self.codes = codes if isinstance(codes, tuple) else _codes(codes or {})
        self.run = run
        self.children = children
        self.trouble = trouble


def _codes(own: dict[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the codes that every command has with its `own`, in order; an empty meaning takes one away."""
    found = [(code, said) for code, said in {**dict((SUCCESS, *TROUBLE)), **own}.items() if said]
    return tuple(sorted(found, key=lambda row: int(row[0].partition(",")[0].partition(" ")[0])))


# What was given on a command line, by name.


class ParsedArguments(Value):
    """Values of options and arguments by key; reading one that was not given yields its empty form."""

    __slots__ = ("values",)

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values

    def text(self, key: str) -> str | None:
        """Return the value, or None."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None

    def word(self, key: str) -> str:
        """Return a value that has a default or must be given."""
        value = self.values[key]
        assert isinstance(value, str)
        return value

    def flag(self, key: str) -> bool:
        """Return whether the flag was given."""
        return self.values.get(key) is True

    def number(self, key: str) -> int | None:
        """Return the whole number, or None."""
        value = self.values.get(key)
        return value if is_whole(value) else None

    def texts(self, key: str) -> tuple[str, ...]:
        """Return every value given, in order."""
        value = self.values.get(key)
        return tuple(str(v) for v in value) if isinstance(value, tuple) else ()


# What a command answers with; `main` writes it.


class Event(Value):
    """
    Something a command did, for `--log-level`.

    Args:
        level: ``debug``, ``info`` or ``warning``.
        name: A verb in the past tense, ``policy_loaded``.
        keys: Plain values by snake-case name.
    """

    __slots__ = ("keys", "level", "name")

    def __init__(self, level: str, name: str, keys: Mapping[str, object]) -> None:
        self.level = level
        self.name = name
        self.keys = keys


class Answer(Value):
    """
    The result of a command.

    Args:
        out: The result, for stdout, line ends included.
        err: Remarks and diagnostics, for stderr.
        code: Exit code of the process.
        events: What was done, oldest first; only shown with `--log-level`.
        undecided: What the analysis of a policy did not decide, a line each; `ci` shows it.
    """

    __slots__ = ("code", "err", "events", "out", "undecided")

    def __init__(
        self,
        out: str = "",
        err: str = "",
        code: int = 0,
        events: tuple[Event, ...] = (),
        undecided: tuple[str, ...] = (),
    ) -> None:
        self.out = out
        self.err = err
        self.code = code
        self.events = events
        self.undecided = undecided
