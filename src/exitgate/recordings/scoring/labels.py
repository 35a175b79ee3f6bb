"""Labels: where, by a person's judgement, recorded runs should have stopped. Read from `labels.yaml`."""

from __future__ import annotations

import os
from collections.abc import Iterable

from msgspec import Struct

from exitgate.core.facts.text.words import encodable
from exitgate.core.model.decision import CLASSES, code_of
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.model.display import counted
from exitgate.core.model.spelling import suggestion
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.policy.shipped import schema
from exitgate.core.policy.yaml.document import read_document
from exitgate.core.policy.yaml.node import YamlNode
from exitgate.core.system import safe_files

#: The file in a folder that is named in its place.
FILE_NAME = "labels.yaml"
#: Bytes of the largest file of labels.
LARGEST = 64_000_000
#: Codes of this package, one line each; `docs` reads them.
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


class Label(Struct, frozen=True):
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

    run: str
    first: int | None
    last: int | None
    never: bool = False
    classes: tuple[str, ...] = ()
    note: str = ""

    @property
    def stop(self) -> str:
        """The right stop as it is written: ``7``, ``4-5``, ``never``."""
        if self.never:
            return "never"
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


class Labels(Struct, frozen=True):
    """
    All labels of a file.

    Args:
        labels: In the order of the file.
        file: Its name, for diagnostics.
        marks: Where each label's `run` and `stop` are, in the same order; empty for labels of no file.
    """

    labels: tuple[Label, ...]
    file: str = ""
    marks: tuple[tuple[Location, Location], ...] = ()

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
    return read(text_of(path), path)


def text_of(path: str) -> str:
    """Return the text of a file of labels. Raises ExitgateError (66, 74)."""
    try:
        return safe_files.content(path, LARGEST, links=True).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        message = f"the labels `{path}` cannot be read: {reason}"
        help = "name a labels.yaml, or make one: `exitgate label PATH -o labels.yaml`"
        raise ExitgateError([Diagnostic("EP874", message, help=help)], code_of(error)) from error


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
    from exitgate.core.model.spelling import nearest_name

    near = nearest_name(written, ids)
    if near is None:
        end = nearest_name(written.rpartition("/")[2], ends)
        near = ends[end] if end is not None else None
    return f"did you mean `{near}`?" if near is not None else suggestion(written, ids, "runs")


# The text of a `labels.yaml`, taken apart with the place of everything, and written.

NEVER = "never"
#: Help in words of labels, by the code of what the reader of YAML finds.
_HELP = {"EP111": "start with `labels:`", "EP106": "write it out for each run"}
#: Digits of an iteration's number: more than any run has, and cheap to read.
_DIGITS = 9


class Marked(Struct, frozen=True):
    """One entry as it is written, with the places of its run and its stop."""

    run: str
    first: int | None
    last: int | None
    never: bool
    classes: tuple[str, ...]
    note: str
    run_place: Location
    stop_place: Location


def read_entries(text: str, file: str, findings: Findings) -> tuple[Marked, ...]:
    """Return the entries of a `labels.yaml`; what is wrong with it goes into `findings`."""
    own = Findings()
    document = read_document(text, file, own)
    for found in own.sorted():
        # The reader of YAML thinks of policies.
        findings.take(found, _HELP.get(found.code, found.help))
    if document is None:
        return ()
    findings.know(document.lines)
    before = findings.errors()
    root, _ = check_schema(document.root, schema("labels"), findings)
    labels = root.get("labels")
    entries = [_entry(part, findings) for part in (labels.items if labels is not None else ())]
    if findings.errors() > before:
        return ()
    return tuple(entry for entry in entries if entry is not None)


def _entry(part: YamlNode, findings: Findings) -> Marked | None:
    run, stop = part.get("run"), part.get("stop")
    classes = _classes(part.get("class"), findings)
    bounds = _stop(stop, findings) if stop is not None else None
    if run is None or stop is None:
        return None  # reported by the schema
    note = part.get("note")
    never = bounds == (0, 0)
    if never and classes:
        help = "remove the class, or write where the run should have stopped"
        findings.error(
            "EP873", "a run that should not have stopped has no class", part.fields["class"].label, help
        )
    if bounds is None:
        return None
    first, last = (None, None) if never else bounds
    said = note.text if note is not None else ""
    return Marked(run.text, first, last, never, classes, said, run.place, stop.place)


def _stop(part: YamlNode, findings: Findings) -> tuple[int, int] | None:
    """Return the first and last right iteration, zeros for `never`, None where it is neither."""
    bounds = stop_of(part.text) if not part.fields and not part.items else None
    if bounds is None:
        message = f"`{part.text}` is not an iteration" if part.text else "this is not an iteration"
        findings.error(
            "EP872", message, part.place, "write a number of at least 1, a range `4-5`, or `never`"
        )
    return bounds


def stop_of(text: str) -> tuple[int, int] | None:
    """Return the first and last iteration that `7`, `4-5` names, zeros for `never`, None for all else."""
    if text == NEVER:
        return 0, 0
    low, dash, high = (part.strip() for part in text.partition("-"))
    numbers = [low, high] if dash else [low, low]
    if not all(n.isascii() and n.isdecimal() and len(n) <= _DIGITS for n in numbers):
        return None
    first, last = int(numbers[0]), int(numbers[1])
    return (first, last) if 1 <= first <= last else None


def _classes(part: YamlNode | None, findings: Findings) -> tuple[str, ...]:
    if part is None:
        return ()
    written = part.items if part.is_sequence else (part,)
    if not written or part.fields:
        findings.error("EP873", "not a class", part.place, "write a class such as `complete`")
    for one in written:
        if one.value not in CLASSES and not part.fields:
            help = suggestion(one.text, CLASSES, "classes")
            findings.error("EP873", f"`{one.text}` is not a class of EXIT", one.place, help)
    return tuple(dict.fromkeys(one.text for one in written if one.value in CLASSES))


def labels_yaml(labels: Iterable[Label]) -> str:
    """Return the text of a `labels.yaml`; reading it gives the same labels."""
    lines = ["format: 1"]
    entries = [line for label in labels for line in _written(label)]
    return "\n".join([*lines, *(["labels:", *entries] if entries else ["labels: []"])]) + "\n"


def _written(label: Label) -> list[str]:
    lines = [f"  - run: {_quoted(label.run)}", f"    stop: {label.stop}"]
    if len(label.classes) == 1:
        lines.append(f"    class: {label.classes[0]}")
    elif label.classes:
        lines.append(f"    class: [{', '.join(label.classes)}]")
    return [*lines, f"    note: {_quoted(label.note)}"] if label.note else lines


def _quoted(text: str) -> str:
    """Return a text in double quotes as YAML reads it, everything unprintable escaped; no lone surrogates."""
    text = encodable(text)
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}
    return '"' + "".join(escapes.get(c) or (c if c.isprintable() else f"\\U{ord(c):08X}") for c in text) + '"'
