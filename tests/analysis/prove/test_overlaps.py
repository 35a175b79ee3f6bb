"""Which rules can be true together: as if every pair were asked about, with far fewer questions."""

from __future__ import annotations

from hypothesis import HealthCheck, event, given, settings
from random_policies import OPERATIONS, small_policies, written
from small import policy as made

from exitgate.analysis.prove.backend import Backend
from exitgate.analysis.prove.overlaps import Pairs, joined, prove_overlaps
from exitgate.analysis.results.answer import REFUTED, UNDECIDED
from exitgate.analysis.walk.chain import deciding
from exitgate.analysis.walk.queries import can_decide_after
from exitgate.analysis.walk.questions import Winner
from exitgate.analysis.walk.search import Limits
from exitgate.core.model.decision import STAGES
from exitgate.core.model.value import COUNT
from exitgate.core.policy.compiled import CompiledPolicy

LIMITS = Limits(seconds=20.0, points=3_000)


def told(policy: CompiledPolicy, asker: Backend) -> dict[tuple[str, str], str]:
    """Return for each pair of rules what is said of the later one when the other decides."""
    found: dict[tuple[str, str], str] = {}
    for proof in prove_overlaps(policy, asker):
        lines = [line.partition(": ")[::2] for line in proof.more]
        lines.append(("together", proof.says.removeprefix("decides before ")))
        if proof.status == UNDECIDED:
            lines.append(("not decided", proof.says.removeprefix("towards ").partition(":")[0]))
        for words, names in lines:
            word = "together" if words == "same result" else words
            found |= dict.fromkeys(((proof.subject, name) for name in names.split(", ")), word)
    return found


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(frozenset(OPERATIONS), given=False))
def test_answers_are_those_of_asking_about_every_pair(policy: CompiledPolicy) -> None:
    found = told(policy, Backend(limits=LIMITS))
    for stage in STAGES:
        rules = deciding(policy, stage)
        for number, rule in enumerate(rules):
            for later in rules[number + 1 :]:
                alone = can_decide_after(policy, rule.id, later.when, LIMITS)
                event(alone.status)
                if alone.status != UNDECIDED:
                    wanted = "together" if alone.status == REFUTED else "never true when it decides"
                    # a pair has a fifth of the time of a question
                    assert found[rule.id, later.id] in (wanted, "not decided"), written(policy)


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(small_policies(frozenset(OPERATIONS), given=False))
def test_what_is_put_together_is_an_example(policy: CompiledPolicy) -> None:
    pairs = Pairs(policy, Backend(limits=LIMITS))
    for stage in STAGES:
        rules = deciding(policy, stage)
        for number, rule in enumerate(rules):
            whens = {one.id: one.when for one in rules[number + 1 :]}
            for id, answer in pairs.true_with(rule, rules[number + 1 :]).items():
                assert Winner(policy, rule.id, also=whens[id]).holds(answer.run or ())


class Counted(Backend):
    """Counts its questions."""

    def __init__(self) -> None:
        super().__init__(limits=LIMITS)
        self.asked = 0

    def ask(self, *args: object, **more: object):  # type: ignore[no-untyped-def]
        self.asked += 1
        return super().ask(*args, **more)  # type: ignore[arg-type]


def questions(count: int) -> int:
    """Return how many questions there are about rules over facts of their own, some of which look back."""
    facts = {f"f{n}": COUNT for n in range(count)}
    rules = [f"f{n} >= {2 + n} and n > 1 -> stuck" if n % 3 else f"f{n} unchanged for 2 iterations -> review"
             for n in range(count)]  # fmt: skip
    asker = Counted()
    proofs = list(prove_overlaps(made(*rules, **facts), asker))
    assert len(proofs) == count - 1
    return asker.asked


def test_questions_grow_with_the_rules_and_not_with_their_pairs() -> None:
    assert questions(24) <= 2.2 * questions(12)


def test_runs_are_joined_at_their_ends() -> None:
    assert joined(({"a": 1},), ({"b": 1}, {"b": 2})) == ({"b": 1}, {"b": 2, "a": 1})
    assert joined(({"a": 1},), ({"a": True},)) is None
    assert joined(({"a": 1},), ({"a": 2, "b": 3},), over=True) == ({"a": 2, "b": 3},)
