"""The breaker as a state machine, beside a plain model that was written apart from it."""

from __future__ import annotations

import pytest
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from exitgate.core.engine.breaker import BreakerState, Shown, facts_of, move, read_state, written
from exitgate.core.model.value import Unknown

COOLDOWN = 1800.0
START = 1_800_000_000.0
NOTHING = Shown()
PROGRESS = Shown(close=True)


class Model:
    """What people expect, in ifs: no slots, no clock of its own, no probe flag on the state."""

    def __init__(self) -> None:
        self.name, self.why, self.hand, self.trying = "CLOSED", "", False, False
        self.wait_from = self.top = self.opened = 0.0
        self.counts_from = 0

    def open(self, why: str, now: float, hand: bool = False) -> None:
        self.name, self.why, self.hand, self.trying = "OPEN", why, hand, False
        self.opened = self.wait_from = self.top = now

    def close(self, mark: int | None) -> None:
        self.name, self.why, self.hand, self.trying = "CLOSED", "", False, False
        if mark is not None:
            self.counts_from = mark

    def see(self, shown: Shown | None, now: float, mark: int) -> None:
        if self.name == "OPEN":
            if now >= self.top:
                self.top, self.wait_from = now, self.opened
            elif self.wait_from == self.opened or now < self.wait_from:
                self.wait_from = now
            if self.hand:
                return
            if now - self.wait_from >= COOLDOWN:
                self.name, self.trying = "HALF_OPEN", True
            return
        if shown is None:
            return
        if self.trying:
            if shown.close:
                self.close(mark)
            else:
                self.open(self.why, now)
        elif shown.open:
            self.open(", ".join(shown.open), now)
        elif self.name == "CLOSED" and shown.watch:
            self.name, self.why = "HALF_OPEN", "watch"
        elif self.name == "HALF_OPEN" and shown.close:
            self.close(None)


SHOWN = st.none() | st.builds(
    Shown,
    st.sampled_from([(), (), (), ("no_progress",), ("no_progress", "same_error")]),
    st.booleans(),
    st.booleans(),
)
STEPS = st.sampled_from([0.0, 1.0, 59.5, 600.0, 1799.0, 1800.0, 7200.0, -1.0, -600.0, -90000.0, 90000.0])


class Machine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.state, self.model = BreakerState(), Model()
        self.now, self.mark = START, 1

    @rule(shown=SHOWN, step=STEPS)
    def check(self, shown: Shown | None, step: float) -> None:
        self.now += step
        self.mark += 1
        before = self.state
        self.state, moved = move(self.state, shown, self.now, self.mark, COOLDOWN)
        self.model.see(shown, self.now, self.mark)
        same = before.state == self.state.state
        assert (moved is None) == same, "a change of state is told, and nothing else is"
        if moved is not None:
            assert (moved.before, moved.after) == (before.state, self.state.state)
            assert moved.reason

    @rule()
    def trip(self) -> None:
        self.state = self.state.opened("told to", self.now, by_hand=True)
        self.model.open("told to", self.now, hand=True)

    @precondition(lambda self: self.state.state != "CLOSED")
    @rule()
    def reset(self) -> None:
        self.mark += 1
        self.state = BreakerState(since=self.mark)
        self.model.close(self.mark)

    @rule()
    def through_the_ledger(self) -> None:
        self.state, readable = read_state(self.state.to_plain())
        assert readable

    @invariant()
    def agrees(self) -> None:
        model, state = self.model, self.state
        assert (state.state, state.reason, state.by_hand, state.probe, state.since) == (
            model.name, model.why, model.hand, model.trying, model.counts_from,
        )  # fmt: skip
        if state.state == "OPEN":
            assert state.opened_at == model.opened


Machine.TestCase.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
TestMachine = Machine.TestCase


def opened(now: float = START) -> BreakerState:
    state, _ = move(BreakerState(), Shown(("no_progress",)), now, 1, COOLDOWN)
    return state


