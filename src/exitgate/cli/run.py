"""`exitgate run`: the loop itself, for any agent command."""

from __future__ import annotations

import sys

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, FLAG, NUMBER, REPEAT, REST, Argument, Command, Option
from exitgate.cli.options import FACT, RUN, STATE_DIR
from exitgate.cli.usage import at_least, pairs, usage_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.loop.asked import Asked
    from exitgate.loop.wait import Clock

GRACE, LONGEST_WAIT = "10s", "6h"


def run(given: Given, terminal: Terminal) -> Answer:
    """Go round until EXIT; all shipped policies to see was written meanwhile."""
    from exitgate.loop.asked import bounded
    from exitgate.loop.wait import Clock

    asked = bounded(_asked(given))
    if given.flag("dry_run"):
        from exitgate.loop.rehearsal import rehearsal

        return Answer(rehearsal(asked, terminal.out))
    return Answer(code=looped(asked, given, terminal, Clock()))


def looped(asked: Asked, given: Given, terminal: Terminal, clock: Clock) -> int:
    """Return the exit code of a loop. Raises `ExitgateError` as a check, and 75 for a run at work."""
    from exitgate.gate import discover
    from exitgate.loop.hold import Hold
    from exitgate.loop.runner import Loop
    from exitgate.loop.signals import Signals
    from exitgate.loop.spoken import Spoken
    from exitgate.loop.through import Through, one_place
    from exitgate.loop.told import Told

    for_programs = given.word("format") == "json"
    request = asked.request()
    with Hold(discover.state_dir(request), discover.run_name(request)), Signals() as signals:
        out = Through(sys.stderr) if for_programs else Spoken(sys.stdout)
        err = Through(sys.stderr)
        try:
            people = None if for_programs or given.flag("quiet") else sys.stderr
            shared = (out, err) if one_place(sys.stdout, sys.stderr) else (err,)
            told = Told(people, terminal.err, shared, _print if for_programs else None)
            return Loop(asked, told, out, err, signals, clock).run()
        finally:
            out.close()
            err.close()


def _print(document: dict[str, object]) -> None:
    from exitgate.cli.stream import stream
    from exitgate.report.json_line import json_line

    stream([json_line(document)])


def _asked(given: Given) -> Asked:
    from exitgate.loop.asked import MAX_ITERATIONS, Asked
    from exitgate.loop.child import Limits
    from exitgate.loop.prompt import found

    settings = pairs("--set", given.texts("set"))
    most = at_least("--max-iterations", given.number("max_iterations"), 1)
    if most is not None and MAX_ITERATIONS in settings:
        raise usage_error(
            f"`--max-iterations` and `--set {MAX_ITERATIONS}` are both given", "omit one of them"
        )
    grace = _seconds("--grace", given.word("grace"))
    longest = _seconds("--max-wait", given.word("max_wait"))
    timeout = None if given.text("timeout") is None else _seconds("--timeout", given.word("timeout"))
    if timeout == 0:
        raise usage_error("`--timeout 0` gives the agent no time", "write `--timeout 30m`, or leave it out")
    _there(given.texts("command")[0])
    return Asked(
        given.texts("command"),
        found(given.text("prompt"), ".", append=not given.flag("no_advice")),
        Limits(timeout, grace),
        given.text("policy"),
        settings,
        given.text("plan"),
        given.text("run"),
        given.text("state_dir"),
        most,
        longest,
        facts=pairs("--fact", given.texts("fact")),
    )


def _there(word: str) -> None:
    """Raise `ExitgateError` (64) for a command that does not exist: nothing has been begun yet."""
    import os
    import shlex
    import shutil

    from exitgate.loop.codes import no_command

    if shutil.which(word) is not None:
        return
    if os.path.dirname(word) and os.path.isdir(word):
        raise no_command(word, "it is a folder")
    if os.path.dirname(word) and os.path.exists(word):
        raise no_command(word, "it is not executable", f"allow it: `chmod +x {shlex.quote(word)}`")
    raise no_command(word, "command not found")


