"""
The text format of Prometheus, version 0.0.4: written whole, and lines of other ledgers read back.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from __future__ import annotations

from exitgate.surfaces.telemetry.prometheus.samples import FAMILIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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


def lines_of_others(text: str, directory: str) -> dict[str, list[str]]:
    """
    Return family -> lines that belong to other ledgers than that in `directory`.

    Only lines as `written` makes them are taken; whatever else is in the file is not passed on.
    """
    found: dict[str, list[str]] = {}
    own = f'{_FIRST}{escaped(directory)}"'
    for line in text.split("\n"):
        family, brace, rest = line.partition("{")
        labels, mark, value = rest.rpartition("} ")
        if not (brace and mark) or family not in FAMILIES or not labels.startswith(_FIRST):
            continue
        if _are_labels(labels) and _is_number(value) and not f"{labels},".startswith(f"{own},"):
            found.setdefault(family, []).append(line)
    return found


def escaped(text: str) -> str:
    """Return a label's value as it stands between quotes; what is no Unicode, as escapes of Python's."""
    text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"').replace("\r", "\\\\r")


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
        at = 0
        while at < len(rest) and rest[at] != '"':
            if rest[at] == "\\":
                if rest[at + 1 : at + 2] not in ("\\", '"', "n"):
                    return False
                at += 1
            at += 1
        if at >= len(rest):
            return False
        rest = rest[at + 1 :]
        if not rest:
            return True
        if rest[0] != ",":
            return False
        rest = rest[1:]


def _is_number(text: str) -> bool:
    try:
        return abs(float(text)) < float("inf") and text == text.strip() and "_" not in text
    except ValueError:
        return False
