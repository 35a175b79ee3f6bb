"""Labels made by hand: every command, and labels that are never lost."""

from __future__ import annotations

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_loops import loop, policy

from exitgate.core.policy.compile import load_policy
from exitgate.recordings.replay.replay_pool import PolicyReplay
from exitgate.recordings.scoring.labelling import HEAD, HELP, TAIL, Session, ShownRun, runs_to_show, screen
from exitgate.recordings.scoring.labels import Label
from exitgate.recordings.unread import Unread
from exitgate.report.terminal import Style


def shown(folder: Path) -> tuple[ShownRun, ...]:
    loop(folder, "one", ["first answer", "second answer certain", "third answer"])
    loop(folder, "two", ["only answer"], cost=None)
    return runs_to_show([str(folder)], PolicyReplay("sure", load_policy(policy(folder))), [], Unread())


class Sat:
    """A session that was typed, what it said and what it saved."""

    def __init__(self, runs: tuple[ShownRun, ...], typed: str, before: tuple[Label, ...] = ()) -> None:
        self.said = ""
        self.saved: list[tuple[Label, ...]] = []

        def say(text: str) -> None:
            self.said += text

        def show(run: ShownRun, number: int, label: Label | None) -> str:
            return f"[{run.id} {number} {label.stop if label else '-'}]"

        Session(runs, before, say, show, self.saved.append).sit(typed.splitlines(keepends=True))

    @property
    def seen(self) -> list[str]:
        return [
            part.partition("]")[0]
            for part in self.said.split("[")[1:]
            if part.partition("]")[0].count(" ") == 2
        ]


def test_going_about(tmp_path: Path) -> None:
    sat = Sat(shown(tmp_path), "n\n\np\nj 3\nn\nj 0\n]\n]\n[\nq\nn\n")
    assert sat.seen == ["one 1 -", "one 2 -", "one 3 -", "one 2 -", "one 3 -", "two 1 -", "one 1 -"]
    assert "the run has 3 iterations; `]` goes to the next run" in sat.said
    assert "this is the first iteration" in sat.said
    assert "there is no other run in this direction" in sat.said
    assert sat.saved == []


def test_marks(tmp_path: Path) -> None:
    sat = Sat(shown(tmp_path), "n\ns\nidle, Complete\nnothing left\nr 2-3\n\n\n]\nnever\nopen end\nq\n")
    assert sat.saved == [
        (Label("one", 2, 2, classes=("idle", "complete"), note="nothing left"),),
        (Label("one", 2, 3),),
        (Label("one", 2, 3), Label("two", None, None, never=True, note="open end")),
    ]


def test_what_is_not_understood_changes_nothing(tmp_path: Path) -> None:
    sat = Sat(shown(tmp_path), "x\ns now\nr 3-2\nr 1-4\nj x\nr\n?\nn n\n")
    assert sat.saved == []
    assert sat.said.count(HELP) == 5
    assert sat.said.count("write `r A-B` with iterations from 1 to 3") == 3


def test_a_class_that_is_none_is_asked_for_again(tmp_path: Path) -> None:
    sat = Sat(shown(tmp_path), "s\nidel\nmurks\nidle\n\n")
    assert "`idel` is not a class; did you mean `idle`?" in sat.said
    assert "`murks` is not a class; classes: blocked, complete" in sat.said
    assert sat.saved == [(Label("one", 1, 1, classes=("idle",)),)]


def test_lines_that_end_in_the_middle_keep_what_is_known(tmp_path: Path) -> None:
    assert Sat(shown(tmp_path), "s\n").saved == [(Label("one", 1, 1),)]


def test_labels_that_are_there_are_kept_in_their_order(tmp_path: Path) -> None:
    before = (Label("elsewhere", 4, 4), Label("one", 3, 3), Label("more", None, None, never=True))
    sat = Sat(shown(tmp_path), "[\nr 1-2\n\n\nd\nd\n", before)
    assert sat.seen[:2] == ["two 1 -", "one 1 3"], "the first run without a label comes first"
    assert sat.saved == [
        (before[0], Label("one", 1, 2), before[2]),
        (before[0], before[2]),
    ]
    assert "the run has no label" in sat.said