def _seconds(option: str, text: str) -> float:
    """Return the seconds of ``30m``, or of a bare number of them. Raises `ExitgateError` (64)."""
    from exitgate.language.literals import UNITS, duration, pieces
    from exitgate.language.problem import LanguageError

    written = text if text[-1:].isalpha() else f"{text}s"
    parts = pieces(written)
    good = all(unit in UNITS and amount.replace(".", "", 1).isdecimal() for amount, unit in parts)
    try:
        if good and written.isascii():
            return float(duration(written, 0))
    except LanguageError:
        pass
    raise usage_error(f"`{text}` is not a duration", f"write `{option} 30m`, or seconds: `{option} 90`")


COMMAND = Command(
    "run",
    "run the loop: any agent command, until the policy says EXIT",
    about="Evaluates the rules of the stage before an iteration, starts the agent with its prompt on "
    "standard input, shows and keeps its output, decides, and starts again. The ledger counts the "
    "iterations, so a loop that was ended or killed resumes where it was.\n\nThe agent's output is "
    "passed on unchanged; exitgate writes its own lines to stderr. The prompt is read again for each "
    "iteration; `{iteration}` and `{advice}` in it are replaced. If the command has the word `{prompt}` "
    "or `{prompt_file}`, the prompt is passed there instead. The agent finds EXITGATE_RUN, "
    "EXITGATE_ITERATION, EXITGATE_ADVICE and EXITGATE_STATE_DIR in its environment.",
    arguments=(Argument("COMMAND", REST, "the agent's command and arguments"),),
    options=(
        Option("--policy", "-p", metavar="NAME|PATH", doc="the policy that decides"),
        Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter of the policy"),
        FACT,
        Option(
            "--max-iterations",
            kind=NUMBER,
            metavar="N",
            doc="end after this many iterations, even if the policy continues",
        ),
        Option(
            "--prompt",
            metavar="FILE",
            doc="the agent's prompt; `-` for stdin, once; .ralph/PROMPT.md or PROMPT.md by default",
        ),
        Option("--no-advice", kind=FLAG, doc="do not append advice to a prompt without `{advice}`"),
        Option("--plan", metavar="PATH", doc="the task list"),
        Option("--timeout", metavar="TIME", doc="end an iteration that takes longer, such as `30m`"),
        Option("--grace", metavar="TIME", default=GRACE, doc="time that an agent has to end when asked to"),
        Option("--max-wait", metavar="TIME", default=LONGEST_WAIT, doc="longest duration of a `wait`"),
        RUN,
        STATE_DIR,
        Option("--dry-run", kind=FLAG, doc="show what would be done; start nothing, write nothing"),
        Option(
            "--format",
            choices=("text", "json"),
            default="text",
            doc="`json` prints each decision as a line on stdout, and the agent's output on stderr",
        ),
        Option("--quiet", "-q", kind=FLAG, doc="print only the agent's output"),
        COLOR,
    ),
    examples=(
        ("exitgate run -- claude -p", "an agent that reads its prompt from stdin"),
        ("exitgate run --max-iterations 20 --timeout 30m -- codex exec -", "with its own bounds"),
        ("exitgate run --run nightly --prompt task.md -- agent --file '{prompt_file}'", "a prompt in a file"),
        ("exitgate run --dry-run -- agent", "what would be done"),
    ),
    codes=(
        ("0", "EXIT complete: the work is done"),
        ("2", "EXIT blocked: a person or a permission is needed"),
        ("11 to 18", "any other EXIT, as for `exitgate check`"),
        ("64", "the command line is wrong, or the agent does not exist"),
        ("65", "a policy or another input is wrong"),
        ("66", "the prompt does not exist"),
        ("70", "an internal error"),
        ("73, 74", "cannot write, cannot read"),
        ("75", "another loop of the same run is running, or the ledger is locked"),
        ("130", "ended by a signal; the next `run` resumes"),
    ),
    run=run,
)
