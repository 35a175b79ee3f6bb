"""A dry run decides what real checks decide: the same runs through both, for every shipped policy."""

import pathlib
import tempfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twice import Story, Turn, answer, loaded, really, walked

from exitgate.core.policy import shipped

POLICIES = shipped.policies()

BLOCK = (
    "---RALPH_STATUS---\nSTATUS: {0}\nTASKS_COMPLETED_THIS_LOOP: {1}\nFILES_MODIFIED: {1}\n"
    "TESTS_STATUS: {2}\nWORK_TYPE: IMPLEMENTATION\nEXIT_SIGNAL: {3}\n---END_RALPH_STATUS---\n"
)
KEY = "AKIA" + "Q7RT2WZX9PLM4KJB"
TEXTS = (
    "Working on the parser. Maybe the lexer is next.",
    "I am confident. All tasks are complete, the project is done and ready for review.",
    "Error: no a.txt\nTypeError: x is not a function\nFAILED a.py::test_b\n2 failed, 3 passed in 0.1s",
    "10 passed in 0.42s\nNothing left to do.",
    "Should I go on with the second module? Which database do you want?",
    f"export AWS_KEY={KEY}\nError: request signed with {KEY} was refused",
    "<promise>COMPLETE</promise>",
    "",
    "blocked: permission denied for Bash(npm install)",
    BLOCK.format("IN_PROGRESS", 1, "PASSING", "false"),
    BLOCK.format("COMPLETE", 0, "PASSING", "true"),
    BLOCK.format("BLOCKED", 0, "FAILING", "false"),
    "running tests\nnpm test\nall green, no changes",
    "You've hit your usage limit. It resets in 2 hours.",
    answer("All done, every task is finished.", 0.25, "s1"),
    answer("Went on with the parser.", 0.75, "s1"),
    answer("API Error: 529 overloaded", 0.1, "s2", failed=True),
)  # fmt: skip


def plan(done, total):
    return "# Plan\n" + "".join(f"- [{'x' if n < done else ' '}] task {n}\n" for n in range(total))


def prd(*passes):
    rows = ", ".join(f'{{"id": {n}, "passes": {str(p).lower()}}}' for n, p in enumerate(passes))
    return f'{{"userStories": [{rows}]}}'


PLANS = (None, "", "no tasks here", plan(0, 4), plan(1, 4), plan(2, 4), plan(3, 4), plan(4, 4), plan(1, 2))
PRDS = (prd(False, False), prd(True, False), prd(True, True))

turns = st.builds(
    Turn,
    text=st.sampled_from(TEXTS),
    plan=st.sampled_from(PLANS),
    exit=st.sampled_from((None, 0, 0, 1, 124, 130)),
    at=st.sampled_from((1.0, 60.0, 900.0, 7200.0, -30.0)),
    prd=st.sampled_from(PRDS),
    breaker=st.sampled_from(("CLOSED", "CLOSED", "HALF_OPEN", "OPEN")),
)
stories = st.builds(
    Story,
    turns=st.lists(turns, min_size=1, max_size=9).map(tuple),
    plan=st.sampled_from(PLANS),
    prd=st.sampled_from(PRDS),
    begun=st.booleans(),
)


@pytest.mark.parametrize("name", POLICIES)
@settings(max_examples=3, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(story=stories)
def test_a_dry_run_decides_as_checks_do(name, story):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        told = unlike_each_other(story)
        assert walked(loaded(name), told) == really(root, name, told)


def unlike_each_other(story):
    """
    Return a story whose responses differ: a check takes one that it has seen for one that is left behind.

    A plan that was there is not deleted either: a recording that holds none does not say that.
    """
    last, turns = story.plan, []
    for turn in story.turns:
        last = turn.plan if turn.plan is not None else last
        turns.append(turn._replace(plan=last))
    story = story._replace(turns=tuple(turns))
    changed = [
        turn._replace(text=turn.text if turn.text.startswith("{") else f"{turn.text}\n({number})")
        for number, turn in enumerate(story.turns)
    ]
    kept = [
        turn._replace(text=turn.text.replace('"num_turns": 3', f'"num_turns": {number}'))
        for number, turn in enumerate(changed, 1)
    ]
    return story._replace(turns=tuple(kept))
