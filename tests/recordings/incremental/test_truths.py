"""What follows from the parts of a condition is what the evaluator says of it, wherever history begins."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from judged_loops import POLICY, loop

from exitgate.core.engine.record import unread_facts
from exitgate.core.language.checker.check import check
from exitgate.core.language.checker.context import Scope
from exitgate.core.language.evaluation.closures import compile_node
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.syntax.parse import parse
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.incremental.records import Run, Values
from exitgate.recordings.incremental.truths import Truths
from exitgate.recordings.replay.dry_run import dry_run

SAID = ("certain", "likely", "unsure", "", "nothing of use", "FINISHED", "<promise>FINISHED</promise>")
PLAIN = st.sampled_from((
    "confidence < 50", "confidence >= $enough", "confidence is unknown", "promise.emitted", "@low",
    "@falling", "any of last 3 where (confidence >= 80)", "confidence declined by 10% over last 3",
    "after 3 iterations", "confidence repeats 2 times",
))  # fmt: skip
WORDS = st.sampled_from(("and", "or"))


def joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return (
        st.builds("({}) {} ({})".format, inner, WORDS, inner)
        | st.builds("not ({})".format, inner)
        | st.builds("({}) for {} consecutive iterations".format, inner, st.integers(1, 4))
    )


CONDITIONS = st.recursive(PLAIN, joined, max_leaves=5)


def policy() -> CompiledPolicy:
    named = (
        "conditions:\n  low: confidence < 50\n  falling: (not @low) for 2 consecutive iterations\nrules:\n"
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.yaml"
        path.write_text(POLICY.replace("rules:\n", named, 1), encoding="utf-8")
        return load_policy(str(path))


POLICY_OF_ALL = policy()


@settings(max_examples=60, deadline=None)
@given(
    texts=st.lists(CONDITIONS, min_size=1, max_size=3),
    said=st.lists(st.sampled_from(SAID), min_size=1, max_size=7),
)
def test_conditions_by_their_parts(texts: list[str], said: list[str]) -> None:
    own = POLICY_OF_ALL
    types = {name: parameter.type for name, parameter in own.parameters.items()}
    trees = []
    for text in texts:
        try:
            trees.append(check(parse(text), Scope(own.facts, types, own.conditions)))
        except LanguageError as error:
            assert "looks at other iterations" in str(error)  # a few nestings are none of the language
    with tempfile.TemporaryDirectory() as folder:
        loop(Path(folder), "one", said)
        (result,) = dry_run([folder], {"p": own}, gather=True).results
    assert result.records is not None
    run, truths = Run(result.records, Values()), Truths()
    records = [run.whole(at) for at in range(len(said))]
    for _ in range(2):  # answers are kept the second time
        for tree, condition in zip(trees, truths.of(trees, own), strict=True):
            whole = compile_node(tree, own.values(), own.conditions, unread_facts(own))
            true, false = condition.sides(run)
            for at in range(len(said)):
                answer = whole(records[: at + 1])
                assert (true >> at & 1, false >> at & 1) == (answer is True, answer is False)
                for begins in range(at + 1):
                    answer = whole(records[begins : at + 1])
                    assert condition.at(run, at, begins) is (answer if isinstance(answer, bool) else None)
