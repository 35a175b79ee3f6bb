"""What holds for every chain and every record."""

from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.chain import FUSE_AFTER
from exitgate.core.engine.program import Program
from exitgate.core.model.decision import CLASSES
from exitgate.core.model.value import Unknown
from policies import FACTS, UNKNOWN, compare, formula, node, op, points, policy, rule

EXAMPLES = settings(max_examples=150, deadline=None)
COUNTS = ("tasks.done", "tasks.total", "errors.count")

#: Conditions that only ever gain by information: no `is known`, no `or else`.
LEAVES = st.one_of(
    st.builds(compare, st.sampled_from(COUNTS), st.sampled_from([">=", "<", "==", "!="]), st.integers(0, 3)),
    st.builds(lambda want: op("is", "flag", want), st.booleans()),
    st.builds(node, st.booleans()),
)


def _grow(inner):
    pair = st.tuples(inner, inner)
    return st.one_of(
        pair.map(lambda p: op("and", *p)),
        pair.map(lambda p: op("or", *p)),
        inner.map(lambda n: op("not", n)),
        st.tuples(inner, st.integers(1, 3)).map(lambda p: op("consecutive", *p)),
    )


CONDITIONS = st.recursive(LEAVES, _grow, max_leaves=4)
#: Conditions that can be definite because something is unknown.
ASKING_LEAVES = st.one_of(
    LEAVES,
    st.builds(op, st.sampled_from(["known", "unknown"]), st.sampled_from([*COUNTS, "flag"])),
    st.builds(lambda inner, default: op("or_else", inner, default), LEAVES, st.booleans()),
    st.builds(
        lambda which, name, sign, n: compare(op(which, name, 3), sign, n),
        st.sampled_from(["first", "last"]), st.sampled_from(COUNTS),
        st.sampled_from([">=", "<"]), st.integers(0, 3),
    ),
    st.just(op("silence")),
)  # fmt: skip
ASKING = st.recursive(ASKING_LEAVES, _grow, max_leaves=4)
EFFECTS = st.sampled_from(["complete", "stuck", "review", "continue", "warn"])
MODES = st.sampled_from(["enforce", "enforce", "enforce", "warn", "shadow"])


@st.composite
def chains(draw, exit_after=None, conditions=CONDITIONS):
    count = draw(st.integers(0, 6))
    rules = [
        rule(f"r{i}", draw(conditions), draw(EFFECTS), mode=draw(MODES)) for i in range(count)
    ]  # fmt: skip
    return policy(*rules, exit_after_blind=exit_after)


@st.composite
def records(draw, known=False):
    nothing = () if known else (st.just(UNKNOWN),)
    one = st.fixed_dictionaries(
        {
            **dict.fromkeys(COUNTS, st.one_of(st.integers(0, 3), *nothing)),
            "flag": st.one_of(st.booleans(), *nothing),
        }
    )
    return draw(st.lists(one, min_size=1, max_size=4))


@given(chains(), records())
@EXAMPLES
def test_exactly_one_rule_decides_or_none_does(made, history):
    program = Program(made)
    decision = program.decide(history)
    enforced = [r for r in made.rules if r.effect != "warn" and r.mode == "enforce"]
    true = [s.rule for s in program.trace(history) if s.truth is True]
    first = next((r for r in enforced if r.id in true), None)
    assert decision.rule == (first.id if first else None)
    assert program.winner(history) == (enforced.index(first) if first else -1)
    assert (decision.verdict == "EXIT") == (first is not None and first.effect == "exit")
    assert (decision.exit_class in CLASSES) if decision.verdict == "EXIT" else decision.exit_class is None
    assert decision.firm == (not decision.alternatives)
    assert len(decision.steps) == len(made.rules)


@given(chains(), records())
@EXAMPLES
def test_same_input_same_decision_and_input_untouched(made, history):
    before = repr(history)
    one, two = Program(made).decide(history), Program(made).decide([dict(r) for r in history])
    assert one == two
    assert hash(one) == hash(two)
    assert repr(history) == before


@given(chains(), records())
@EXAMPLES
def test_fused_rules_give_the_answers_of_single_ones(made, history):
    program = Program(made)
    single = program.decide(history)
    traced = program.trace(history)
    for _ in range(FUSE_AFTER):
        program.decide(history)
    assert program.decide(history) == single
    assert program.trace(history) == traced


