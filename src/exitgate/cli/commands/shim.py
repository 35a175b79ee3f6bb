"""`exitgate shim`: functions that take the place of another loop's own."""

from __future__ import annotations

from exitgate.cli.command import NUMBER, TROUBLE, Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.terminal import Terminal

POLICY = Option(
    "--policy, -p NAME|PATH", "the policy that decides; by default what the project's settings choose"
)


CODES = (("0", "printed"), TROUBLE[0])
SCHEME = Option("--policy, -p NAME|PATH", "the policy that decides, instead of that scheme")


def run_ralph(given: ParsedArguments, _: Terminal) -> Answer:
    """Print the bash file."""
    from exitgate.hosts.shim.bash import shim

    return Answer(shim(given.text("policy")))


def print_functions(loop: str, given: ParsedArguments) -> Answer:
    """Print the functions of another loop's script."""
    from exitgate.hosts.shim.bash import bash_functions

    return Answer(bash_functions(loop, given.text("policy")))


def run_step(given: ParsedArguments, _: Terminal) -> Answer:
    """Do one step of that loop."""
    from exitgate.hosts.shim.dispatch import perform

    step, *words = given.texts("words")
    out, code = perform(step, words, given.text("policy") or None)
    return Answer(out, code=code)


def run_wait(given: ParsedArguments, _: Terminal) -> Answer:
    """Answer the steps of one loop until its shell ends."""
    from exitgate.cli.parsing.usage import at_least, usage_error
    from exitgate.hosts.shim.server import serve

    shell = at_least("--shell", given.number("shell"), 1)
    if shell is None:
        raise usage_error("`--shell` is missing", "give the process id of the loop's shell")
    serve(given.word("folder"), shell)
    return Answer()


COMMAND = Command(
    "shim",
    "replace the analyzer and breaker of another loop",
    about="Prints functions for the loop's own script; one process of exitgate then decides each iteration.",
    examples=(('eval "$(exitgate shim ralph)"', "in ralph_loop.sh, after its libraries"),),
    codes=CODES,
    children=(
        Command(
            "ralph",
            "print the functions for the loop of frankbria/ralph-claude-code",
            about="Bash, to be sourced by `ralph_loop.sh` after its lines `source .../lib/...`. "
            "The functions of its response analyzer and circuit breaker call exitgate, and its state files "
            "are written in its own format.",
            options=(POLICY,),
            examples=(
                ('eval "$(exitgate shim ralph)"', "a line of the script"),
                ("exitgate shim ralph -p recommended > .ralph/shim.sh", "another policy, in a file"),
            ),
            codes=CODES,
            run=run_ralph,
        ),
        Command(
            "bb3",
            "print the functions of BB3's exit decision engine and response analyzer",
            about="Bash, to replace `scripts/lib/exit_decision_engine.sh` (`check`, `state`, "
            "`history`, `reset`), or to be sourced as `scripts/lib/response-analyzer.sh`: "
            "`analyze_response`, `extract_completion_score`, `extract_confidence`, `extract_errors`.",
            options=(SCHEME,),
            examples=(("exitgate shim bb3 > scripts/lib/exit_decision_engine.sh", "the script itself"),),
            codes=CODES,
            run=lambda given, _: print_functions("bb3", given),
        ),
        Command(
            "doyaken",
            "print functions for Doyaken's exit detection",
            about="Bash, to be sourced as `lib/exit_detection.sh`: `exit_detection PHASE_LOG [TASK_FILE]`, "
            "0 to continue, and `exit_detection_status PHASE_LOG`. Doyaken's document names the file but no "
            "functions, so these names are exitgate's.",
            options=(SCHEME,),
            examples=(("exitgate shim doyaken > lib/exit_detection.sh", "the file itself"),),
            codes=CODES,
            run=lambda given, _: print_functions("doyaken", given),
        ),
        Command(
            "ralph-step",
            "what those functions start",
            about="Internal: its arguments change with the functions that `exitgate shim ralph` prints.",
            arguments=(Argument("WORDS...", "the step, and what it is about"),),
            options=(POLICY,),
            codes={"0": "done, or yes", "1": "no"},
            run=run_step,
        ),
        Command(
            "ralph-wait",
            "performs those steps between iterations",
            about="Internal: started by the functions that `exitgate shim ralph` prints, from the "
            "second iteration on; it ends with the loop's shell.",
            arguments=(Argument("FOLDER", "with the pipes to it"),),
            options=(Option("--shell PID", "process id of the loop's shell", kind=NUMBER),),
            codes={"0": "the shell has ended"},
            run=run_wait,
        ),
    ),
)
