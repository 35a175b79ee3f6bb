"""Hours and times of one clock: walk and solver never show one that no clock shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.prove.backend import SOLVER, WALK, Backend
from exitgate.analysis.results.answer import PROVED, REFUTED
from exitgate.analysis.space import dependencies
from exitgate.analysis.space.dependencies import consistent, dependent_facts
from exitgate.analysis.walk.search import Limits
from exitgate.core.engine.program import Program
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy

HEAD = "policy: p\nformat: 1\nversion: 1.0.0\ntitle: Nights\nrules:\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("of_day")


def policy(folder: Path, *whens: str) -> CompiledPolicy:
    rules = (
        f'  - {{id: r{n}, when: "{when}", exit: exhausted, because: x}}\n' for n, when in enumerate(whens)
    )
    path = folder / "p.yaml"
    path.write_text(HEAD + "".join(rules), encoding="utf-8")
    return load_policy(str(path))


@pytest.mark.parametrize("engine", [WALK, SOLVER])
@pytest.mark.parametrize(
    ("when", "status"),
    [
        ("clock.hour == 22 and clock.time < 22h", PROVED),
        ("clock.hour == 22 and clock.time < 22h30m", REFUTED),
        ("clock.time >= 22h and clock.hour < 22", PROVED),
        ("clock.hour == 6 and clock.time >= 6h59m59s", REFUTED),
        ("clock.hour == 6 and clock.time > 6h59m59s", PROVED),
        ("clock.hour > 23", PROVED),
        ("clock.time > 23h59m59s", PROVED),
        ("clock.hour is known and clock.time is unknown", PROVED),
        ("clock.weekday is SUNDAY and clock.hour == 0", REFUTED),
    ],
)
def test_what_a_clock_can_show(folder: Path, engine: str, when: str, status: str) -> None:
    own = policy(folder, when)
    asker = Backend(engine, Limits(seconds=20))
    assert asker.ask("can_decide", own, "r0").status == status


@given(st.integers(0, 86_399))
def test_an_hour_follows_from_a_time_of_day(second: int) -> None:
    assert dependencies.complete({"time": second}) == {"hour": second // 3600}
    assert not dependencies.refused({"time": second, "hour": second // 3600}, frozenset())


@pytest.mark.parametrize(
    "wrong",
    [
        {"clock.time": 1.5},
        {"clock.hour": 24},
        {"clock.hour": 5, "clock.time": 21_600},
        {"clock.time": 86_400},
    ],
)
def test_what_no_clock_shows_is_no_run(folder: Path, wrong: dict[str, object]) -> None:
    own = policy(folder, "clock.hour > 3 or clock.time > 3h")
    assert not consistent(wrong, own)
    assert dependent_facts({"clock.time": 21_600}, own) == {"clock.time": 21_600, "clock.hour": 6}


TIMES = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(
    lambda one: f"{one[0]}h{one[1]}m" if one[1] else f"{one[0]}h"
)
SIGNS = st.sampled_from((">=", "<=", ">", "<", "==", "!="))
LEAVES = st.builds("clock.hour {} {}".format, SIGNS, st.integers(0, 23)) | st.builds(
    "clock.time {} {}".format, SIGNS, TIMES
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: (
        st.builds("({} and {})".format, inner, inner)
        | st.builds("({} or {})".format, inner, inner)
        | st.builds("(not {})".format, inner)
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=25)
@given(CONDITIONS)
def test_walk_and_solver_find_what_a_look_at_every_minute_finds(folder: Path, when: str) -> None:
    own = policy(folder, when)
    program = Program(own)
    # constants are whole minutes: between two of them every second answers alike
    seconds = (minute * 60 + second for minute in range(1440) for second in (0, 30))
    fires = any(
        program.decide([{"clock.time": one, "clock.hour": one // 3600}], "after_iteration").rule == "r0"
        for one in seconds
    )
    for engine in (WALK, SOLVER):
        answer = Backend(engine, Limits(seconds=20)).ask("can_decide", own, "r0")
        assert answer.status == (REFUTED if fires else PROVED), engine