@given(chains())
@EXAMPLES
def test_silence_never_exits_by_a_rule_that_asks_for_facts(made):
    """With every fact unknown only a rule that is true whatever the facts are can decide."""
    program = Program(made)
    decision = program.decide([dict.fromkeys(FACTS, UNKNOWN)] * 4)
    assert decision.blind
    if decision.rule is not None:
        always = program.decide([dict.fromkeys(COUNTS, 0) | {"flag": False}] * 4)
        index = [r.id for r in made.rules].index(decision.rule)
        assert always.steps[index].truth in (True, None), "true of unknowns means true of anything"


@given(chains(conditions=ASKING), records(), st.data())
@EXAMPLES
def test_a_firm_decision_stays_when_unknowns_become_known(made, history, data):
    program = Program(made)
    before = program.decide(history)
    filled = [
        {
            name: data.draw(st.booleans() if name == "flag" else st.integers(0, 3))
            if isinstance(value, Unknown)
            else value
            for name, value in record.items()
        }
        for record in history
    ]
    after = program.decide(filled)
    now, then = (after.verdict, after.exit_class), (before.verdict, before.exit_class)
    if before.firm:
        assert now == then
    else:
        could = {(a.verdict, a.exit_class) for a in before.alternatives}
        assert now == then or now in could, "a tentative decision names everything it can become"
    assert after.firm, "with every fact known nothing is undetermined"


#: Facts that may be known only because the policy says what to take for the unknown.
COMPUTED = ("score", "sum", "twice")


@st.composite
def computing(draw):
    """A chain over points, a formula and a formula over points."""
    leaf = st.one_of(ASKING_LEAVES, LEAVES)
    rows = draw(st.lists(st.tuples(leaf, st.sampled_from([1, 2, -1])), min_size=1, max_size=3))
    unsure = draw(st.sampled_from(["open", "add_nothing"]))
    default = draw(st.sampled_from([op("or_else", "errors.count", 0), node("errors.count")]))
    derived = (
        points("score", rows).but(unknown_rows=unsure),
        formula("sum", op("add", default, 1)),
        formula("twice", op("mul", "score", 2)),
    )
    test = st.builds(
        compare, st.sampled_from(COMPUTED), st.sampled_from([">=", "<", "=="]), st.integers(-1, 4)
    )
    conditions = st.recursive(st.one_of(test, test, ASKING_LEAVES), _grow, max_leaves=3)
    rules = [rule(f"r{i}", draw(conditions), draw(EFFECTS)) for i in range(draw(st.integers(1, 4)))]
    return policy(*rules, derived=derived)


@given(computing(), records(), st.data())
@settings(EXAMPLES, max_examples=300)
def test_a_firm_decision_rests_on_no_computed_fact_that_takes_something_for_the_unknown(made, history, data):
    program = Program(made)
    before = program.decide(program.complete_all(history))
    filled = [
        {
            name: data.draw(st.booleans() if name == "flag" else st.integers(0, 3))
            if isinstance(value, Unknown)
            else value
            for name, value in record.items()
        }
        for record in history
    ]
    after = program.decide(program.complete_all(filled))
    could = {(before.verdict, before.exit_class), *((a.verdict, a.exit_class) for a in before.alternatives)}
    assert (after.verdict, after.exit_class) in could
    assert after.firm, "with every fact known nothing is undetermined"


@given(chains(), records())
@EXAMPLES
def test_rules_that_do_not_decide_change_nothing(made, history):
    quiet = policy(*(r for r in made.rules if r.effect != "warn" and r.mode == "enforce"))
    loud, calm = Program(made).decide(history), Program(quiet).decide(history)
    assert (loud.verdict, loud.exit_class, loud.rule, loud.alternatives) == (
        calm.verdict, calm.exit_class, calm.rule, calm.alternatives,
    )  # fmt: skip
    assert (calm.warnings, calm.shadows) == ((), ())


@given(chains(exit_after=3), records())
@EXAMPLES
def test_a_blind_run_always_ends(made, history):
    program = Program(made)
    dark = [dict.fromkeys(FACTS, UNKNOWN)] * 3
    assert program.decide([*history, *dark]).verdict == "EXIT"


@given(st.permutations(["r1", "r2", "r3"]))
@EXAMPLES
def test_list_order_is_priority(order):
    rules = {f"r{i}": rule(f"r{i}", node(True), "stuck") for i in (1, 2, 3)}
    assert Program(policy(*(rules[i] for i in order))).decide([{}]).rule == order[0]