def test_an_ending_of_an_id_is_the_runs_label_only_where_it_fits_one(tmp_path: Path) -> None:
    loop(tmp_path / "x", "night", ["a"])
    loop(tmp_path / "y", "night", ["b"])
    runs = runs_to_show([str(tmp_path)], PolicyReplay("sure", load_policy(policy(tmp_path))), [], Unread())
    assert all(run.id.endswith("night:night") for run in runs)
    sat = Sat(runs, "s\n\n\n", (Label("night", 1, 1),))
    assert sat.saved == [(Label("night", 1, 1), Label(runs[0].id, 1, 1))]
    sat = Sat(runs, "s\n\n\n", (Label("y/night:night", None, None, never=True),))
    assert [label.run for label in sat.saved[0]] == ["y/night:night", runs[0].id]


def test_two_labels_for_one_run_are_both_kept(tmp_path: Path) -> None:
    loop(tmp_path / "x", "night", ["a"])
    loop(tmp_path / "y", "night", ["b"])
    runs = runs_to_show([str(tmp_path)], PolicyReplay("sure", load_policy(policy(tmp_path))), [], Unread())
    before = (Label("x/night:night", 1, 1), Label(runs[0].id, 1, 1))
    sat = Sat(runs, "never\n\n", before)
    assert sat.seen[0].startswith(runs[1].id)
    assert sat.saved == [(*before, Label(runs[1].id, None, None, never=True))]


def test_the_policy_is_only_heard_when_asked(tmp_path: Path) -> None:
    runs = shown(tmp_path)
    assert "sure:" not in Sat(runs, "n\nn\nq\n").said
    sat = Sat(runs, "v\nn\nv\nq\n")
    assert "sure: CONTINUE" in sat.said
    assert "sure: EXIT complete, Sure: 90%" in sat.said


def test_lists_and_whole_responses(tmp_path: Path) -> None:
    sat = Sat(shown(tmp_path), "s\nidle\n\nl\na\n")
    assert "> one  3 iterations  1 idle\n  two  1 iteration  no label\n" in sat.said
    assert "first answer\n" in sat.said


def test_a_screen(tmp_path: Path) -> None:
    loop(tmp_path, "long", ["\n".join(f"line {n} \x1b[2J" + "x" * 200 for n in range(60))])
    (run,) = runs_to_show([str(tmp_path)], PolicyReplay("sure", load_policy(policy(tmp_path))), [], Unread())
    text = screen(run, 1, Label("long", 1, 1, classes=("idle",)), Style(width=60))
    assert "long  iteration 1 of 1  (label: 1 idle)" in text
    assert "0.50 USD, 3 tokens" in text
    assert f"... {60 - HEAD - TAIL} lines omitted; `a` shows all ..." in text
    assert "\x1b" not in text
    assert all(len(line) <= 60 for line in text.split("\n") if "line " in line)
    assert "\x1b" not in Sat((run,), "a\nv\nl\n").said


@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.one_of(
            st.sampled_from(["n", "s", "never", "r 1-2", "idle", "", "d", "]", "[", "j 2"]),
            st.text(max_size=8),
        ),
        max_size=25,
    )
)
def test_whatever_is_typed_other_labels_are_never_lost(tmp_path: Path, typed: list[str]) -> None:
    if not (tmp_path / "one").exists():
        shown(tmp_path)
    runs = runs_to_show([str(tmp_path)], PolicyReplay("sure", load_policy(policy(tmp_path))), [], Unread())
    other = Label("elsewhere", 4, 4, classes=("idle",), note="n")
    for saved in Sat(runs, "\n".join(typed), (other,)).saved:
        assert saved[0] == other
        assert len({label.run for label in saved}) == len(saved)
