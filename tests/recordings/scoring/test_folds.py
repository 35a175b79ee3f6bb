"""Cross-validation: nothing is judged by what it was chosen on."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.recordings.scoring.statistics import cross_validated, folds


@settings(max_examples=50)
@given(st.integers(2, 30), st.one_of(st.none(), st.integers(2, 40)), st.integers(0, 5))
def test_every_run_is_left_out_once(count: int, wanted: int | None, seed: int) -> None:
    found = folds(count, wanted, seed)
    assert sorted(at for fold in found for at in fold) == list(range(count))
    assert len(found) == (count if wanted is None else min(count, wanted))
    sizes = [len(fold) for fold in found]
    assert max(sizes) - min(sizes) <= 1
    assert found == folds(count, wanted, seed)


def test_the_seed_deals_the_runs() -> None:
    assert folds(20, 4, 1) != folds(20, 4, 2)


@settings(max_examples=50)
@given(st.integers(2, 12), st.integers(2, 12))
def test_a_choice_never_sees_the_run_it_is_for(count: int, wanted: int) -> None:
    def choose(runs: Sequence[int]) -> frozenset[int]:
        return frozenset(runs)

    for run, seen in enumerate(cross_validated(count, folds(count, wanted), choose)):
        assert run not in seen
        assert seen
