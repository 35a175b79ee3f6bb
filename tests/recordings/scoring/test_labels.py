"""`labels.yaml`: read strictly, told about at its places, matched with runs, written without loss."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from exitgate.core.model.decision import CLASSES
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy import shipped
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.recordings.scoring.labels import Label, Labels, labels_yaml, load, matched, read, stop_of

GOOD = """\
labels:
  - {run: night-1, stop: 7, class: complete}
  - run: folder/night-2
    stop: 4-5
    class: [idle, complete]
    note: "nothing was left: see the plan"
  - {run: 007, stop: never}
"""


def told(text: str) -> list[tuple[str, str]]:
    with pytest.raises(ExitgateError) as caught:
        read(text, "l.yaml")
    assert caught.value.exit_code == 65
    return [(d.code, str(d.place)) for d in caught.value.diagnostics]


def test_labels_are_read() -> None:
    one, two, three = read(GOOD, "l.yaml").labels
    assert (one.run, one.first, one.last, one.never, one.classes) == ("night-1", 7, 7, False, ("complete",))
    assert (two.first, two.last, two.classes, two.note) == (
        4, 5, ("idle", "complete"), "nothing was left: see the plan",
    )  # fmt: skip
    assert (three.run, three.never, three.first) == ("007", True, None)
    assert [label.stop for label in (one, two, three)] == ["7", "4-5", "never"]


def test_everything_that_is_wrong_is_told_at_once_and_where_it_stands() -> None:
    text = """\
labels:
  - {run: a, stop: 0, class: compleet}
  - {run: b, stop: 4-5, clas: idle}
  - {run: c, stop: 5-4}
  - {stop: 1}
  - {run: e, stop: never, class: idle}
  - {run: f, stop: [1]}
  - {run: g, stop: 1.5, class: []}
