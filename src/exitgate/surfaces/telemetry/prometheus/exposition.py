"""
The text format of Prometheus, version 0.0.4: written whole, and lines of other ledgers read back.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

from exitgate.surfaces.telemetry.prometheus.samples import FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from exitgate.surfaces.telemetry.prometheus.samples import Sample

_FIRST = 'ledger="'


def written(samples: Iterable[Sample], others: Mapping[str, Sequence[str]]) -> str:
    """
    Return the file: families in order, those lines of other ledgers first, then the samples.

    Args:
        samples: Of one ledger.
        others: Family -> whole lines of other ledgers, see `lines_of_others`.
    """
    own: dict[str, list[str]] = {}
    for one in samples:
        own.setdefault(one.family, []).append(_line(one))
    text = ""
    for family, (kind, doc) in FAMILIES.items():
        lines = [*others.get(family, ()), *own.get(family, ())]
        if lines:
            text += f"# HELP {family} {doc}\n# TYPE {family} {kind}\n" + "\n".join(lines) + "\n"
    return text


def lines_of_others(
    text: str, directory: str, is_gone: Callable[[str], bool] | None = None
) -> dict[str, list[str]]:
    """
    Return family -> lines that belong to other ledgers than that in `directory`.

    Only lines as `written` makes them are taken; nothing else in the file is passed on.

    Args:
        text: The file.
        directory: The state directory whose lines are written anew.
        is_gone: Tells state directories, as far as their names can be read back, that are no more.
    """
    found: dict[str, list[str]] = {}
    ledgers = {escaped(directory): True}
    for line in text.split("\n"):
        family, brace, rest = line.partition("{")
        labels, mark, value = rest.rpartition("} ")
        if not (brace and mark) or family not in FAMILIES or not labels.startswith(_FIRST):
            continue
        if not (_are_labels(labels) and _is_number(value)):
            continue
        ledger = labels[len(_FIRST) : _end(labels, len(_FIRST))]
        if ledger not in ledgers:
            ledgers[ledger] = is_gone is not None and is_gone(unescaped(ledger))
        if not ledgers[ledger]:
            found.setdefault(family, []).append(line)
    return found


def escaped(text: str) -> str:
    """Return a label's value as it is between quotes; what is not Unicode, as escapes of Python's."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"').replace("\r", "\\\\r")


def unescaped(text: str) -> str:
    """Return the value of a label that is between quotes."""
    found, at = "", 0
    while at < len(text):
        is_mark = text[at] == "\\"
        letter = text[at + is_mark : at + is_mark + 1]
        found += "\n" if is_mark and letter == "n" else letter
        at += 1 + is_mark
    return found


def _line(sample: Sample) -> str:
    labels = ",".join(f'{name}="{escaped(value)}"' for name, value in sample.labels)
    value = sample.value
    return f"{sample.family}{{{labels}}} {int(value) if value.is_integer() else repr(value)}"


def _are_labels(text: str) -> bool:
    """Return whether a text is `name="value",…` with every quote, backslash and line end escaped."""
    rest = text
    while True:
        name, mark, rest = rest.partition('="')
        if not mark or not (name.isascii() and name.replace("_", "a").isalnum() and not name[0].isdigit()):
            return False
        at = _end(rest, 0)
        if at < 0:
            return False
        rest = rest[at + 1 :]
        if not rest:
            return True
        if rest[0] != ",":
            return False
        rest = rest[1:]


def _end(text: str, at: int) -> int:
    """Return where the quote is that ends a value which begins at `at`; -1 where it is not well formed."""
    while at < len(text) and text[at] != '"':
        if text[at] == "\\":
            at += 1
            if text[at : at + 1] not in ("\\", '"', "n"):
                return -1
        at += 1
    return at if at < len(text) else -1


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf") and text == text.strip() and "_" not in text
    except ValueError:
        return False
