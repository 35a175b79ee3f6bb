"""The text of a `labels.yaml`, taken apart with the place of everything, and written."""

from __future__ import annotations

from exitgate.facts.words import encodable
from exitgate.model.value import Value
from exitgate.model.verdict import CLASSES
from exitgate.policy.document import read_document
from exitgate.policy.findings import Findings
from exitgate.policy.schema_check import check_schema
from exitgate.policy.shipped import schema
from exitgate.policy.suggestion import suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from exitgate.dryrun.labels import Label
    from exitgate.model.place import Place
    from exitgate.policy.part import Part

NEVER = "never"
#: Help in words of labels, by the code of what the reader of YAML finds.
_HELP = {"EP111": "start with `labels:`", "EP106": "write it out for each run"}
#: Digits of an iteration's number: more than any run has, and cheap to read.
_DIGITS = 9


class Marked(Value):
    """One entry as it is written, with the places of its run and its stop."""

    __slots__ = ("classes", "first", "last", "never", "note", "run", "run_place", "stop_place")

    def __init__(
        self,
        run: str,
        first: int | None,
        last: int | None,
        never: bool,
        classes: tuple[str, ...],
        note: str,
        run_place: Place,
        stop_place: Place,
    ) -> None:
        self.run = run
        self.first = first
        self.last = last
        self.never = never
        self.classes = classes
        self.note = note
        self.run_place = run_place
        self.stop_place = stop_place


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


def _entry(part: Part, findings: Findings) -> Marked | None:
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


def _stop(part: Part, findings: Findings) -> tuple[int, int] | None:
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


def _classes(part: Part | None, findings: Findings) -> tuple[str, ...]:
    if part is None:
        return ()
    written = part.items if isinstance(part.value, tuple) else (part,)
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