"""
    assert told(text) == [
        ("EP872", "l.yaml:2:20"), ("EP873", "l.yaml:2:30"), ("EP201", "l.yaml:3:25"),
        ("EP872", "l.yaml:4:20"), ("EP202", "l.yaml:5:5"), ("EP873", "l.yaml:6:27"),
        ("EP872", "l.yaml:7:20"), ("EP872", "l.yaml:8:20"), ("EP873", "l.yaml:8:32"),
    ]  # fmt: skip


def test_yaml_itself_is_strict() -> None:
    assert told("labels: [{run: a, stop: 1, stop: 2}]")[0][0] == "EP105"
    assert told("labels: [&a {run: a, stop: 1}, *a]")[0][0] == "EP106"
    with pytest.raises(ExitgateError) as caught:
        read("- run: a\n", "l.yaml")
    assert caught.value.diagnostics[0].help == "start with `labels:`"


def test_a_second_label_for_a_run_points_at_the_first() -> None:
    with pytest.raises(ExitgateError) as caught:
        read("labels:\n  - {run: a, stop: 1}\n  - {run: a, stop: 2}\n", "l.yaml")
    (problem,) = caught.value.diagnostics
    assert problem.code == "EP871"
    assert [str(place) for _, place in problem.related] == ["l.yaml:2:11"]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"labels: [{run: \xe9, stop: 1}]")
    (tmp_path / "circle.yaml").symlink_to("circle.yaml")
    wanted = {"none.yaml": 66, "": 66, "circle.yaml": 74, "latin.yaml": 65}
    for name, code in wanted.items():
        with pytest.raises(ExitgateError) as caught:
            load(str(tmp_path / name))
        assert caught.value.exit_code == code
        assert caught.value.diagnostics[0].code == "EP874"


def test_a_run_is_named_by_its_id_or_by_an_ending_of_it() -> None:
    found = matched(
        Labels((Label("night-2", 1, 1), Label("1", 2, 2))),
        {"a/night-2": 3, "b:1": 3, "night-22": 3, "x31": 3},
    )
    assert {id: label.first for id, label in found.items()} == {"a/night-2": 1, "b:1": 2}


def test_the_whole_id_comes_before_endings() -> None:
    found = matched(Labels((Label("a", 1, 1),)), {"a": 1, "x/a": 1})
    assert set(found) == {"a"}


@pytest.mark.parametrize(
    ("label", "code", "said"),
    [
        (Label("nihgt-2", 1, 1), "EP870", "did you mean `a/night-2`?"),
        (Label("zzz", 1, 1), "EP870", "runs: `a/night-2`, `b/x`, `c/x`"),
        (Label("x", 1, 1), "EP870", "write more of the id"),
        (Label("night-2", 3, 4), "EP872", "write `never` if the run should not have stopped"),
    ],
)
def test_labels_of_no_run_say_what_to_do(label: Label, code: str, said: str) -> None:
    with pytest.raises(ExitgateError) as caught:
        matched(Labels((label,)), {"a/night-2": 3, "b/x": 1, "c/x": 1})
    (problem,) = caught.value.diagnostics
    assert (problem.code, problem.help, caught.value.exit_code) == (code, said, 65)


def test_all_labels_without_a_run_are_told_at_once_with_their_places() -> None:
    found = read("labels:\n  - {run: q, stop: 1}\n  - {run: b, stop: 9}\n  - {run: b/b, stop: 1}\n", "l.yaml")
    with pytest.raises(ExitgateError) as caught:
        matched(found, {"b/b": 3})
    assert [str(d.place) for d in caught.value.diagnostics] == ["l.yaml:2:11", "l.yaml:3:20"]


def test_two_labels_for_one_run_under_two_names() -> None:
    with pytest.raises(ExitgateError) as caught:
        matched(Labels((Label("a/b", 1, 1), Label("b", 2, 2))), {"a/b": 3})
    assert [d.code for d in caught.value.diagnostics] == ["EP871"]


def test_of_takes_the_longest_ending() -> None:
    found = Labels((Label("b", 1, 1), Label("a/b", 2, 2)))
    assert (found.of("x/a/b") or found.labels[0]).first == 2
    assert found.of("ab") is None


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
STOPS = st.one_of(
    st.none(), st.tuples(st.integers(1, 10**6), st.integers(0, 50)).map(lambda pair: (pair[0], sum(pair)))
)


@st.composite
def label_lists(draw: st.DrawFn) -> tuple[Label, ...]:
    runs = draw(st.lists(TEXTS.filter(bool), unique=True, max_size=4))
    found = []
    for run in runs:
        stop, note = draw(STOPS), draw(TEXTS)
        classes = tuple(draw(st.lists(st.sampled_from(CLASSES), unique=True, max_size=3)))
        first, last = stop or (None, None)
        found.append(Label(run, first, last, stop is None, () if stop is None else classes, note))
    return tuple(found)


@settings(max_examples=50)
@given(label_lists())
def test_what_is_written_is_read_again_and_fits_the_schema(labels: tuple[Label, ...]) -> None:
    text = labels_yaml(labels)
    assert read(text, "l.yaml").labels == labels
    assert not list(
        Draft202012Validator(shipped.schema("labels")).iter_errors(load_yaml(text, "l.yaml").data)
    )


@settings(max_examples=50)
@given(st.one_of(TEXTS, st.from_regex(r"[0-9٣²]{0,12}(-[0-9]{0,12})?", fullmatch=True)))
def test_a_stop_is_a_number_a_range_or_nothing(text: str) -> None:
    bounds = stop_of(text)
    if bounds is not None and text != "never":
        assert 1 <= bounds[0] <= bounds[1]


@settings(max_examples=50)
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(["labels:", " - {", "run: ", "stop: ", "1", "}", "\n"])).map("".join),
    )
)
def test_no_text_does_more_than_be_told_about(text: str) -> None:
    try:
        read(text, "l.yaml")
    except ExitgateError as error:
        assert error.diagnostics and error.exit_code == 65


@pytest.mark.parametrize("stop", [0, -1, 1.5, "x", "5-", True, None, [1]])
def test_editors_refuse_wrong_stops_too(stop: object) -> None:
    validator = Draft202012Validator(shipped.schema("labels"))
    assert list(validator.iter_errors({"labels": [{"run": "a", "stop": stop}]}))
    assert not list(validator.iter_errors({"labels": [{"run": "a", "stop": "4-5"}]}))


def test_aliases_are_answered_in_words_of_labels() -> None:
    with pytest.raises(ExitgateError) as caught:
        read("labels:\n  - &a {run: one, stop: 1}\n", "l.yaml")
    assert [(d.code, d.help) for d in caught.value.diagnostics] == [("EP106", "write it out for each run")]
