"""A draft that names what its text does not have any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.core.model.diagnostic import ExitgateError
from exitgate.surfaces.studio.workspace.fitting import fitting
from exitgate.surfaces.studio.workspace.policies import LARGEST, Draft, Origin

TEXT = """\
policy: own
format: 1
version: 1.0.0
parameters:
  goal: {type: count, default: 3, min: 1}
rules:
  - {id: first, when: run.iterations >= $goal, exit: review, because: enough}
  - {id: second, when: run.iterations >= 4, exit: stuck, because: enough}
  - {id: third, when: run.iterations >= 5, exit: stuck, because: enough}
"""


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    own = tmp_path / "own.yaml"
    own.write_text(TEXT, encoding="utf-8")
    return Origin("own", str(own), {}, str(tmp_path))


def test_what_the_text_has_stays(origin: Origin) -> None:
    whole = Draft({"goal": 5}, {"third": "second"}, ("first",), ("second",), TEXT + "# a word\n")
    assert fitting(origin, whole) == (whole, ())
    assert fitting(origin, Draft({"other": 1})) == (Draft({"other": 1}), ()), (
        "its own file says what is wrong"
    )


def test_what_it_does_not_have_is_left_out_and_named(origin: Origin) -> None:
    text = TEXT.replace("goal", "aim").replace("second", "last")
    draft = Draft(
        {"goal": 5, "aim": 2},
        {"third": "second", "first": "third", "second": "first"},
        ("second", "third"),
        ("second",),
        text,
    )
    fits, dropped = fitting(origin, draft)
    assert fits == Draft({"aim": 2}, {"first": "third"}, ("third",), (), text)
    assert dropped == ("goal", "second")
    assert origin.settled(fits).policy.parameters["aim"].value == 2


def test_a_text_that_cannot_be_used_says_why(origin: Origin) -> None:
    with pytest.raises(ExitgateError) as caught:
        fitting(origin, Draft({"goal": 5}, text=TEXT.replace("exit:", "exti:")))
    assert caught.value.diagnostics[0].place is not None


def test_a_value_that_does_not_fit_is_wrong_and_not_left_out(origin: Origin) -> None:
    draft = Draft({"goal": 0}, text=TEXT)
    assert fitting(origin, draft) == (draft, ())
    with pytest.raises(ExitgateError):
        origin.settled(draft)


def test_a_text_that_no_file_could_have_is_refused(origin: Origin) -> None:
    with pytest.raises(ExitgateError, match="bytes"):
        fitting(origin, Draft(text="#" + "🙂" * (LARGEST // 4)))
    fitting(origin, Draft(text="#" * LARGEST))
