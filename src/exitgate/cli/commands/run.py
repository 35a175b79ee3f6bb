"""`exitgate run`: the loop itself, for any agent command."""

from __future__ import annotations

import sys

from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.options import FACT, RUN, STATE_DIR
from exitgate.cli.parsing.usage import at_least, not_in_probe, pairs, seconds, usage_error
from exitgate.cli.terminal import Terminal, stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.hosts.loop.options import LoopOptions
    from exitgate.hosts.loop.prompt import Prompt
    from exitgate.hosts.loop.signals import Clock


GRACE, LINGER, LONGEST_WAIT = "10s", "30s", "6h"


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Go round until EXIT; all shipped policies to see was written meanwhile."""
    from exitgate.hosts.loop.options import bounded
    from exitgate.hosts.loop.signals import Clock

    not_in_probe("run")
    asked = bounded(loop_options(given, given.text("policy")))
    if given.flag("dry_run"):
        from exitgate.hosts.loop.preview import preview

        return Answer(preview(asked, terminal.out))
    return Answer(code=run_loop(asked, given, terminal, Clock()))


def run_loop(asked: LoopOptions, given: ParsedArguments, terminal: Terminal, clock: Clock) -> int:
    """Return the exit code of a loop. Raises `ExitgateError` as a check, and 75 for a run at work."""
    from exitgate.core.state import discover
    from exitgate.hosts.loop.console import AgentText, Console
    from exitgate.hosts.loop.run_lock import RunLock
    from exitgate.hosts.loop.runner import Loop
    from exitgate.hosts.loop.signals import Signals
    from exitgate.hosts.loop.tee import Tee, same_place

    for_programs = given.word("format") == "json"
    request = asked.request()
    with RunLock(discover.state_dir(request), discover.run_name(request)), Signals() as signals:
        out = Tee(sys.stderr) if for_programs else AgentText(sys.stdout)
        err = Tee(sys.stderr)
        try:
            people = None if for_programs or given.flag("quiet") else sys.stderr
            shared = (out, err) if same_place(sys.stdout, sys.stderr) else (err,)
            told = Console(people, terminal.err, shared, _print if for_programs else None)
            return Loop(asked, told, out, err, signals, clock).run()
        finally:
            out.close()
            err.close()


def _print(document: dict[str, object]) -> None:
    from exitgate.report.formats.json import json_line

    stream([json_line(document)])


def loop_options(given: ParsedArguments, policy: str | None, prompt: Prompt | None = None) -> LoopOptions:
    """Return the loop that the options ask for; `prompt` where the command has one of its own."""
    from exitgate.hosts.loop.child import Limits
    from exitgate.hosts.loop.options import MAX_ITERATIONS, LoopOptions
    from exitgate.hosts.loop.prompt import find_prompt

    settings = pairs("--set", given.texts("set"))
    most = at_least("--max-iterations", given.number("max_iterations"), 1)
    if most is not None and MAX_ITERATIONS in settings:
        raise usage_error(
            f"`--max-iterations` and `--set {MAX_ITERATIONS}` are both given", "omit one of them"
        )
    grace = seconds("--grace", given.word("grace"))
    longest = seconds("--max-wait", given.word("max_wait"))
    timeout, idle = _time_for(given, "--timeout"), _time_for(given, "--idle-timeout")
    linger = seconds("--linger", given.word("linger"))
    _there(given.texts("command")[0])
    return LoopOptions(
        given.texts("command"),
        prompt or find_prompt(given.text("prompt"), ".", append=not given.flag("no_advice")),
        Limits(timeout, grace, idle, linger),
        policy,
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

    from exitgate.hosts.loop.codes import no_command

    if shutil.which(word) is not None:
        return
    if os.path.dirname(word) and os.path.isdir(word):
        raise no_command(word, "it is a folder")
    if os.path.dirname(word) and os.path.exists(word):
        raise no_command(word, "it is not executable", f"allow it: `chmod +x {shlex.quote(word)}`")
    raise no_command(word, "command not found")


def _time_for(given: ParsedArguments, option: str) -> float | None:
    """Return the seconds of an option that bounds the agent, None without it. Raises `ExitgateError` (64)."""
    text = given.text(option.lstrip("-").replace("-", "_"))
    found = None if text is None else seconds(option, text)
    if found == 0:
        raise usage_error(
            f"`{option} {text}` gives the agent no time", f"write `{option} 30m`, or leave it out"
        )
    return found


#: Exit codes of such a command.
EXIT_CODES = {
    "0": "EXIT complete: the work is done",
    "2": "EXIT blocked: a person or a permission is needed",
    "11 to 18": "any other EXIT, as for `exitgate check`",
    "64": "the command line is wrong, or the agent does not exist",
    "65": "a policy or another input is wrong",
    "66": "the prompt does not exist",
    "70": "an internal error",
    "73, 74": "cannot write, cannot read",
    "75": "another loop of the same run is running, or the ledger is locked",
    "130": "ended by a signal; the next `run` resumes",
}
#: Options of every command that runs a loop.
LOOP = (
    Option("--set NAME=VALUE...", "set a parameter of the policy"),
    FACT,
    Option("--max-iterations N", "end after this many iterations, even if the policy continues", kind=NUMBER),
    Option("--no-advice", "do not append advice to a prompt without `{advice}`"),
    Option("--plan PATH", "the task list"),
    Option("--timeout TIME", "end an iteration that takes longer, such as `30m`"),
    Option("--idle-timeout TIME", "end an iteration that prints nothing for so long, such as `15m`"),
    Option(
        "--linger TIME",
        "time that an agent has to exit after its own report that its turn is over",
        default=LINGER,
    ),
    Option("--grace TIME", "time that an agent has to end when asked to", default=GRACE),
    Option("--max-wait TIME", "longest duration of a `wait`", default=LONGEST_WAIT),
    RUN,
    STATE_DIR,
    Option("--dry-run", "show what would be done; start nothing, write nothing"),
    formats(
        "text",
        "json",
        doc="`json` prints each decision as a line on stdout, and the agent's output on stderr",
    ),
    Option("--quiet, -q", "print only the agent's output"),
)


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
    arguments=(Argument("-- COMMAND...", "the agent's command and arguments"),),
    options=(
        Option("--policy, -p NAME|PATH", "the policy that decides"),
        Option(
            "--prompt FILE",
            "the agent's prompt; `-` for stdin, once; .ralph/PROMPT.md or PROMPT.md by default",
        ),
        *LOOP,
    ),
    examples=(
        ("exitgate run -- claude -p", "an agent that reads its prompt from stdin"),
        ("exitgate run --max-iterations 20 --timeout 30m -- codex exec -", "with its own bounds"),
        ("exitgate run --run nightly --prompt task.md -- agent --file '{prompt_file}'", "a prompt in a file"),
        ("exitgate run --dry-run -- agent", "what would be done"),
    ),
    codes=EXIT_CODES,
    run=run,
)
