"""`exitgate prompt`: what to tell the agent, so that it says what a policy reads."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.options import settled_of
from exitgate.cli.parsing.usage import failure
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.report.policy.prompt import prompt_page


def run(given: ParsedArguments, _: Terminal) -> Answer:
    """Return the instructions in Markdown. Raises `ExitgateError` (66) for a policy that asks for nothing."""
    policy = settled_of(given).policy
    page = prompt_page(policy)
    if not page:
        message = f"policy `{policy.name}` reads neither a status block nor a promise"
        help = "add a fact with `extract: status_block` or `extract: promise`, or name another policy"
        raise failure("EP807", message, help, NOTHING_TO_DECIDE)
    return Answer(page)


COMMAND = Command(
    "prompt",
    "print instructions that make the agent report what a policy reads",
    about="Instructions in Markdown, ready to append to a prompt: the policy's status blocks, with their "
    "fields and the effect of each value, and its promises. A reply that only repeats the instructions does "
    "not count as a signal.",
    arguments=(Argument("[POLICY]", "a shipped policy or the path of one; the project's by default"),),
    options=(Option("--set NAME=VALUE...", "set a parameter of the policy"),),
    examples=(
        ("exitgate prompt ralph >> PROMPT.md", "append the instructions to a prompt"),
        ("exitgate prompt policies/ours/policy.yaml", "the instructions of your own policy"),
    ),
    codes={"66": "the policy reads nothing the agent can report"},
    run=run,
)
