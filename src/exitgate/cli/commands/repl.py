"""`exitgate repl`: ask a policy line by line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.parsing.usage import pairs
from exitgate.cli.terminal import Terminal, write
from exitgate.core.model.decision import BAD_POLICY, CANNOT_WRITE, OK
from exitgate.core.model.diagnostic import ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.surfaces.repl.session import Session


PROMPT = "exitgate> "
#: Characters between the words that are completed.
_BETWEEN = " \t()[],=<>+*/"


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """
    Answer line by line until the input ends.

    Piped, 65 when a line was wrong: a script notices. In a terminal the person saw it, and it is 0.
    """
    from exitgate.surfaces.repl.interpreter import QUIT
    from exitgate.surfaces.repl.session import Session

    session = Session(given.word("policy"), pairs("--set", given.texts("set")), given.text("profile"))
    asked = sys.stdin is not None and sys.stdin.isatty()
    code = OK
    for number, line in enumerate(_typed(session) if asked else _piped(), 1):
        if line.strip() in QUIT:
            break
        answer = _answer(line, number, session, terminal)
        if write(answer) == CANNOT_WRITE:
            return Answer(code=CANNOT_WRITE)
        code = max(code, answer.code) if not asked else OK
    return Answer(code=code)


def _answer(line: str, number: int, session: Session, terminal: Terminal) -> Answer:
    from exitgate.surfaces.repl.interpreter import answer_line

    try:
        lines = answer_line(line, number, session, terminal.out)
    except ExitgateError as error:
        if error.exit_code != BAD_POLICY:
            raise
        from exitgate.report.diagnostics import diagnostic_text, ordered

        found = [diagnostic_text(one, terminal.err) for one in ordered(error.diagnostics)]
        return Answer(err="".join(f"{one}\n" for one in found), code=error.exit_code)
    return Answer("".join(f"{one}\n" for one in lines))


def _piped() -> Iterator[str]:
    """Yield the lines of the standard input, one that was closed from the start has none."""
    yield from sys.stdin if sys.stdin is not None else ()


def _typed(session: Session) -> Iterator[str]:
    """Yield what a person types, with history and completion where this Python has readline."""
    _complete(session)
    sys.stdout.write(f"{session.policy.name} {session.policy.version}; :help lists what can be typed\n")
    while True:
        try:
            yield input(PROMPT)
        except KeyboardInterrupt:
            sys.stdout.write("\n")
        except EOFError:
            sys.stdout.write("\n")
            return


def _complete(session: Session) -> None:
    """Have readline complete names; its history lasts as long as the program."""
    try:
        import readline
    except ImportError:
        return
    readline.set_completer(completer(session))
    readline.set_completer_delims(_BETWEEN)
    readline.parse_and_bind("tab: complete")


def completer(session: Session) -> Callable[[str, int], str | None]:
    """Return a function from the word so far and a number to that proposal, None behind the last."""
    from exitgate.surfaces.repl.interpreter import words

    found: list[str] = []

    def propose(word: str, number: int) -> str | None:
        if number == 0:
            found[:] = sorted({one for one in words(session) if one.startswith(word)})
        return found[number] if number < len(found) else None

    return propose


COMMAND = Command(
    "repl",
    "ask a policy line by line: facts as series, conditions, rules",
    about="Give facts as series, as in tests.yaml: `tests.failed = 3 _ 3 3` is a fact in four iterations, "
    "the current one last, `_` unknown, `falsex3` three times. A condition or formula is answered with its "
    "value, each part's, how far its history has come, the facts it rests on, and why it is unknown; the id "
    "of a rule with the same of the rule. `:rules`, `:facts`, `:set NAME VALUE`, `:decide`, `:reset` and "
    "`:help` do the rest. No state is read or written. Piped, lines are answered one by one, and problems go "
    "to stderr.",
    arguments=(Argument("POLICY", "name of a shipped policy, or a path"),),
    options=(
        Option("--set NAME=VALUE...", "set a parameter"),
        Option("--profile NAME", "a profile of the policy"),
    ),
    examples=(
        ("exitgate repl recommended", "try conditions of the default policy"),
        ("printf 'tasks.done = 2x4\\nstagnation\\n' | exitgate repl bb3", "from a script"),
    ),
    codes={"65": "the policy or a line of the input is wrong"},
    run=run,
)
