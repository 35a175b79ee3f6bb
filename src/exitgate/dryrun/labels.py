"""Labels: where, by a person's judgement, recorded runs should have stopped. Read from `labels.yaml`."""

from __future__ import annotations

import os

from exitgate import opening
from exitgate.dryrun.labels_text import Marked, read_entries
from exitgate.model.counted import counted
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import code_of
from exitgate.policy.findings import Findings
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.model.place import Place

#: The file in a folder that is named in its place.
FILE_NAME = "labels.yaml"
#: Bytes of the largest file of labels.
LARGEST = 64_000_000
#: Codes of this room, one line each; `docs` reads them.
CODES = {
    "EP870": "a label for an unknown run, or a name that matches several runs",
    "EP871": "two labels for one run",
    "EP872": "a label's stop is not an iteration of the run",
    "EP873": "a label's class that is not a class of EXIT",
    "EP874": "the labels cannot be read or written",
    "EP875": "a sweep over a parameter that cannot be swept that way",
    "EP876": "too few runs",
    "EP877": "a fact that cannot be calibrated",
    "EP878": "a table of outcomes that cannot be used",
}


class Label(Value):
    """
    A person's mark on one run.

    Args:
        run: Id of the run, or an ending of it.
        first: The first iteration after which a stop is right, from 1; None with `never`.
        last: The last such iteration; None with `never`.
        never: Whether no stop would have been right.
        classes: Classes of exit that are right; none where any is.
        note: Why, for people.
    """

    __slots__ = ("classes", "first", "last", "never", "note", "run")

    def __init__(
        self,
        run: str,
        first: int | None,
        last: int | None,
        never: bool = False,
        classes: tuple[str, ...] = (),
        note: str = "",
    ) -> None:
        self.run = run
        self.first = first
        self.last = last
        self.never = never
        self.classes = classes
        self.note = note

    @property
    def stop(self) -> str:
        """The right stop as it is written: ``7``, ``4-5``, ``never``."""
        if self.never:
            return "never"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Labels(Value):
    """
    All labels of a file.

    Args:
        labels: In the order of the file.
        file: Its name, for diagnostics.
        marks: Where each label's `run` and `stop` are, in the same order; empty for labels of no file.
    """

    __slots__ = ("file", "labels", "marks")

    def __init__(
        self, labels: tuple[Label, ...], file: str = "", marks: tuple[tuple[Place, Place], ...] = ()
    ) -> None:
        self.labels = labels
        self.file = file
        self.marks = marks

    def of(self, run_id: str) -> Label | None:
        """Return the label of a run: the one with its id, else the one with the longest ending of it."""
        fitting = [label for label in self.labels if fits(label.run, run_id)]
        return max(fitting, key=lambda label: len(label.run), default=None)


def fits(written: str, run_id: str) -> bool:
    """Return whether `written` is the id, or an ending of it that begins where a word of the id does."""
    if written == run_id:
        return True
    return run_id.endswith(written) and not (run_id[-len(written) - 1].isalnum() and written[0].isalnum())


def load(path: str) -> Labels:
    """
    Return the labels of a file; of a folder, those of the file in it.

    Raises:
        ExitgateError: 65 with everything that is wrong in it; 66 when it does not exist, else 74 when it
            cannot be read.
    """
    path = in_folder(path)
    try:
        text = opening.content(path, LARGEST, links=True).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the labels `{path}` cannot be read: {reason}"
        help = "name a labels.yaml, or make one: `exitgate label PATH -o labels.yaml`"
        raise ExitgateError([Diagnostic("EP874", message, help=help)], code_of(error)) from error
    return read(text, path)


def in_folder(path: str) -> str:
    """Return the file of labels that a path means: a folder means its `labels.yaml`."""
    return os.path.join(path, FILE_NAME) if os.path.isdir(path) else path


def read(text: str, file: str) -> Labels:
    """Return the labels that `text` holds. Raises ExitgateError (65) with everything that is wrong in it."""
    findings = Findings()
    entries = read_entries(text, file, findings)
    seen: dict[str, Marked] = {}
    for entry in entries:
        first = seen.setdefault(entry.run, entry)
        if first is not entry:
            related = (("first", first.run_place),)
            message = f"a duplicate label for run `{entry.run}`"
            findings.error("EP871", message, entry.run_place, "keep one of them", related)
    findings.raise_errors()
    labels = (Label(e.run, e.first, e.last, e.never, e.classes, e.note) for e in entries)
    return Labels(tuple(labels), file, tuple((e.run_place, e.stop_place) for e in entries))


def matched(labels: Labels, iterations: dict[str, int]) -> dict[str, Label]:
    """
    Return the label of each run that has one, by the run's id.

    Args:
        labels: All labels.
        iterations: Id of every run that is there -> how many iterations it has.

    Raises:
        ExitgateError: 65, with every label that is for no run, for several, or stops behind its run's end.
    """
    found: dict[str, tuple[int, Label]] = {}
    problems: list[Diagnostic] = []
    for number, label in enumerate(labels.labels):
        run_place, stop_place = labels.marks[number] if labels.marks else (None, None)
        id, trouble, help = _run_of(label.run, iterations)
        if id is None:
            problems.append(Diagnostic("EP870", trouble, run_place, help))
            continue
        if id in found and len(found[id][1].run) >= len(label.run):
            message = f"`{label.run}` and `{found[id][1].run}` label the same run, `{id}`"
            problems.append(Diagnostic("EP871", message, run_place, "keep one of them"))
            continue
        if label.last is not None and label.last > iterations[id]:
            message = (
                f"the run `{id}` has {counted(iterations[id], 'iteration')} and cannot stop at {label.last}"
            )
            help = "write `never` if the run should not have stopped"
            problems.append(Diagnostic("EP872", message, stop_place, help))
            continue
        found[id] = (number, label)
    if problems:
        raise ExitgateError(problems)
    return {id: label for id, (_, label) in found.items()}


def _run_of(written: str, ids: Iterable[str]) -> tuple[str | None, str, str]:
    """Return the id that `written` stands for; or None, what is wrong, and what to do about it."""
    ids = list(ids)
    if written in ids:
        return written, "", ""
    fitting = [id for id in ids if fits(written, id)]
    if len(fitting) == 1:
        return fitting[0], "", ""
    if fitting:
        listed = ", ".join(f"`{id}`" for id in fitting[:3])
        return None, f"`{written}` matches {len(fitting)} runs: {listed}", "write more of the id"
    return None, f"there is no run `{written}`", _nearest(written, ids)


def _nearest(written: str, ids: list[str]) -> str:
    """Return the help for a run that does not exist: ids are compared whole and by their last part."""
    ends = {id.rstrip("/").rpartition("/")[2]: id for id in ids}
    from exitgate.policy.suggestion import nearest_name

    near = nearest_name(written, ids)
    if near is None:
        end = nearest_name(written.rpartition("/")[2], ends)
        near = ends[end] if end is not None else None
    return f"did you mean `{near}`?" if near is not None else suggestion(written, ids, "runs")
