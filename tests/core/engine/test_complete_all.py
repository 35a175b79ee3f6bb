"""A whole run completed at once is the run completed iteration by iteration."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

NONE = Unknown("nobody said")
VALUES = st.fixed_dictionaries(
    {
        "tasks.done": st.sampled_from([NONE, 0, 1, 2, 3]),
        "git.content": st.sampled_from([NONE, "a", "b", "c"]),
        "tests.failed": st.sampled_from([NONE, 0, 1, 5]),
        "stories.true": st.sampled_from([NONE, 0, 2]),
        "status.present": st.booleans(),
    }
)


@cache
def program(name: str) -> Program:
    return Program(load_policy(name))


@pytest.mark.parametrize("name", ["recommended", "guardrails", "doyaken"])
@settings(max_examples=60, deadline=None)
@given(run=st.lists(VALUES, min_size=1, max_size=8))
def test_at_once_and_one_by_one(name: str, run: list[dict[str, object]]) -> None:
    one_by_one: tuple[object, ...] = ()
    for values in run:
        one_by_one = program(name).complete((*one_by_one, values))
    at_once = program(name).complete_all(run)
    assert [dict(record) for record in at_once] == [dict(record) for record in one_by_one]
    assert any("progress.made" in record for record in at_once)