def walk(state: BreakerState, *checks: tuple[float, Shown | None], cooldown: float | None = COOLDOWN) -> str:
    for mark, (at, shown) in enumerate(checks, 2):
        state, _ = move(state, shown, START + at, mark, cooldown)
    return state.state


@each(
    ("checks", "want"),
    [
        ([(600, None)], "OPEN"),
        ([(1799.9, None)], "OPEN"),
        ([(1800, None)], "HALF_OPEN"),
        ([(600, NOTHING)], "OPEN"),
        ([(600, PROGRESS)], "OPEN"),
        ([(600, PROGRESS), (1799, PROGRESS)], "OPEN"),
        ([(1800, PROGRESS)], "HALF_OPEN"),
        ([(1800, PROGRESS), (1900, PROGRESS)], "CLOSED"),
        ([(1800, None), (1900, None)], "HALF_OPEN"),
        ([(1800, None), (1900, PROGRESS)], "CLOSED"),
        ([(1800, None), (1900, NOTHING)], "OPEN"),
        ([(1800, None), (1900, Shown(("same_error",), close=True))], "CLOSED"),
        ([(1800, None), (1900, NOTHING), (3600, None)], "OPEN"),
        ([(1800, None), (1900, NOTHING), (3700, None)], "HALF_OPEN"),
    ],
)
def test_from_open(checks, want):
    assert walk(opened(), *checks) == want


@pytest.mark.parametrize(
    ("checks", "want"),
    [
        ([(-600, None)], "OPEN"),
        ([(-600, None), (1199, None)], "OPEN"),
        ([(-600, None), (1200, None)], "OPEN"),
        ([(-90000, None), (-88201, None)], "OPEN"),
        ([(-90000, None), (-88200, None)], "HALF_OPEN"),
        ([(1000, None), (-5, None), (1799, None)], "OPEN"),
        ([(1000, None), (-5, None), (1800, None)], "HALF_OPEN"),
        ([(10, None), (5, None), (20, None), (1799, None)], "OPEN"),
    ],
)
def test_a_clock_set_back_neither_shortens_the_wait_nor_makes_it_endless(checks, want):
    assert walk(opened(), *checks) == want


@given(back=st.floats(1, 1e6), checks=st.lists(st.floats(0, COOLDOWN - 1), max_size=6))
@settings(max_examples=150, deadline=None)
def test_behind_the_clock_the_wait_is_one_cooldown_from_the_first_look(back, checks):
    looks = [(-back, None), *((-back + at, None) for at in sorted(checks))]
    assert walk(opened(), *[look for look in looks if look[0] < 0]) == "OPEN"
    last = -back + COOLDOWN + 0.5
    # Once the clock has caught up with the opening, the time since then is what counts again.
    want = "HALF_OPEN" if last < 0 else "OPEN"
    assert walk(opened(), *[look for look in looks if look[0] < 0], (last, None)) == want


def test_without_a_cooldown_only_a_reset_closes_it():
    assert walk(opened(), (1e8, None), (2e8, NOTHING), cooldown=None) == "OPEN"
    assert walk(opened(), (1e8, PROGRESS), cooldown=None) == "OPEN"


@given(
    cooldown=st.none() | st.floats(1, 1e6),
    # nearer to its end than a clock since 1970 tells times apart, a time within is the end itself
    checks=st.lists(st.tuples(st.floats(0, 0.999999), SHOWN), max_size=12),
)
@settings(max_examples=200, deadline=None)
def test_within_its_cooldown_nothing_that_is_shown_moves_an_open_breaker(cooldown, checks):
    state, begun = opened(), opened()
    for mark, (share, shown) in enumerate(sorted(checks, key=lambda check: check[0]), 2):
        state, moved = move(state, shown, START + share * (cooldown or 1e9), mark, cooldown)
        assert (state.state, moved) == ("OPEN", None)
        assert (state.opened_at, state.reason) == (begun.opened_at, begun.reason)


def test_no_cooldown_at_all_lets_the_next_iteration_through():
    assert walk(opened(), (0, None), cooldown=0.0) == "HALF_OPEN"


