"""Where runs should have stopped: the user's own labels, by which runs are judged, and those of others."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from exitgate.recordings.scoring.labels import Label, Labels, matched


class Labelled:
    """
    The labels of all people.

    Args:
        files: Of each person; the first is the user's own.
    """

    def __init__(self, files: Sequence[Labels] = ()) -> None:
        self.files = tuple(files)
        self._lengths: dict[str, int] = {}
        self._marks: list[dict[str, Label]] = [{} for _ in self.files]

    @property
    def own(self) -> Labels | None:
        """The user's own file."""
        return self.files[0] if self.files else None

    @property
    def marks(self) -> Mapping[str, Label]:
        """The user's own labels by the ids of runs."""
        return self._marks[0] if self._marks else {}

    @property
    def people(self) -> tuple[str, ...]:
        """What the files are called, the user's own first: as short as tells them apart."""
        names = [os.path.basename(one.file) for one in self.files]
        if len(set(names)) == len(names):
            return tuple(names)
        return tuple(one.file for one in self.files)

    def match(self, lengths: Mapping[str, int]) -> None:
        """
        Find the label of each run.

        Args:
            lengths: Id of a run -> its iterations.

        Raises:
            ExitgateError: 65, a label fits no run or several.
        """
        self._lengths = dict(lengths)
        self._marks = [dict(matched(one, self._lengths)) for one in self.files]

    def check(self, labels: Labels) -> None:
        """Raise `ExitgateError` where the user's own labels could not be these, as `match` does."""
        matched(labels, self._lengths)

    def take(self, labels: Labels) -> None:
        """Take the user's own labels as they now are. Raises as `match`, and then nothing changes."""
        marks = dict(matched(labels, self._lengths))
        self.files = (labels, *self.files[1:])
        self._marks = [marks, *self._marks[1:]]

    def of(self, run: str) -> Label | None:
        """Return the user's own label of a run."""
        return self.marks.get(run)

    def json(self, run: str) -> dict[str, object]:
        """Return all labels of a run, and whether people disagree on it."""
        found = [
            (name, marks[run]) for name, marks in zip(self.people, self._marks, strict=True) if run in marks
        ]
        own = self.marks.get(run)
        others = [label_json(label, name) for name, label in found if label is not own]
        labels = [label for _, label in found]
        disputed = any(_apart(one, other) for at, one in enumerate(labels) for other in labels[:at])
        return {
            "label": None if own is None else label_json(own, self.people[0]),
            "others": others, "disputed": disputed,
        }  # fmt: skip


def label_json(label: Label, by: str) -> dict[str, object]:
    """Return a label as JSON."""
    return {
        "text": label.stop, "first": label.first, "last": label.last, "never": label.never,
        "classes": list(label.classes), "note": label.note, "by": by,
    }  # fmt: skip


def _apart(one: Label, other: Label) -> bool:
    """Return whether no stop would be right by both labels."""
    if one.never or other.never:
        return one.never != other.never
    if one.classes and other.classes and not set(one.classes) & set(other.classes):
        return True
    first, last = (one.first or 0, one.last or 0), (other.first or 0, other.last or 0)
    return first[1] < last[0] or last[1] < first[0]
