"""What else a decision could be is found from where the one before was left: the same as from the start."""

from __future__ import annotations

from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from steps import steps

from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.model.fact import Fact
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

#: Facts that move progress and the breakers of these policies; what they do not know is unknown.
POOLS = {
    "tasks.done": (0, 1, 2),
    "tasks.total": (4,),
    "git.content": ("a", "b"),
    "git.changed": (True, False),
    "git.files_changed": (0, 2),
    "output.content": ("x", "y"),
    "output.length": (0, 900),
    "errors.signature": ("e", "f"),
    "errors.count": (0, 1),
    "signature": ("s", "t"),
    "denials.count": (0, 1),
    "plan.done": (1, 3),
}
NAMES = sorted(POOLS)
#: Longer than the history of the shorter policies, so that iterations fall out of it.
MOST = 24


def _iteration():
    return st.fixed_dictionaries(
        {name: st.sampled_from((*pool, None)) for name, pool in POOLS.items()},
    )


def _facts(values):
    return [Fact(n, Unknown("not said", n) if v is None else v) for n, v in values.items()]


@each("name", ("guardrails", "ralph", "doyaken", "bb3"))
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_decision_behind_others_could_be_what_it_could_be_by_itself(name, data):
    policy = load_policy(name)
    pattern = data.draw(st.lists(_iteration(), min_size=1, max_size=4))
    run = data.draw(st.lists(st.one_of(st.sampled_from(pattern), _iteration()), min_size=8, max_size=MOST))
    shared, alone = Evaluation(Program(policy)), Evaluation(Program(policy))
    for values in run:
        facts = _facts({n: v for n, v in values.items() if n in policy.facts})
        decided = shared.step(facts)
        found = alone.step(facts)
        alone.program = Program(policy)  # nothing of it is kept
        assert (decided.alternatives, decided.if_readable) == (found.alternatives, found.if_readable)
        assert decided.firm == found.firm


def test_of_a_run_longer_than_the_history_few_iterations_are_looked_at_again():
    """A decision on a long run costs little more than one on a run that is not longer than the history."""
    policy = load_policy("recommended")
    evaluation = Evaluation(Program(policy))
    work = []
    for number in range(policy.lookback + 12):
        facts = _facts({"tasks.done": 1, "git.content": None, "errors.signature": "ef"[number % 2]})
        decided = evaluation.step(facts)
        work.append(steps(lambda decided=decided: decided.alternatives))
    within, beyond = work[policy.lookback - 10 : policy.lookback - 2], work[policy.lookback + 4 :]
    assert max(beyond) <= 3 * max(within)
