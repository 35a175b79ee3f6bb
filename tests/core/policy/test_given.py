"""Given facts: what a policy declares under `given:`, and how policies that extend it change that."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from hypothesis import given as drawn
from hypothesis import strategies as st

from exitgate.core.gate.extract import extract
from exitgate.core.gate.overrides import NOTE, given_facts
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Iteration
from exitgate.core.model.value import Unknown
from exitgate.core.observe.sources import wanted
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.serialized import policy_from, text_of

BASE = """\
policy: base
format: 1
version: 1.0.0
given:
  deploy.approved: {type: bool, doc: A person has approved.}
  budget.left: {type: money, currency: USD, range: [0, 50 USD]}
  stage: {type: enum, members: [DEV, PROD], unreadable: dev}
  share: {type: percent, range: [10, 90]}
  age: {type: duration, range: [1m, 2h]}
  tries: {type: count, range: [0, 9]}
  load: {type: number, range: [-5, 5]}
  ticket: {type: text}
  names: {type: list, item: text}
rules:
  - {id: go, when: deploy.approved and stage is PROD and share >= 50%, exit: complete}
  - {id: broke, when: budget.left < 5 USD or age > 1h or tries > 3 or load > 1, exit: exhausted}
  - {id: told, when: ticket contains "X" and names contains "a", warn: true}
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> CompiledPolicy:
    folder = tmp_path_factory.mktemp("given")
    (folder / "base.yaml").write_text(BASE)
    return load_policy("./base.yaml", base=str(folder))


def extended(folder: Path, text: str) -> CompiledPolicy:
    (folder / "base.yaml").write_text(BASE)
    (folder / "mine.yaml").write_text(
        "policy: mine\nformat: 1\nversion: 1.0.0\nextends: ./base.yaml@1.0.0\n" + text
    )
    return load_policy("./mine.yaml", base=str(folder))


def test_without_a_value_each_is_unknown_and_says_so(base: CompiledPolicy) -> None:
    facts = extract(base, Iteration(1, "r#1", 0.0, {}))
    assert {name: fact.value for name, fact in facts.items()} == {
        name: Unknown("not given", name) for name in VALUES
    }


def test_no_source_is_read_for_them(base: CompiledPolicy) -> None:
    assert wanted(base) == frozenset()


def test_they_are_no_word_of_the_agent(base: CompiledPolicy) -> None:
    assert not any(base.facts[name].read for name in VALUES)


def test_they_are_kept_with_the_compiled_policy(base: CompiledPolicy) -> None:
    again = policy_from(text_of(base))
    assert (again.facts, again.extractions, again.unreadable) == (
        base.facts, base.extractions, {"stage": "DEV"},
    )  # fmt: skip


#: Name -> values with how they are written, inside the range, and written ones that are not.
VALUES = {
    "deploy.approved": (st.sampled_from([("true", True), ("false", False)]), ("yes", "1", "")),
    "stage": (st.sampled_from([("dev", "DEV"), ("PROD", "PROD")]), ("TEST", "")),
    "budget.left": (st.integers(0, 5000).map(lambda n: (f"{n // 100}.{n % 100:02} USD", n / 100)),
                    ("51 USD", "5", "5 EUR", "-1 USD")),
    "share": (st.integers(10, 90).map(lambda n: (f"{n}%", n)), ("9", "91%", "101%", "x")),
    "age": (st.integers(1, 120).map(lambda n: (f"{n}m", n * 60)), ("59s", "3h", "7")),
    "tries": (st.integers(0, 9).map(lambda n: (str(n), n)), ("10", "-1", "1.5")),
    "load": (st.integers(-500, 500).map(lambda n: (f"{n / 100:.2f}", n / 100)), ("5.01", "-6", "1e9", "nan")),
    "ticket": (st.text("aX -", min_size=1, max_size=9).map(lambda t: (t, t.strip())), ("x" * 1001,)),
    "names": (st.lists(st.sampled_from("abc"), max_size=3).map(lambda a: (",".join(a), tuple(a))), ()),
}  # fmt: skip


@each("name", VALUES)
@drawn(data=st.data())
def test_a_value_of_the_type_and_range_is_the_fact(
    name: str, base: CompiledPolicy, data: st.DataObject
) -> None:
    written, value = data.draw(VALUES[name][0])
    fact = given_facts({name: written}, base)[name]
    assert (fact.value, type(fact.value)) == (value, type(value)) or fact.value == pytest.approx(value)
    assert (fact.evidence[0].source, fact.note) == ("given", NOTE)
    assert fact.evidence[0].excerpt == written


@each(("name", "text"), [(name, text) for name, (_, wrong) in VALUES.items() for text in wrong])
def test_any_other_value_is_refused(name: str, text: str, base: CompiledPolicy) -> None:
    with pytest.raises(ExitgateError) as caught:
        given_facts({name: text}, base)
    assert caught.value.exit_code == 64
    (found,) = caught.value.diagnostics
    assert found.code == "EP841"
    assert f"`{name}`" in found.message
    assert found.help


def test_unknown_may_be_given(base: CompiledPolicy) -> None:
    assert isinstance(given_facts({"share": "unknown"}, base)["share"].value, Unknown)


def test_a_policy_that_extends_changes_them_key_by_key(tmp_path: Path) -> None:
    mine = extended(tmp_path, "given:\n  tries: {doc: So many.}\n  more: {type: bool}\n")
    spec = mine.facts["tries"]
    assert (str(spec.type), spec.low, spec.high, spec.doc) == ("count", 0, 9, "So many.")
    assert str(mine.facts["more"].type) == "bool"
    assert mine.facts["budget.left"].high == 50


def test_another_type_replaces_the_whole_entry(tmp_path: Path) -> None:
    mine = extended(tmp_path, "given:\n  tries: {type: bool}\n"
                    "  stage: {members: [PROD, TEST], unreadable: TEST}\n"
                    "rules: [{id: broke, when: tries, exit: exhausted, replace: true}]\n")  # fmt: skip
    assert (str(mine.facts["tries"].type), mine.facts["tries"].high) == ("bool", None)
    assert mine.facts["stage"].type.members == ("PROD", "TEST")
    with pytest.raises(ExitgateError) as caught:
        extended(tmp_path, "given: {tries: {type: bool}}\n")
    assert {found.code for found in caught.value.diagnostics} == {"EP407"}
