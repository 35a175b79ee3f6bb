"""What a program gets wrong is told at once and by one kind of error."""

from __future__ import annotations

import enum
from pathlib import Path

import pytest
from cases import each
from hypothesis import given
from hypothesis import strategies as st

import exitgate
from exitgate import ExitgateError, Gate, Iteration
from exitgate.surfaces.in_process.iteration import written


def test_everything_that_is_wrong_in_a_policy(place: Path) -> None:
    broken = place / "broken.yaml"
    text = (place / "small.yaml").read_text()
    broken.write_text(text.replace("tasks.complete", "tsaks.complete").replace("run.cost", "run.csot"))
    with pytest.raises(ExitgateError, match="tsaks") as refused:
        Gate(broken)
    assert "broken.yaml:12:" in str(refused.value)
    assert "run.csot" in str(refused.value) and "run.cost" in str(refused.value)
    assert refused.value.exit_code == 65
    assert {one.place.line for one in refused.value.diagnostics if one.place} == {12, 16}


@pytest.mark.parametrize("name", ["no-such-policy", "missing.yaml", ""])
def test_a_policy_that_is_not_there(place: Path, name: str) -> None:
    with pytest.raises(ExitgateError) as refused:
        Gate(name)
    assert refused.value.exit_code in (64, 65, 66)


def test_settings_that_no_parameter_takes(place: Path) -> None:
    with pytest.raises(ExitgateError, match=r"`smae`.*`budget`"):
        Gate("small.yaml", settings={"smae": 1, "budget": -1})
    with pytest.raises(ExitgateError, match="`set`"):
        Gate("small.yaml", settings={"same": {1}})  # type: ignore[dict-item]


@pytest.mark.parametrize("run", ["", " a", "(breaker)", "x" * 1000])
def test_a_name_that_no_run_can_have(place: Path, run: str) -> None:
    with pytest.raises(ExitgateError, match="EP813"):
        Gate("small.yaml", run=run)


@each(
    ("parts", "said"),
    [
        ({"response": b"bytes"}, "`response` is a `bytes`"),
        ({"plan": 3}, "`plan` is a `int`"),
        ({"sources": {"notes": None, "log": 1.5}}, "`log` is a `float`"),
        ({"sources": {"plan": "x"}}, "`plan` is given among `sources`"),
        ({"turn": 7}, "`turn` is a `int`"),
        ({"turn": ""}, "`turn` is empty"),
        ({"number": 0}, "`number` is 0"),
        ({"number": True}, "`number` is a `bool`"),
        ({"tokens": -1}, "`tokens` is -1"),
        ({"tokens": 1.5}, "`tokens` is a `float`"),
        ({"exit_status": "1"}, "`exit_status` is a `str`"),
        ({"cost": -0.5}, "`cost` is -0.5"),
        ({"cost": float("nan")}, "`cost` is nan"),
        ({"cost": float("inf")}, "`cost` is inf"),
        ({"cost": "3"}, "`cost` is a `str`"),
        ({"cost": 1.7e308}, "`cost` is 1.7e+308"),
        ({"cost": 10**5000}, "`cost` has too many digits"),
        ({"tokens": 10**5000}, "`tokens` has too many digits"),
        ({"number": 10**13}, "`number` is 10000000000000"),
        ({"exit_status": -(2**33)}, "`exit_status` is -8589934592"),
        ({"facts": ["a"]}, "`facts` is a `list`"),
        ({"facts": {3: 4}}, "`facts` has a name that is a `int`"),
        ({"sources": "notes"}, "`sources` is a `str`"),
        ({"sources": {None: "x"}}, "`sources` has a name that is a `NoneType`"),
        ({"facts": {"a": {1}}}, "fact `a` is a `set`; a text, a number, a bool or a list"),
        ({"facts": {"a": ["b", [1]]}}, "item 1 of `a` is a `list`; a text, a number or a bool"),
        ({"facts": {"a": (None,)}}, "item 0 of `a` is a `NoneType`"),
    ],
)
def test_parts_of_an_iteration_that_cannot_be_used(parts: dict[str, object], said: str) -> None:
    with pytest.raises(ExitgateError) as refused:
        Iteration(**parts)  # type: ignore[arg-type]
    assert said in str(refused.value)
    assert (refused.value.exit_code, refused.value.diagnostics[0].code) == (64, "EP589")


