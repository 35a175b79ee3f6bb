"""
Commands as plain values.

A command is declared once; the quick reader (`arguments`), click (`clicked`), the help page and the reference
page all read the same declaration.
"""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.cli.answer import Answer
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal

    Run = Callable[[Given, Terminal], Answer]
    #: What went wrong, and the words behind the command's name.
    Trouble = Callable[[BaseException, Sequence[str]], Answer]

FLAG, TEXT, NUMBER, REPEAT = "flag", "text", "number", "repeat"
ONE, OPTIONAL, MANY, ANY, REST = "one", "optional", "many", "any", "rest"


class Option(Value):
    """
    An option.

    Args:
        flags: As typed, the long one first: ``("--policy", "-p")``.
        kind: `FLAG`, `TEXT`, `NUMBER` (a whole number) or `REPEAT` (a text, any number of times).
        doc: One sentence part for the help page.
        metavar: What stands for its value in help.
        choices: The only values allowed, or none for any.
        default: Value where it is not given.
    """

    __slots__ = ("choices", "default", "doc", "flags", "kind", "metavar")

    def __init__(
        self,
        *flags: str,
        kind: str = TEXT,
        doc: str = "",
        metavar: str = "",
        choices: tuple[str, ...] = (),
        default: str | None = None,
    ) -> None:
        self.flags = flags
        self.kind = kind
        self.doc = doc
        self.metavar = metavar
        self.choices = choices
        self.default = default

    @property
    def key(self) -> str:
        """The name its value goes by, ``state_dir`` of ``--state-dir``."""
        return self.flags[0].lstrip("-").replace("-", "_")


class Argument(Value):
    """
    A positional argument. `arity` is `ONE`, `OPTIONAL`, `MANY` (one or more), `ANY` (none or more) or `REST`:
    the last argument, another program's command line; no option of ours follows its first word.
    """

    __slots__ = ("arity", "doc", "name")

    def __init__(self, name: str, arity: str = ONE, doc: str = "") -> None:
        self.name = name
        self.arity = arity
        self.doc = doc

    @property
    def key(self) -> str:
        """The name its value goes by."""
        return self.name.lower().replace("-", "_")

    def __str__(self) -> str:
        forms = {ONE: "{}", OPTIONAL: "[{}]", MANY: "{}...", ANY: "[{}...]", REST: "-- {}..."}
        return forms[self.arity].format(self.name)


LOG_LEVEL = Option(
    "--log-level",
    metavar="LEVEL",
    choices=("debug", "info", "warning"),
    doc="report each step on stderr",
)


class Command(Value):
    """
    A command, or a group of commands when it has `children`.

    Args:
        name: As typed.
        summary: One line for the list of commands.
        about: Paragraphs for its own help page.
        arguments, options: What it takes; a command that runs takes `LOG_LEVEL` too.
        examples: Command lines, each with what it does.
        codes: Exit codes, each with its meaning.
        run: Does it: from what was given to an answer.
        children: Commands below it, by name.
        trouble: Answers instead of `main` when something goes wrong, a wrong command line included.
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
        codes: tuple[tuple[str, str], ...] = (),
        run: Run | None = None,
        children: tuple[Command, ...] = (),
        trouble: Trouble | None = None,
    ) -> None:
        self.name = name
        self.summary = summary
        self.about = about
        self.arguments = arguments
        self.options = options if run is None else (*options, LOG_LEVEL)
        self.examples = examples
        self.codes = codes
        self.run = run
        self.children = children
        self.trouble = trouble


COLOR = Option(
    "--color",
    metavar="WHEN",
    choices=("auto", "always", "never"),
    default="auto",
    doc="color the text; NO_COLOR and FORCE_COLOR also apply",
)
SUCCESS = ("0", "success")
TROUBLE = (
    ("64", "the command line is wrong"),
    ("65", "a policy or another input is wrong"),
    ("70", "an internal error"),
    ("73, 74", "cannot write, cannot read"),
)
