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