def test_all_of_them_at_once() -> None:
    with pytest.raises(ExitgateError) as refused:
        Iteration(b"", number=-1, cost=-1, turn="", facts=3, sources=[])  # type: ignore[arg-type]
    assert len(refused.value.diagnostics) == 6


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"policy": b"small.yaml"}, "`policy` is a `bytes`; a text or a path"),
        ({"policy": 3}, "`policy` is a `int`"),
        ({"run": 5}, "`run` is a `int`; a text was expected"),
        ({"settings": [("same", 1)]}, "`settings` is a `list`"),
        ({"settings": {3: 1}}, "`settings` has a name that is a `int`"),
        ({"settings": {"same": 10**5000}}, "`same` is a whole number of"),
        ({"root": 5}, "`root` is a `int`"),
        ({"root": "nowhere"}, "`root` is `nowhere`, which is not a folder"),
        ({"state_dir": b"x"}, "`state_dir` is a `bytes`"),
    ],
)
def test_what_a_gate_cannot_be_made_of(place: Path, parts: dict[str, object], said: str) -> None:
    with pytest.raises(ExitgateError) as refused:
        Gate(**{"policy": "small.yaml", **parts})  # type: ignore[arg-type]
    assert said in str(refused.value)
    assert (refused.value.exit_code, refused.value.diagnostics[0].code) == (64, "EP589")
    assert not (place / "nowhere").exists()


def test_a_conversation_without_a_name_is_no_run_of_its_own(place: Path) -> None:
    gate = Gate("small.yaml", root=None)
    for name in (None, 5):
        with pytest.raises(ExitgateError, match="`run` is"):
            gate.for_run(name)  # type: ignore[arg-type]


def test_a_gate_that_only_looks_ends_no_run(place: Path) -> None:
    Gate("small.yaml").check("one")
    with pytest.raises(ExitgateError, match="record=False"):
        Gate("small.yaml", record=False).reset()
    assert Gate("small.yaml").reset()


def test_the_largest_numbers_are_taken(place: Path) -> None:
    gate = Gate("small.yaml", root=None)
    for _ in range(2):
        gate.check(Iteration("x", cost=10**12, tokens=10**12, exit_status=2**32 - 1))
    assert gate.check(Iteration("x", number=10**12)).is_exit


def test_a_policy_edited_under_a_gate_is_that_of_the_next_gate(place: Path) -> None:
    gate = Gate("small.yaml", root=None)
    (place / "small.yaml").write_text("no: policy\n")
    assert gate.check("one").go_on
    with pytest.raises(ExitgateError):
        Gate("small.yaml", root=None)


def test_what_is_not_text_in_a_response_is_no_trouble(place: Path) -> None:
    gate = Gate("small.yaml", root=None)
    for text in ("", "\x00\x07", "\ud800 lone", "é" * 1000, '{"type": "result"', "\r\n" * 50):
        assert gate.check(text).go_on


def test_an_iteration_does_not_change_with_what_it_was_made_of() -> None:
    facts: dict[str, str | int | float | bool | None] = {"a": 1}
    one = Iteration("x", facts=facts)
    facts["a"] = 2
    assert one == Iteration("x", facts={"a": 1})


class Colour(str, enum.Enum):  # noqa: UP042 - the older of two ways, which writes itself otherwise
    RED = "red"


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "true"), (False, "false"), (3, "3"), (0.5, "0.5"), (1e-7, "0.0000001"), (None, "unknown"),
     ("2h", "2h"), (Colour.RED, "red"), (1e21, "1000000000000000000000")],
)  # fmt: skip
def test_values_are_written_as_the_command_line_takes_them(value: object, text: str) -> None:
    assert written("x", value) == text


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_keep_their_value(value: float) -> None:
    assert float(written("x", value)) == value
    assert "e" not in written("x", value)


def test_there_is_nothing_to_explain_before_the_first_decision(place: Path) -> None:
    with pytest.raises(ExitgateError, match="EP815") as refused:
        Gate("small.yaml").explain()
    assert refused.value.exit_code == 66


def test_the_package_offers_what_it_says_and_nothing_else() -> None:
    for name in exitgate.__all__:
        assert getattr(exitgate, name) is not None
        assert name in dir(exitgate)
    with pytest.raises(AttributeError, match="`Gaet`"):
        exitgate.Gaet  # type: ignore[attr-defined]  # noqa: B018
