"""Labels in the user's own file: entries are changed one by one, comments and order stay."""

from __future__ import annotations

from exitgate.analysis.yaml_values import NotEditableError, add_item, has_content, remove, set_value
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.scoring.labels import Label, labels_yaml, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def with_label(text: str, file: str, run: str, label: Label | None) -> str:
    """
    Return the text of a `labels.yaml` with another label for one run.

    Args:
        text: Empty for a file that does not exist yet.
        file: Its name, for messages.
        run: The run as its entry writes it; without an entry, one is added.
        label: The label; None takes the entry away.

    Raises:
        ExitgateError: 65, the file has mistakes.
        NotEditableError: It cannot be changed without a risk to what else it says.
    """
    known = _entries(text, file)
    at = next((place for place, one in enumerate(known) if one.run == run), None)
    wanted = list(known)
    if at is not None:
        wanted[at : at + 1] = [] if label is None else [label]
    elif label is not None:
        wanted.append(label)
    new = _changed(text, at, run, label)
    if [*map(_said, _entries(new, file))] != [*map(_said, wanted)]:
        raise NotEditableError("it would not say what was asked for")
    return new


def with_labels(text: str, file: str, before: Sequence[Label], after: Sequence[Label]) -> str:
    """
    Return the text of a `labels.yaml` with what is different between two lists of labels.

    A file that is new, or that holds no comment and cannot be changed entry by entry, is written whole.

    Raises:
        ExitgateError: 65, the file has mistakes.
        NotEditableError: It cannot be changed without a risk to what else it says.
    """
    known = {one.run: one for one in _entries(text, file)}
    old, new = {one.run: one for one in before}, {one.run: one for one in after}
    changes = {run: new.get(run) for run in (*old, *new) if old.get(run) != new.get(run)}
    whole = {run: label for run, label in {**known, **changes}.items() if label is not None}
    if not has_content(text) and "#" not in text:
        return labels_yaml(whole.values())
    try:
        for run, label in changes.items():
            text = with_label(text, file, run, label)
    except NotEditableError:
        if "#" in text:
            raise
        return labels_yaml(whole.values())
    return text


def _entries(text: str, file: str) -> tuple[Label, ...]:
    return read(text, file).labels if has_content(text) else ()


def _changed(text: str, at: int | None, run: str, label: Label | None) -> str:
    if label is None:
        return text if at is None else remove(text, ("labels", at))
    wanted = _entry(label)
    if at is None:
        whole = text if has_content(text) else set_value(text, ("format",), 1)
        return add_item(whole, ("labels",), {"run": run, **wanted})
    for key in ("stop", "class", "note"):
        path = ("labels", at, key)
        if key in wanted:
            text = set_value(text, path, wanted[key])
        elif _has(text, path):
            text = remove(text, path)
    return text


def _entry(label: Label) -> dict[str, object]:
    stop: object = label.first if label.first == label.last and not label.never else label.stop
    found: dict[str, object] = {"stop": stop}
    if label.classes:
        found["class"] = label.classes[0] if len(label.classes) == 1 else list(label.classes)
    if label.note:
        found["note"] = label.note
    return found


def _has(text: str, path: tuple[str | int, ...]) -> bool:
    from exitgate.core.policy.yaml.document import load_yaml

    try:
        load_yaml(text, "").root.at(path)
    except (KeyError, ExitgateError):
        return False
    return True


def _said(label: Label) -> tuple[object, ...]:
    return label.run, label.first, label.last, label.never, set(label.classes), label.note
