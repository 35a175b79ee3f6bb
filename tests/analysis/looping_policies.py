"""Random policies of what a loop is made of: budgets, windows, stages, silence, failures and a breaker."""

from __future__ import annotations

from hypothesis import strategies as st

HEAD = """\
policy: x
format: 1
version: 1.0.0
title: x
facts:
  tasks: {extract: checklist, from: plan}
  errors: {extract: error_lines, from: response, words: [error]}
  progress: {extract: progress, signals: [tasks.done]}
"""
#: Signals of progress: one, or several that move in ways of their own.
ONE = "[tasks.done]"
SIGNALS = (
    ONE,
    ONE,
    "[tasks.done, {fact: errors.count, moves: falls}]",
    "[tasks.done, {fact: errors.count, moves: changes}, tasks.complete]",
)
CONDITIONS = (
    "errors.count > 0",
    "(errors.count > 0) for 2 consecutive iterations",
    "(errors.count > 0) for 3 consecutive iterations",
    "tasks.done unchanged for 2 iterations",
    "not progress.made",
    "(not progress.made) for 3 consecutive iterations",
    "count(errors.count > 0, last 3) >= 2",
    "tasks.done > previous(tasks.done)",
    "after 3 iterations and errors.count == 0",
    "run.iterations >= 4",
    "run.iterations >= 7 and errors.count == 0",
    "circuit.state is OPEN",
    "circuit.state is HALF_OPEN",
    "circuit.state is CLOSED and (errors.count > 0) for 2 consecutive iterations",
    "run.failed",
    "run.failures_in_row >= 2",
    "tasks.complete",
    "errors.count is unknown",
    "run.cost >= 5 USD",
    "progress.made is unknown and tasks.done > previous(tasks.done)",
    "progress.known is unknown and errors.count > 0",
    "run.failed is false and errors.count > 0",
    "run.failures_in_row == 1 and (errors.count > 0) for 2 consecutive iterations",
    "run.interrupted",
    "run.agent_exit == 0 and run.failed",
    "run.agent_exit > 128 and run.interrupted is false",
    "run.agent_exit is unknown and run.failed is known",
    "run.agent_exit in [1, 130] and (errors.count > 0) for 2 consecutive iterations",
    "progress.known >= 2",
    "progress.known == 1 and progress.made is false",
    '"tasks.done" in progress.signals',
    "length(progress.signals) >= 2",
    "count(progress.known >= 1, last 3) >= 2 and not progress.made",
)  # fmt: skip
EFFECTS = (
    "exit: stuck", "exit: review", "exit: complete", "exit: wait", "exit: interrupted", "continue: true",
)  # fmt: skip
STAGE = ("after_iteration", "after_iteration", "before_iteration", "after_failure")


@st.composite
def policies(draw: st.DrawFn) -> str:
    """Return a policy of budgets, windows, stages, silence and a breaker of its own."""
    lines = [HEAD.replace(ONE, draw(st.sampled_from(SIGNALS)))]
    if draw(st.booleans()):
        openings = draw(st.lists(st.sampled_from(CONDITIONS[:7]), min_size=1, max_size=2, unique=True))
        lines.append("circuit:\n  open:\n")
        lines += [f"    - {{id: o{n}, when: '{when}'}}\n" for n, when in enumerate(openings)]
        if draw(st.booleans()):
            lines.append("  watch: not progress.made\n  close: progress.made\n")
        if draw(st.booleans()):
            lines.append("  cooldown: 30m\n")
    lines.append("rules:\n")
    for number, when in enumerate(draw(st.lists(st.sampled_from(CONDITIONS), min_size=2, max_size=4))):
        stage = draw(st.sampled_from(STAGE))
        effect = draw(st.sampled_from(EFFECTS))
        lines.append(f"  - {{id: r{number}, when: '{when}', {effect}, stage: {stage}, because: x}}\n")
    limit = draw(st.sampled_from((None, None, 1, 2)))
    if limit is not None:
        lines.append(f"undetermined: {{exit_after: {limit}}}\n")
    return "".join(lines)