def test_what_a_person_opened_stays_open():
    state = BreakerState().opened("release freeze", START, by_hand=True)
    assert walk(state, (1e7, PROGRESS), (2e7, None)) == "OPEN"


def test_staying_open_keeps_when_and_why():
    first = opened()
    later, moved = move(first, Shown(("same_error",)), START + 60, 9, COOLDOWN)
    assert moved is None
    assert (later.opened_at, later.reason) == (START, "no_progress")


def test_an_iteration_that_fails_its_probe_opens_it_anew_with_the_old_reason():
    state, _ = move(opened(), None, START + 1800, 2, COOLDOWN)
    assert (state.state, state.reason, state.probe) == ("HALF_OPEN", "no_progress", True)
    state, moved = move(state, NOTHING, START + 1900, 3, COOLDOWN)
    assert (state.reason, state.opened_at) == ("no_progress", START + 1900)
    assert moved is not None and moved.reason == "no progress in the iteration after the cooldown"


def test_closing_begins_a_new_history_but_closing_a_watch_does_not():
    probed, _ = move(opened(), None, START + COOLDOWN, 41, COOLDOWN)
    closed, _ = move(probed, PROGRESS, START + COOLDOWN + 60, 42, COOLDOWN)
    assert closed.since == 42
    watched, _ = move(BreakerState(since=7), Shown(watch=True), START, 50, COOLDOWN)
    quiet, _ = move(watched, PROGRESS, START, 51, COOLDOWN)
    assert (watched.state, quiet.state, quiet.since) == ("HALF_OPEN", "CLOSED", 7)


def test_an_opening_counts_even_in_an_iteration_with_progress():
    state, _ = move(BreakerState(), Shown(("same_error",), close=True), START, 1, COOLDOWN)
    assert state.state == "OPEN"


# --- what the ledger may hold ---

TORN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["state", "reason", "opened_at", "latest", "behind", "probe", "by_hand", "since"])
        | st.text(max_size=4),
        inner | st.sampled_from(["OPEN", "HALF_OPEN", "CLOSED"]),
        max_size=8,
    ),
    max_leaves=12,
)  # fmt: skip


@given(plain=TORN, now=st.floats(0, 1e10))
@settings(max_examples=300, deadline=None)
def test_any_stored_state_is_read_or_counts_as_closed(plain, now):
    state, readable = read_state(plain)
    if not readable:
        assert state == BreakerState()
    after, _ = move(state, NOTHING, now, 1, COOLDOWN)
    assert read_state(after.to_plain()) == (after, True)
    assert {fact.name for fact in facts_of(after, now)} >= {"circuit.state", "circuit.reason"}


@each(
    "plain",
    [
        "OPEN", [], 5, {}, {"state": "AJAR"}, {"state": "OPEN"}, {"state": "OPEN", "opened_at": "noon"},
        {"state": "OPEN", "opened_at": 1.0}, {"state": "OPEN", "opened_at": True, "latest": 1},
        {"state": "OPEN", "opened_at": float("nan"), "latest": 1.0}, {"state": "CLOSED", "probe": True},
        {"state": "CLOSED", "reason": 5}, {"state": "CLOSED", "since": "x"}, {"state": None},
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_told(plain):
    assert read_state(plain) == (BreakerState(), False)


def test_no_state_at_all_is_a_breaker_that_never_moved():
    assert read_state(None) == (BreakerState(), True)


def test_facts():
    values = {fact.name: fact.value for fact in facts_of(opened(), START + 90)}
    assert values == {
        "circuit.state": "OPEN", "circuit.reason": "no_progress", "circuit.opened_for": 90.0,
        "circuit.opened_at": "2027-01-15T08:00:00.000+00:00",
    }  # fmt: skip
    quiet = {fact.name: fact.value for fact in facts_of(BreakerState(), START)}
    assert quiet.pop("circuit.state") == "CLOSED"
    assert all(isinstance(value, Unknown) for value in quiet.values())


def test_instants_are_cut_never_rounded_up():
    assert written(0.9999) == "1970-01-01T00:00:00.999+00:00"
