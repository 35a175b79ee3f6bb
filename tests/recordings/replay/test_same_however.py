"""However a dry run is made it finds the same: alone or together, kept or read, to the stop or the end."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st
from judged_loops import loop, policy
from sessions_on_disk import session

from exitgate.recordings.replay.dry_run import dry_run
from exitgate.recordings.replay.facts_cache import FactsCache

SAID = (
    "unsure", "likely", "certain", "Error: it failed\nError: it failed", "All tasks are complete.",
    "<promise>COMPLETE</promise>", "", "Should I go on?", "\u202e=cmd()\x1b[31m", "x" * 3_000,
)  # fmt: skip
NAMES = ("recommended", "bb3", "guardrails", "doyaken")
run = st.lists(st.sampled_from(SAID), min_size=1, max_size=7)


@settings(max_examples=2, deadline=None)
@given(loops=st.lists(run, min_size=1, max_size=2), sessions=st.lists(run, max_size=2))
def test_the_same_however_it_is_made(loops: list[list[str]], sessions: list[list[str]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, said in enumerate(loops):
            loop(folder / "runs", f"loop-{number}", said)
        for number, said in enumerate(sessions):
            session(folder / "runs", f"talk-{number}", said)
        paths, names = [str(folder / "runs")], [*NAMES, policy(folder)]
        together = dry_run(paths, names).results
        for one in names:
            alone = dry_run(paths, [one]).results
            assert alone == tuple(result for result in together if result.policy == alone[0].policy)
        whole = dry_run(paths, names, to_the_end=True).results
        for stopped, to_the_end in zip(together, whole, strict=True):
            assert to_the_end.rows[: len(stopped.rows)] == stopped.rows
            assert to_the_end.stop == stopped.stop
            assert len(to_the_end.rows) == stopped.run.iterations
        kept = str(folder / "cache")
        assert dry_run(paths, names, cache=FactsCache(kept)).results == together
        assert dry_run(paths, names, cache=FactsCache(kept)).results == together
        assert dry_run(paths, names, cache=FactsCache(kept), to_the_end=True).results == whole
        bare = dry_run(paths, names, cache=FactsCache(kept), detail=False).results
        assert [result.stop for result in bare] == [result.stop for result in together]


LIMIT = "You've hit your limit \u00b7 resets 4pm (Europe/Lisbon)"
FAULT = 'API Error: 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}'


def test_what_one_policy_found_is_not_what_another_one_would_have(tmp_path: Path) -> None:
    """Whether an iteration failed is known to policies that look at errors of the agent's program."""
    for number, said in enumerate(((LIMIT,), ("Part one.", FAULT, LIMIT), (FAULT,) * 4)):
        loop(tmp_path / "runs", f"loop-{number}", list(said))
        session(tmp_path / "runs", f"talk-{number}", list(said))
    paths, kept = [str(tmp_path / "runs")], str(tmp_path / "cache")
    names = [
        "recommended",
        "bb3",
        "ralph",
        "guardrails",
        "recommended",
        "loop-detection",
        "bb3",
        "recommended",
    ]
    plain = {name: dry_run(paths, [name]).results for name in names}
    assert len({tuple(one.stop and one.stop.rule for one in results) for results in plain.values()}) > 1
    for name in names:
        assert dry_run(paths, [name], cache=FactsCache(kept)).results == plain[name], name
    for pair in (["bb3", "recommended"], ["recommended", "bb3"]):
        together = dry_run(paths, pair).results
        for _ in range(2):
            assert dry_run(paths, pair, cache=FactsCache(kept)).results == together
