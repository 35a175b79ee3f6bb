"""Labels are written as they are made: into the user's own file, and all else in it stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from desk_of_project import Desk
from hypothesis import given
from hypothesis import strategies as st

from exitgate.analysis.yaml_values import has_content
from exitgate.core.model.decision import CLASSES
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.scoring.edited_labels import with_label
from exitgate.recordings.scoring.labels import Label, read

OURS, THEIRS = "runs/labels.yaml", "runs/kims.yaml"


def number(one: Desk, run: str) -> int:
    return next(line.n for line in one.workspace.lines if line.run.id.endswith(run))


def labelled(one: Desk, run: str) -> dict[str, object]:
    rows = one.workspace.rows()["rows"]
    assert isinstance(rows, list)
    return next(row for row in rows if row["id"].endswith(run))


def test_a_label_is_changed_in_place_and_taken_back(desk: Callable[..., Desk]) -> None:
    one = desk(OURS)
    before = one.text(OURS)
    run = number(one, "search-index")
    assert one.post("label", n=run, stop="6-7", classes=["complete", "idle"], note="  two\nlines ") == {
        "written": ["labels.yaml"]
    }
    text = one.text(OURS)
    assert "{run: search-index, stop: 6-7, class: [complete, idle], note: two lines}" in text
    assert text.splitlines()[0] == before.splitlines()[0], "comments stay"
    assert len(text.splitlines()) == len(before.splitlines())
    found = labelled(one, "search-index")
    assert found["label"]["first"] == 6  # type: ignore[index]
    assert [
        len(event["rows"]) for event in one.events if event["type"] == "rows" and "policy" not in event
    ] == [1]  # type: ignore[arg-type]
    one.post("keep-undo")
    assert one.text(OURS) == before
    assert labelled(one, "search-index")["label"]["first"] == 7  # type: ignore[index]
    one.post("label", n=run, stop=None)
    assert "search-index" not in one.text(OURS)
    assert labelled(one, "search-index")["grades"] == [None]
    one.post("label", n=run, stop="never")
    assert one.text(OURS).endswith("  - run: search-index\n    stop: never\n")


def test_the_first_label_makes_a_file_beside_the_runs(desk: Callable[..., Desk], project: Path) -> None:
    (project / OURS).unlink()
    one = desk()
    run = number(one, "search-index")
    one.post("label", n=run, stop="7", classes=["complete"])
    assert one.workspace.labelled.own is not None
    assert [label.stop for label in read(one.text(OURS), "").labels] == ["7"]
    one.post("keep-undo")
    assert not (project / OURS).exists()


def test_labels_that_were_not_named_are_not_touched(desk: Callable[..., Desk]) -> None:
    one = desk()
    before = one.text(OURS)
    with pytest.raises(ExitgateError, match="is there already"):
        one.post("label", n=1, stop="1")
    assert one.text(OURS) == before


@pytest.mark.parametrize("stop", ["0", "99", "3-2", "x", "", "1-99999999999999999999"])
def test_a_stop_that_cannot_be_is_refused(desk: Callable[..., Desk], stop: str) -> None:
    one = desk(OURS)
    before = one.text(OURS)
    with pytest.raises(ExitgateError, match="not a stop of this run"):
        one.post("label", n=1, stop=stop)
    with pytest.raises(ExitgateError, match="not a class"):
        one.post("label", n=1, stop="1", classes=["done"])
    assert one.text(OURS) == before


def test_labels_of_runs_that_are_not_here_are_said_and_stay(desk: Callable[..., Desk], project: Path) -> None:
    one = desk(OURS)
    text = one.text(OURS) + "  - {run: gone, stop: 1}\n"
    (project / OURS).write_text(text, encoding="utf-8")
    with pytest.raises(ExitgateError, match="there is no run `gone`"):
        one.post("label", n=1, stop="1")
    assert one.text(OURS) == text, "nothing is written"


def test_labels_of_runs_elsewhere_are_the_projects(
    desk: Callable[..., Desk], project: Path, tmp_path: Path
) -> None:
    (project / OURS).unlink()
    one = desk()
    one.workspace.paths = (str(tmp_path / "home" / "sessions"),)
    one.post("label", n=1, stop="1")
    assert one.text("labels.yaml").endswith("stop: 1\n")


def test_two_people_who_disagree_are_shown(desk: Callable[..., Desk], project: Path) -> None:
    theirs = "labels:\n- {run: search-index, stop: 3}\n- {run: csv-export, stop: 4, class: complete}\n"
    theirs += "- {run: login-session, stop: never}\n"
    (project / THEIRS).write_text(theirs, encoding="utf-8")
    one = desk(OURS, THEIRS)
    assert one.workspace.state()["labels"] == {
        "path": str(project / OURS),
        "people": ["labels.yaml", "kims.yaml"],
    }
    found = {
        run: labelled(one, run)["disputed"]
        for run in ("search-index", "csv-export", "login-session", "deploy-keys")
    }
    assert found == {"search-index": True, "csv-export": False, "login-session": True, "deploy-keys": False}
    others = labelled(one, "search-index")["others"]
    assert [(label["by"], label["text"]) for label in others] == [("kims.yaml", "3")]  # type: ignore[attr-defined]
    one.post("label", n=number(one, "search-index"), stop="3-7", classes=["complete"])
    assert labelled(one, "search-index")["disputed"] is False
    assert (project / THEIRS).read_text(encoding="utf-8") == theirs


LABELS = st.builds(
    lambda run, bounds, never, classes, note: Label(
        run,
        *((None, None) if never else bounds),
        never=never,
        classes=() if never else tuple(classes),
        note=note,
    ),
    st.sampled_from(["a", "b/a", "c", "d e", "- x: y", "é#1"]),
    st.tuples(st.integers(1, 50), st.integers(0, 9)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    st.booleans(),
    st.lists(st.sampled_from(CLASSES), max_size=2, unique=True),
    st.sampled_from(["", "a note", "with: colon # and hash", '"quoted"', "[x]"]),
)


@given(st.lists(st.tuples(LABELS, st.booleans()), min_size=1, max_size=12))
def test_any_labels_one_after_the_other(made: list[tuple[Label, bool]]) -> None:
    text, wanted = "# kept\n", {}
    for label, gone in made:
        text = with_label(text, "labels.yaml", label.run, None if gone else label)
        wanted.pop(label.run, None)
        if not gone:
            wanted[label.run] = label
        if has_content(text):
            assert {one.run: one for one in read(text, "labels.yaml").labels} == wanted
        assert text.startswith("# kept\n")


def test_an_entry_that_names_a_run_by_its_end_is_changed_and_removed(
    desk: Callable[..., Desk], project: Path
) -> None:
    (project / OURS).write_text("labels:\n- {run: index, stop: 7}  # sure\n", encoding="utf-8")
    one = desk(OURS)
    run = number(one, "search-index")
    one.post("label", n=run, stop="5")
    assert one.text(OURS) == "labels:\n- {run: index, stop: 5}  # sure\n"
    one.post("label", n=run, stop=None)
    assert labelled(one, "search-index")["label"] is None
    assert "index" not in one.text(OURS)


def test_comments_between_entries_stay_when_one_is_removed(desk: Callable[..., Desk], project: Path) -> None:
    text = "labels:\n- run: search-index\n  stop: 7\n# Kim asked\n\n- run: csv-export\n  stop: 3\n"
    (project / OURS).write_text(text, encoding="utf-8")
    one = desk(OURS)
    one.post("label", n=number(one, "search-index"), stop=None)
    assert one.text(OURS) == text.replace("- run: search-index\n  stop: 7\n", "")


def test_the_second_label_goes_where_the_first_went(
    desk: Callable[..., Desk], project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / OURS).unlink()
    (project / "below").mkdir()
    (project / "runs").rename(project / "below" / "runs")
    monkeypatch.chdir(project / "below")
    one = Desk(project / "below", (), {"in force": None})
    for run in (1, 2):
        one.post("label", n=run, stop="1")
    assert [path.relative_to(project).as_posix() for path in project.rglob("labels.yaml")] == [
        "below/runs/labels.yaml"
    ]
    assert len(read(one.text(OURS), "").labels) == 2


@pytest.mark.parametrize(
    ("path", "file"),
    [("runs/*/*.jsonl", OURS), ("run?/**", "labels.yaml"), ("https://a.example/runs.zip", "labels.yaml")],
)
def test_labels_of_a_glob_or_an_address_make_no_folder(
    desk: Callable[..., Desk], project: Path, path: str, file: str
) -> None:
    (project / OURS).unlink()
    before = set(project.rglob("*"))
    one = desk()
    one.workspace.paths = (path,)
    one.post("label", n=1, stop="1")
    assert set(project.rglob("*")) - before == {project / file}


def test_a_label_that_is_not_there_makes_no_file(desk: Callable[..., Desk], project: Path) -> None:
    (project / OURS).unlink()
    one = desk()
    assert one.post("label", n=1, stop=None) == {"written": []}
    assert not (project / OURS).exists()
    assert one.workspace.labelled.own is None
