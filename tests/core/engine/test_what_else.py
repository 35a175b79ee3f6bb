"""A decision names as what it could be all that values for the unknown make of it, and no more."""

from __future__ import annotations

from itertools import product

from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.engine.program import Program
from exitgate.core.engine.record import record_of
from exitgate.core.engine.stages import decide_stages
from exitgate.core.language.tree import Node
from exitgate.core.model.fact import Fact, FactSpec
from exitgate.core.model.value import BOOL, COUNT, Unknown
from policies import UNKNOWN, compare, op, policy, rule

#: Each is named once in a policy, so that no two parts of it rest on the same fact.
BOOLS, NUMBERS = ("a", "b", "c", "d"), ("k", "m")
NAMES = (*BOOLS, *NUMBERS)
STAGES = ("after_iteration", "before_iteration")
#: Nothing rests on it, but it is readable.
SPARE = "spare"
UNREAD = {"d", "m"}
FACTS = {n: FactSpec(n, BOOL, "", read=n not in UNREAD) for n in (*BOOLS, SPARE)}
FACTS |= {n: FactSpec(n, COUNT, "", read=n not in UNREAD) for n in NUMBERS}
POOLS = {**dict.fromkeys((*BOOLS, SPARE), (True, False)), **dict.fromkeys(NUMBERS, (0, 2))}


def named(name):
    return Node("fact", (name,), type=FACTS[name].type)


def _number(value):
    return Node("number", (value,), type=COUNT)


#: Tests of two numbers, the first of an iteration that need not exist.
PAIRS = (
    lambda before, now: compare(Node("or_else", (before, now), type=COUNT), ">", 1),
    lambda before, now: op("known", op("or", compare(before, ">", 1), compare(now, ">", 1))),
    lambda before, now: op("not", op("between", now, before, _number(1))),
    lambda before, now: op("not", op("between", now, _number(1), before)),
    lambda before, now: op("consecutive", op("or", compare(before, ">", 1), compare(now, ">", 1)), 1),
)


@st.composite
def leaf(draw, names):
    name = names.pop()
    here = named(name)
    if name in NUMBERS and names and names[-1] in NUMBERS:
        return draw(st.sampled_from(PAIRS))(Node("previous", (here,), type=COUNT), named(names.pop()))
    how = draw(st.sampled_from(("plain", "plain", "else", "known", "unknown", "previous", "shielded")))
    if how in ("known", "unknown"):
        return op(how, here)
    if how == "previous":
        here = Node("previous", (here,), type=FACTS[name].type)
    if name in BOOLS:
        other = op("is", here, True)
        return op("or_else", other, draw(st.booleans())) if how == "else" else other
    number = Node("or_else", (here, Node("number", (draw(st.sampled_from((0, 2))),), type=COUNT)), type=COUNT)
    told = compare(number if how == "else" else here, draw(st.sampled_from((">", "<="))), 1)
    return op("unknown", told) if how == "shielded" else told


@st.composite
def tree(draw, names):
    one = draw(leaf(names))
    while names and draw(st.booleans()):
        one = op(draw(st.sampled_from(("and", "or"))), one, draw(leaf(names)))
    return op("not", one) if draw(st.integers(0, 4)) == 0 else one


@st.composite
def policies(draw, paired=False):
    names = list(draw(st.permutations(NAMES)))
    if paired:
        names = [*(name for name in names if name not in NUMBERS), *NUMBERS]
    else:  # apart, so that no leaf names both
        names = ["k", *(name for name in names if name not in NUMBERS), "m"]
    rules = []
    while names and len(rules) < 4:
        effect = draw(st.sampled_from(("complete", "stuck", "continue", "halted")))
        stage = draw(st.sampled_from((STAGES[0], STAGES[0], STAGES[1])))
        rules.append(rule(f"r{len(rules)}", draw(tree(names)), effect, stage=stage))
    taken = draw(st.sampled_from(({}, {}, {"a": False}, {"k": 2, "b": True})))
    return policy(*rules, unreadable=taken, facts=FACTS, exit_after_blind=draw(st.sampled_from((None, 1))))


VALUES = st.fixed_dictionaries({n: st.sampled_from((UNKNOWN, UNKNOWN, *POOLS[n])) for n in NAMES})


def decide(program, run):
    records = [record_of([Fact(n, v) for n, v in one.items()], program.policy)[0] for one in run]
    return decide_stages(program, records, STAGES)


def fillings(run):
    """Every way to give values to some of the unknown."""
    unknown = [(at, name) for at, one in enumerate(run) for name, v in one.items() if isinstance(v, Unknown)]
    for values in product(*[(UNKNOWN, *POOLS[name]) for _, name in unknown]):
        filled = [dict(one) for one in run]
        for (at, name), value in zip(unknown, values, strict=True):
            filled[at][name] = value
        yield filled


EARLIER = st.sampled_from((None, {}, {"a": True, "b": False}))


