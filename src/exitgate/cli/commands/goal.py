"""`exitgate goal`: a loop that ends when a judge says that a condition is met, and probes pass."""

from __future__ import annotations

import os
import sys

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.commands.run import EXIT_CODES, LOOP, loop_options, run_loop
from exitgate.cli.parsing.usage import failure, not_in_probe, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import NOTHING_TO_DECIDE, USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request
    from exitgate.hosts.loop.options import LoopOptions

#: Code -> what it means.
CODES = {"EP587": "a goal without a judge"}
_PROMPT = """\
Your goal: {condition}

Work towards it in this project. After each of your turns another program checks whether it is met; what is
still missing is then said here.
"""


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Go round until the goal is met, or the policy ends the run otherwise."""
    from exitgate.hosts.loop.options import bounded
    from exitgate.hosts.loop.signals import Clock

    not_in_probe("goal")
    asked = bounded(_options(given))
    if given.flag("dry_run"):
        from exitgate.hosts.loop.preview import preview

        return Answer(preview(asked, terminal.out))
    return Answer(code=run_loop(asked, given, terminal, Clock()))


def _options(given: ParsedArguments) -> LoopOptions:
    from msgspec.structs import replace

    from exitgate.core.gate.settings import policy_of
    from exitgate.core.system.digest import hex_digest
    from exitgate.hosts.goal import LONGEST
    from exitgate.hosts.goal.layer import GOAL, layer_for, named
    from exitgate.hosts.loop.prompt import Prompt

    condition = " ".join(given.word("condition").split())
    if not condition or len(condition) > LONGEST:
        raise usage_error(
            f"a goal has 1 to {LONGEST} characters", "say in one sentence how to see that it is met"
        )
    _check_unicode("the goal", condition)
    for name in given.texts("verify"):
        _check_unicode("a name of `--verify`", name)
    own = None
    if given.text("prompt") is None:
        own = Prompt(None, _PROMPT.format(condition=condition).encode(), not given.flag("no_advice"))
    asked = loop_options(given, None, own)
    files = policy_of(asked.request())
    judge, typed = _judge(given, files)
    names = given.texts("verify") or named(files)
    layer = layer_for(condition, judge, names)
    run = given.text("run") or f"goal-{hex_digest(layer.encode())[:8]}"
    asked = replace(asked, layer=layer, typed=(GOAL,) if typed else (), run=run)
    if typed and not given.flag("dry_run"):
        _typed_by_a_person(asked.request())
    return asked


def _check_unicode(what: str, text: str) -> None:
    """Raise `ExitgateError` (64) for an argument of bytes that are not text."""
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise usage_error(f"{what} is not UTF-8", "write it in UTF-8")


def _judge(given: ParsedArguments, files: CompiledPolicy) -> tuple[Mapping[str, object], bool]:
    """Return how the judge is defined, and whether that was typed here. Raises `ExitgateError` (64, 66)."""
    from exitgate.hosts.goal.layer import GOAL, judge_of, template

    line = given.text("judge")
    if line is None:
        found = template(files)
        if found:
            return found, False
        help = (
            f"add `--judge 'claude -p --model haiku --output-format json'`, or define the probe `{GOAL}` "
            "under `probes:` of your settings"
        )
        raise failure("EP587", "no command judges whether the goal is met", help, NOTHING_TO_DECIDE)
    _check_unicode("`--judge`", line)
    try:
        judge = judge_of(line)
    except ValueError as error:
        raise usage_error(
            f"`--judge` is not a command line: {str(error).lower()}", "close the quote"
        ) from error
    if not judge["command"]:
        raise usage_error("`--judge` names no program", "write the command of a small model")
    return judge, True


def _typed_by_a_person(request: Request) -> None:
    """Raise `ExitgateError` (64) where no person can have typed the judge's command."""
    from exitgate.core.gate.settings import policy_of
    from exitgate.core.probes import trust

    digest = trust.digest_of(trust.covered(policy_of(request)))
    if os.environ.get(trust.VARIABLE) == digest:
        return
    agent = trust.agent_in(os.environ)
    here = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
    if here and not agent:
        return
    why = f"{agent} is set: this is the environment of an agent" if agent else "this is not a terminal"
    help = (
        "type the command in a terminal of your own, or define the judge in the settings and allow it with "
        f"`exitgate trust`; a script that a person wrote sets {trust.VARIABLE}={digest}"
    )
    raise failure("EP590", f"a judge's command is typed by a person, and {why}", help, USAGE)


COMMAND = Command(
    "goal",
    "run the loop until a condition in words is met, and probes pass",
    about="Runs the agent as `exitgate run` does, by the policy `recommended`. After each turn that ended as "
    "it should, the named probes are asked, then a judge: a command such as a small model, which is shown "
    "the condition, the response, the plan, the diff and what the probes said. The run is complete once all "
    "of them agree, with or without a signal of the agent; until then the agent reads what is missing. "
    "Limits, the breaker and all other ends of the policy stay in force.\n\n"
    "The judge's command is typed here (`--judge`), or it is that of the probe `goal` in the settings. "
    "Probes of the settings need `exitgate trust`, as ever.",
    arguments=(
        Argument("CONDITION", "what has to be so, in one sentence"),
        Argument("COMMAND...", "behind `--`: the agent's command and arguments"),
    ),
    options=(
        Option("--verify NAME...", "a probe that has to pass as well; by default those of `verify`"),
        Option("--judge COMMAND", "the judge's command line; by default that of the probe `goal`"),
        Option("--prompt FILE", "the agent's prompt, `-` for stdin; the condition by default"),
        *LOOP,
    ),
    examples=(
        ("exitgate goal 'every endpoint has a test' --verify tests -- claude -p", "with your probe `goal`"),
        ("exitgate goal 'no TODO left' --judge 'claude -p --model haiku' -- codex exec -", "typed here"),
        ("exitgate goal 'no TODO is left' --dry-run -- agent", "what would be done"),
    ),
    codes=EXIT_CODES,
    run=run,
)  # fmt: skip
