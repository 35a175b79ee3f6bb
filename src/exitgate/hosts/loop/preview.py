"""What a loop would do, shown without doing any of it."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Iterator

from exitgate.core.engine.stages import BEFORE
from exitgate.core.gate.decision import CheckResult
from exitgate.core.model.decision import EXIT
from exitgate.core.model.display import counted, duration
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.state import discover
from exitgate.hosts.loop import paths, resume
from exitgate.hosts.loop.options import LoopOptions
from exitgate.hosts.loop.prompt import STANDARD_INPUT, fill, place_in, put_in_place
from exitgate.hosts.loop.runner import exit_code
from exitgate.report.decision.summary import row, verdict_text
from exitgate.report.terminal import Style, safe, safe_block
from exitgate.report.wording import value_text
from exitgate.surfaces.decide import decide


def preview(asked: LoopOptions, style: Style) -> str:
    """
    Return the policy, its budgets, the command, where the loop would begin and the prompt as it would be.

    Raises `ExitgateError` as the loop itself would. Nothing is started, and nothing written.
    """
    plain = asked.request()
    directory, name = discover.state_dir(plain), discover.run_name(plain)
    left = resume.find_leftover(directory, name, time.time())
    checked = decide(asked.request(stage=BEFORE, record=False))
    waiting = left.untold or left.cut
    number = checked.iteration.number + 1
    raw = asked.prompt.read()
    prompt = None if raw is None else fill(raw, number, left.advice, append=asked.prompt.append)
    words = put_in_place(asked.command, prompt, os.path.abspath(paths.prompt_path(directory, name)))
    lines = [*_policy(checked.policy, style), *row("command", shlex.join(_short(words)), style)]
    lines += row("run", f"{checked.iteration.run}, begins with iteration {number}", style)
    if waiting is not None:
        what = (
            "is decided first" if left.untold is not None else "was cut short and first counts as interrupted"
        )
        lines += row("left over", f"iteration {waiting['iteration']} {what}", style)
    lines += [line for label, text in _bounds(asked) for line in row(label, text, style)]
    lines += _prompt(asked, prompt, style)
    if checked.decision.verdict == EXIT:
        lines += ["", *_ends(checked, style)]
    return "\n".join(lines) + "\n"


def _policy(policy: CompiledPolicy, style: Style) -> list[str]:
    lines = row("policy", f"{policy.name} {policy.version}", style)
    for rule in policy.rules:
        if rule.stage == BEFORE:
            lines += row("  before", rule.id, style)
    for parameter in policy.parameters.values():
        if parameter.value != parameter.default:
            lines += row("  set", f"{parameter.name} = {value_text(parameter.value, parameter.type)}", style)
    return lines


def _short(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words, a long one (a prompt) cut."""
    return tuple(word if len(word) <= 60 else f"{word[:60]}…" for word in words)


def _bounds(asked: LoopOptions) -> Iterator[tuple[str, str]]:
    if asked.most is not None:
        yield "bound", counted(asked.most, "iteration")
    limits = asked.limits
    if limits.timeout is not None:
        yield (
            "timeout",
            f"{duration(limits.timeout)} an iteration, {duration(asked.limits.grace)} to end",
        )
    if limits.idle is not None:
        yield "idle", f"{duration(limits.idle)} without output, {duration(limits.grace)} to end"
    yield "max-wait", duration(asked.longest_wait)


def _prompt(asked: LoopOptions, prompt: bytes | None, style: Style) -> list[str]:
    if prompt is None:
        return row("prompt", "none", style)
    origin = asked.prompt.path or STANDARD_INPUT
    place = place_in(asked.command) or "standard input"
    head = row("prompt", f"{origin}, {counted(len(prompt), 'byte')}, given as {place}", style)
    return [*head, "", *safe_block(prompt.decode("utf-8", "replace")).rstrip("\n").split("\n")]


def _ends(checked: CheckResult, style: Style) -> list[str]:
    decision = checked.decision
    verdict = f"{verdict_text(decision.verdict, decision.exit_class)} · {safe(decision.outcome)}"
    said = f"{verdict}, exit code {exit_code(decision.exit_class)}: no agent would be started"
    return row("decision", said, style)