def named_and_found(made, values, earlier):
    """Return the results that a decision names, and those of every way to fill in the unknown."""
    program = Program(made)
    before = dict.fromkeys(NAMES, UNKNOWN) | dict.fromkeys(("c", "d", "k", "m"), 0)
    before |= {"c": True, "d": False}
    run = [*([{**before, **earlier}] if earlier is not None else []), {**values, SPARE: UNKNOWN}]
    decision = decide(program, run)
    other = (*decision.alternatives, *decision.if_readable)
    could = {(decision.verdict, decision.exit_class), *((one.verdict, one.exit_class) for one in other)}
    found = set()
    for filled in fillings(run):
        after = decide(program, filled)
        found.add((after.verdict, after.exit_class))
    return decision, could, found


@settings(max_examples=30, deadline=None)
@given(policies(), VALUES, EARLIER)
def test_what_it_could_be_is_what_values_for_the_unknown_make_of_it(made, values, earlier):
    decision, could, found = named_and_found(made, values, earlier)
    assert found <= could
    mixed = decision.blind and decision.verdict == "EXIT"  # of a silent run it is enough that it can be
    assert mixed or could == found


@settings(max_examples=30, deadline=None)
@given(policies(paired=True), VALUES, EARLIER)
def test_nothing_is_left_out_where_a_part_lacks_an_earlier_iteration_and_another_is_unknown(
    made, values, earlier
):
    _, could, found = named_and_found(made, values, earlier)
    assert found <= could


BEFORE = Node("previous", (named("a"),), type=BOOL)
BEFORE_K = Node("previous", (named("k"),), type=COUNT)


@each(
    ("when", "could"),
    [
        (op("and", op("is", named("a"), True), op("is", BEFORE, False)), set()),
        (op("or", op("is", BEFORE, True), op("or_else", op("is", named("b"), True), False)), {"r"}),
        (op("unknown", BEFORE), set()),
        (compare(Node("or_else", (BEFORE_K, named("m")), type=COUNT), ">", 1), {"r"}),
        (op("known", op("or", compare(BEFORE_K, ">", 1), compare(named("m"), ">", 1))), {"r"}),
        (op("not", op("between", named("m"), BEFORE_K, 1)), {"r"}),
        (op("or_else", op("is", BEFORE, True), op("is", named("b"), True)), {"r"}),
    ],
)  # fmt: skip
def test_what_compares_with_an_iteration_that_does_not_exist_stays_unknown(when, could):
    made = policy(rule("r", when), facts=FACTS)
    run = [{**dict.fromkeys(NAMES, UNKNOWN), SPARE: True}]
    assert {one.rule for one in decide(Program(made), run).alternatives} == could


def test_a_value_taken_for_the_unreadable_is_known():
    made = policy(rule("r", op("unknown", named("a"))), facts=FACTS, unreadable={"a": False})
    assert not decide(Program(made), [{"a": UNKNOWN, SPARE: True}]).if_readable


def test_an_end_for_silence_could_be_what_the_chain_says_once_something_is_read():
    made = policy(
        rule("stay", op("is", named("a"), True), "continue"), rule("done", op("is", named("b"), True)),
        facts=FACTS, exit_after_blind=1,
    )  # fmt: skip
    decision = decide(Program(made), [dict.fromkeys(("a", "b", SPARE), UNKNOWN)])
    assert (decision.exit_class, decision.firm) == ("undetermined", False)
    assert [(one.rule, one.verdict) for one in decision.alternatives] == [
        ("stay", "CONTINUE"), ("done", "EXIT"), ("otherwise", "CONTINUE"),
    ]  # fmt: skip


def test_what_an_unread_fact_makes_of_a_silent_run():
    """With `d` known, nothing decides, and nothing is readable: the run ends as undetermined."""
    made = policy(rule("dark", op("unknown", named("d")), "stuck"), facts=FACTS, exit_after_blind=1)
    decision = decide(Program(made), [dict.fromkeys(("d", SPARE), UNKNOWN)])
    assert decision.exit_class == "stuck"
    assert {(one.verdict, one.exit_class) for one in decision.alternatives} == {
        ("CONTINUE", None), ("EXIT", "undetermined"),
    }  # fmt: skip


def test_where_the_first_stage_could_continue_the_stage_behind_it_decides():
    made = policy(
        rule("done", op("or_else", op("is", named("a"), True), True)),
        rule("bound", op("is", named("c"), True), "exhausted", stage="before_iteration"),
        facts=FACTS,
    )
    for c, could in ((True, {"exhausted"}), (False, {None}), (UNKNOWN, {"exhausted", None})):
        records = [record_of([Fact("a", UNKNOWN), Fact("c", c), Fact(SPARE, True)], made)[0]]
        decision = decide_stages(Program(made), records, STAGES)
        assert decision.exit_class == "complete"
        assert {one.exit_class for one in decision.alternatives} == could
        for a in (True, False):
            filled = [{**records[0], "a": a}]
            found = decide_stages(Program(made), filled, STAGES)
            assert found.exit_class in {"complete", *could}
