"""Labels of runs in the user's own file: entries are changed one by one, comments and order stay."""

from __future__ import annotations

from exitgate.analysis.yaml_values import NotEditableError, add_item, has_content, remove, set_value
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.recordings.scoring.labels import Label, read
from exitgate.surfaces.studio.workspace.refusal import refusal

BY_HAND = "change it by hand"


def with_label(text: str, file: str, run: str, label: Label | None) -> str:
    """
    Return the text of a `labels.yaml` with another label for one run.

    Args:
        text: Empty for a file that does not exist yet.
        file: Its name, for messages.
        run: The run as its entry writes it; without an entry, one is added.
        label: The label; None takes the entry away.

    Raises:
        ExitgateError: 65, the file has mistakes or cannot be changed.
    """
    known = _entries(text, file)
    at = next((place for place, one in enumerate(known) if one.run == run), None)
    wanted = list(known)
    if at is not None:
        wanted[at : at + 1] = [] if label is None else [label]
    elif label is not None:
        wanted.append(label)
    try:
        new = _changed(text, at, run, label)
    except NotEditableError as error:
        message = f"`{file}` cannot be changed without a risk to what else it says: {error}"
        raise refusal(message, BY_HAND) from None
    if [*map(_said, _entries(new, file))] != [*map(_said, wanted)]:
        raise refusal(f"`{file}` would not say what was asked for", BY_HAND)
    return new


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
