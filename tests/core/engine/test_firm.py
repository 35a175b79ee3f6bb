"""A firm decision stays whatever the unknown turns out to be: in a replay of the run, breaker and all."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.evaluation import Evaluation
from exitgate.core.engine.program import Program
from exitgate.core.engine.record import record_of
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, TEXT, Type, Unknown
from exitgate.core.policy.compiled import Breaker, Derived, Opening
from policies import UNKNOWN, compare, op, points, policy, rule

COUNTS = ("tasks.done", "errors.count")
START = 1_800_000_000.0

NAMES = Type("list", item=TEXT)
PROGRESS = {"progress.made": BOOL, "progress.known": COUNT, "progress.signals": NAMES}
MADE = {name: FactSpec(name, kind, "what moved", read=False) for name, kind in PROGRESS.items()}
SAID = st.one_of(
    st.builds(compare, st.sampled_from(COUNTS), st.sampled_from([">=", "<", "=="]), st.integers(0, 3)),
    st.builds(lambda want: op("is", "flag", want), st.booleans()),
)
MOVED = st.one_of(
    SAID,
    st.builds(lambda want: op("is", _fact("progress.made"), want), st.booleans()),
    st.builds(
        lambda sign, n: compare(_fact("progress.known"), sign, n),
        st.sampled_from([">=", "<", "=="]),
        st.integers(0, 3),
    ),
    st.builds(
        lambda name: op("contains", _fact("progress.signals"), _text(name)),
        st.sampled_from([*COUNTS, "flag"]),
    ),
)
ASKED = st.one_of(
    MOVED,
    st.builds(lambda state: op("is", "circuit.state", state), st.sampled_from(["OPEN", "CLOSED"])),
    st.builds(lambda word: op("is", "circuit.reason", _text(word)), st.sampled_from(["one", "two"])),
    st.builds(compare, st.just("score"), st.sampled_from([">=", "<"]), st.integers(0, 3)),
    st.builds(
        lambda name, n: compare(op("or_else", name, n), ">=", 2), st.sampled_from(COUNTS), st.integers(0, 3)
    ),
)


FEWER = compare("tasks.done", "<", op("previous", "tasks.done"))


def _fact(name):
    from exitgate.core.language.tree import Node

    return Node("fact", (name,), type=PROGRESS[name])


def _text(word):
    from exitgate.core.language.tree import Node

    return Node("text", (word,))


def grown(leaf):
    return st.recursive(
        leaf,
        lambda inner: st.one_of(
            st.tuples(inner, inner).map(lambda pair: op("and", *pair)),
            st.tuples(inner, inner).map(lambda pair: op("or", *pair)),
            inner.map(lambda one: op("not", one)),
            st.tuples(inner, st.integers(1, 2)).map(lambda pair: op("consecutive", *pair)),
            inner.map(lambda one: op("and", one, FEWER)),
        ),
        max_leaves=3,
    )


@st.composite
def policies_(draw):
    ways = {
        "tasks.done": ("rises", "falls", "changes"),
        "errors.count": ("falls", "changes"),
        "flag": ("true",),
    }
    signals = draw(st.lists(st.sampled_from(sorted(ways)), min_size=1, max_size=3, unique=True))
    moves = tuple(draw(st.sampled_from(ways[name])) for name in signals)
    derived = [Derived(name, kind, signals=tuple(signals), moves=moves) for name, kind in PROGRESS.items()]
    rows = draw(
        st.lists(st.tuples(grown(ASKED.filter(_apart)), st.sampled_from([1, 2])), min_size=1, max_size=2)
    )
    derived.append(points("score", rows).but(unknown_rows=draw(st.sampled_from(["open", "add_nothing"]))))
    breaker = None
    if draw(st.integers(0, 3)):
        opening = tuple(
            Opening(name, draw(grown(MOVED)), (name,))
            for name in draw(st.sampled_from([("one",), ("one", "two")]))
        )
        watch, close = (draw(st.none() | grown(MOVED)) for _ in range(2))
        breaker = Breaker(opening, watch, close, draw(st.sampled_from([None, 0.0, 90.0])))
    taken = draw(st.sampled_from([{}, {}, {"flag": False}, {"errors.count": 0}]))
    effects = st.sampled_from(["complete", "stuck", "continue", "halted"])
    rules = [rule(f"r{i}", draw(grown(ASKED)), draw(effects)) for i in range(draw(st.integers(1, 3)))]
    return policy(*rules, derived=derived, breaker=breaker, unreadable=taken, facts=MADE)


def _apart(tree):
    return "score" not in tree.uses().get("fact", ())


POOLS = {**dict.fromkeys(COUNTS, (0, 1, 2, 3)), "flag": (True, False)}
HISTORIES = st.lists(
    st.fixed_dictionaries({name: st.sampled_from((*pool, *pool, UNKNOWN)) for name, pool in POOLS.items()}),
    min_size=1, max_size=4,
)  # fmt: skip


def decided(program, history, resets=()):
    """The decision on the last iteration of a run, replayed from the first."""
    return program.decide(replayed(program, history, resets))


def replayed(program, history, resets=()):
    evaluation = Evaluation(program)
    for number, values in enumerate(history):
        if number in resets:
            evaluation.set_breaker(evaluation.before.breaker.closed(evaluation.before.mark))
        facts = [Fact(name, value) for name, value in values.items()]
        record, _ = record_of(facts, program.policy)
        if program.breaker is None:
            record = record.with_values({"circuit.state": "CLOSED", "circuit.reason": ""})
        evaluation.observe(record, START + 60 * number)
    return evaluation.records


@st.composite
def filled(draw, history):
    return [
        {n: draw(st.sampled_from(POOLS[n])) if isinstance(v, Unknown) else v for n, v in one.items()}
        for one in history
    ]


@settings(max_examples=300, deadline=None)
@given(policies_(), HISTORIES, st.sets(st.integers(1, 3), max_size=1), st.data())
def test_a_firm_decision_stays_in_a_replay_with_any_values_for_the_unknown(made, history, resets, data):
    program = Program(made)
    before = decided(program, history, resets)
    others = (*before.alternatives, *before.if_readable)
    could = {(before.verdict, before.exit_class), *((a.verdict, a.exit_class) for a in others)}
    for _ in range(4):
        more = data.draw(filled(history))
        after = decided(program, more, resets)
        assert (after.verdict, after.exit_class) in could, more
        if not any(
            isinstance(value, Unknown)
            for record in replayed(program, more, resets)
            for value in record.values()
        ):
            assert after.firm and not after.if_readable, more


def test_what_leaves_a_decision_open():
    flag = op("is", "flag", True)
    opened = op("is", "circuit.state", "OPEN")
    progress = Derived(
        "progress.made", BOOL, signals=("tasks.done", "errors.count"), moves=("rises", "rises")
    )
    flat = {"tasks.done": 1, "errors.count": 1, "flag": False}
    halts = rule("halts", opened, "halted")
    stuck = rule("stuck", op("not", _fact("progress.made")), "stuck")
    breaker = Breaker((Opening("o", flag, ""),))
    cases = {
        "a value for what cannot be read": (
            policy(rule("done", flag), unreadable={"flag": False}), [{**flat, "flag": UNKNOWN}], ("flag",)),
        "one that is read": (policy(rule("done", flag), unreadable={"flag": False}), [flat], True),
        "a signal that is not known": (
            policy(stuck, derived=[progress], facts=MADE), [flat, {**flat, "errors.count": UNKNOWN}], False),
        "all signals known": (policy(stuck, derived=[progress], facts=MADE), [flat, flat], True),
        "an opening that was not known": (
            policy(halts, breaker=breaker), [{**flat, "flag": UNKNOWN}, flat], False),
        "an opening that compares with an iteration before the first": (
            policy(halts, breaker=Breaker((Opening("o", FEWER, ""),))), [flat, flat], True),
        "an opening that was known": (policy(halts, breaker=breaker), [flat, flat], True),
    }  # fmt: skip
    found = {}
    for name, (made, run, _) in cases.items():
        decision = decided(Program(made), run)
        found[name] = decision.if_readable[0].unreadable if decision.if_readable else decision.firm
    assert found == {name: wanted for name, (_, _, wanted) in cases.items()}


def test_a_look_asks_no_condition_of_the_breaker():
    """What an iteration before it left open stays open; what the look does not know opens nothing."""
    unknown, flat = {"flag": UNKNOWN}, {"flag": False}
    made = policy(
        rule("halts", op("is", "circuit.state", "OPEN"), "halted", stage="before_iteration"),
        breaker=Breaker((Opening("o", op("is", "flag", True), ""),)),
    )
    found = {}
    for earlier in (flat, unknown):
        evaluation = Evaluation(Program(made))
        evaluation.observe([Fact(*one) for one in earlier.items()], START)
        evaluation.observe([Fact(*one) for one in flat.items()], START + 60)
        look = evaluation.looking()
        look.observe([Fact(*one) for one in unknown.items()], START + 70, ended=False)
        found[repr(earlier)] = look.decide(("before_iteration",)).firm
    assert found == {repr(flat): True, repr(unknown): False}


def test_which_unreadable_facts_have_to_have_another_value():
    """One of two is enough for `halts`, `done` needs two, `late` neither."""
    flag, circuit = op("is", "flag", True), op("is", "circuit.state", "OPEN")
    made = policy(
        rule("halts", circuit, "halted"),
        rule("done", op("and", flag, compare("errors.count", ">", 0))),
        rule("late", compare("tasks.done", ">", 2), "stuck"),
        unreadable={"circuit.state": "CLOSED", "flag": False, "errors.count": 0},
    )
    facts = [Fact(name, UNKNOWN) for name in ("circuit.state", "flag", "errors.count", "tasks.done")]
    decision = Program(made).decide([record_of(facts, made)[0]])
    assert [one.rule for one in decision.alternatives] == ["late"]
    assert {one.rule: one.unreadable for one in decision.if_readable} == {
        "halts": ("circuit.state",),
        "done": ("errors.count", "flag"),
    }


def test_a_policy_without_these_computes_nothing_twice():
    """Counted in calls: whether a decision is firm asks no condition again."""
    made = policy(
        rule("done", compare("tasks.done", ">=", 3)), rule("late", compare("errors.count", ">", 2), "stuck")
    )
    program = Program(made)
    decision = program.decide([{"tasks.done": 1, "errors.count": 0, "flag": True}] * 5)
    asked = []
    for clause in program._ladder("after_iteration").clauses:
        test = clause.test
        clause.test = lambda records, test=test: asked.append(1) or test(records)
    assert decision.firm
    assert asked == []
    assert program._assumed is None
