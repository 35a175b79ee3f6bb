"""A breaker that is moved over sets of iterations moves as the engine moves it, one after the other."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from judged_loops import POLICY, loop
from msgspec.structs import replace

from exitgate.core.engine.program import Program
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.recordings.incremental.moves import Moves
from exitgate.recordings.incremental.recompute import computed_anew, reads_breaker
from exitgate.recordings.incremental.records import Run, RunRecords, Values, value_at
from exitgate.recordings.incremental.truths import Truths
from exitgate.recordings.replay.dry_run import dry_run

SAID = ("certain", "likely", "unsure", "", "FINISHED", "<promise>FINISHED</promise>")
LOW, HIGH = "confidence < 50", "confidence >= 80"
CONDITIONS = st.sampled_from((
    LOW, HIGH, f"({LOW}) for 2 consecutive iterations", f"({HIGH}) for 3 consecutive iterations",
    "confidence is known and confidence > 70", "promise.emitted", f"at least 2 of last 4 where ({LOW})",
    f"any of last 3 where ({HIGH})",
))  # fmt: skip
MINUTES = st.lists(st.integers(-20, 90), min_size=12, max_size=12)
OPENS = st.lists(CONDITIONS, min_size=1, max_size=2, unique=True)
COOLDOWN = {"cooldown": st.sampled_from(("1m", "30m", "2h"))}
BREAKERS = st.fixed_dictionaries({"open": OPENS}) | st.fixed_dictionaries(
    {"open": OPENS, "close": CONDITIONS}, optional={"watch": CONDITIONS, **COOLDOWN}
)


def policy_of(folder: Path, name: str, breaker: dict[str, object]) -> CompiledPolicy:
    opens = breaker["open"]
    assert isinstance(opens, list)
    lines = ["circuit:", "  open:", *(f"    - {{id: o{at}, when: {one!r}}}" for at, one in enumerate(opens))]
    lines += [f"  {key}: {value!r}" for key, value in breaker.items() if key != "open"]
    rule = "  - {id: halted, when: circuit.state is OPEN, exit: halted, because: It is open}\nrules:\n"
    text = POLICY.replace("rules:\n", "\n".join(lines) + "\nrules:\n" + rule.removesuffix("rules:\n"))
    path = folder / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    return load_policy(str(path))


def at_times(records: RunRecords, minutes: list[int]) -> RunRecords:
    """The same checks at other times; a clock may go back."""
    now, nows = 1e9, []
    for more in minutes[: records.length]:
        now += more * 60
        nows.append(now)
    return replace(records, nows=tuple(nows))


def facts(records: RunRecords) -> list[object]:
    """Everything that decisions find in each iteration."""
    names = sorted(records.columns)
    return [
        [(name, value_at(records.columns[name], at)) for name in names]
        + [value_at(records.since, at), records.by_hand >> at & 1]
        for at in range(records.length)
    ]


@settings(max_examples=40, deadline=None)
@given(
    said=st.lists(st.sampled_from(SAID), min_size=1, max_size=12),
    minutes=MINUTES,
    first=BREAKERS,
    second=BREAKERS,
)
def test_any_breaker_moves_as_the_engine_moves_it(
    said: list[str], minutes: list[int], first: dict[str, object], second: dict[str, object]
) -> None:
    moves_alike(said, minutes, first, second)


#: It opens, waits, closes in the iteration after, and opens by what came since.
AGAIN = st.fixed_dictionaries({
    "open": st.sampled_from(([f"any of last 3 where ({LOW})"], [f"at least 2 of last 4 where ({LOW})"])),
    "close": st.just(HIGH),
    "watch": st.sampled_from((f"any of last 4 where ({LOW})", f"not (any of last 4 where ({LOW}))")),
    "cooldown": st.just("1m"),
})  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(said=st.lists(st.sampled_from(("certain", "unsure")), min_size=6, max_size=12), second=AGAIN)
def test_a_breaker_that_closed_counts_what_came_since(said: list[str], second: dict[str, object]) -> None:
    moves_alike(said, [30] * 12, {"open": [LOW]}, second)


def moves_alike(
    said: list[str], minutes: list[int], first: dict[str, object], second: dict[str, object]
) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        old, new = policy_of(folder, "old", first), policy_of(folder, "new", second)
        loop(folder / "runs", "one", said)
        (result,) = dry_run([str(folder / "runs")], {"p": old}, gather=True).results
    assert result.records is not None
    assert not reads_breaker(new)
    values, truths = Values(), Truths()
    began = Run(at_times(result.records, minutes), values)
    for policy in (old, new, old):
        moves = Moves(policy, truths)
        assert moves.fits
        mine, engine = moves.through(began), computed_anew(began, old, Program(policy))
        assert mine is not None
        assert engine is not None
        assert facts(mine.records) == facts(engine)
        # what conditions find in it are these very facts
        for at in range(engine.length):
            assert dict(mine.whole(at)) == dict(Run(engine, values).whole(at))


def test_a_breaker_that_asks_for_silence_is_left_to_the_engine(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, "own", {"open": [LOW], "close": "nothing is known"})
    assert not Moves(policy, Truths()).fits


def test_a_run_whose_breaker_others_moved_is_left_to_its_transcript(tmp_path: Path) -> None:
    policy = policy_of(tmp_path, "p", {"open": [LOW]})
    loop(tmp_path / "runs", "one", ["unsure"])
    (result,) = dry_run([str(tmp_path / "runs")], {"p": policy}, gather=True).results
    assert result.records is not None
    moves = Moves(policy, Truths())
    assert moves.through(Run(result.records, Values())) is not None
    assert moves.through(Run(replace(result.records, elsewhere=True), Values())) is None
