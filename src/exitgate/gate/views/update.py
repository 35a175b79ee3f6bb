"""The views of a policy brought up to the newest line of the ledger."""

from __future__ import annotations

import os

from exitgate.gate.views.mapping import (
    CONFIDENCE_LOG,
    DECISION_LOG,
    EXIT_STATE,
    LOG_DIR,
    PLACES,
    facts_in,
    views_in,
)
from exitgate.gate.views.remembered import latest
from exitgate.gate.views.write import NotWrittenError, append, last_line, place_below, replace
from exitgate.ledger import read
from exitgate.model.diagnostic import ExitgateError
from exitgate.model.quick_json import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.gate.views.mapping import View
    from exitgate.model.decision import Decision

    Line = Mapping[str, object]

#: Entries that a view keeps of its histories, and that a log catches up on after trouble.
KEPT = 50

_OPENING = b'{"sequence":'


def update(
    root: str,
    directory: str,
    views: Mapping[str, object],
    parameters: Mapping[str, object],
    line: Line,
) -> tuple[str, ...]:
    """
    Write every view that a policy wants; return a warning for each that could not be written.

    Args:
        root: Folder that places of views are in.
        directory: The state directory.
        views: The policy's `views`, see `exitgate.gate.views.mapping`.
        parameters: Effective values by name.
        line: The newest line of the ledger, already on the disk. Call this while the ledger is
            still locked: then views follow in the order of decisions.

    A view that cannot be written never fails a decision: it is written whole at the next one.
    """
    if not views:
        return ()
    warnings = []
    lines: tuple[Line, ...] | None = None
    for view in views_in(views, os.environ.get(LOG_DIR, "")):
        try:
            if view.name == DECISION_LOG:
                _log(root, directory, view, line)
            else:
                lines = latest(directory, line, facts_in(views), KEPT) if lines is None else lines
                _replace(root, view, lines, parameters)
        except (NotWrittenError, OSError, ExitgateError) as error:
            warnings.append(f"the view `{view.name}` was not written: {_why(error)}")
    return tuple(warnings)


def leave_out_views(root: str, views: Mapping[str, object]) -> None:
    """Leave the files of views that are there already out of git; new ones are as they are made."""
    from exitgate.gate.views.confidence_log import FILE
    from exitgate.gate.views.decision_log import PATTERN
    from exitgate.ledger.out_of_git import leave_out_files

    names = {DECISION_LOG: PATTERN, CONFIDENCE_LOG: FILE}
    for view in views_in(views, os.environ.get(LOG_DIR, "")):
        try:
            path = (
                _log_path(root, view, names[view.name])
                if view.name in names
                else place_below(root, view.place)
            )
            leave_out_files((path,))
        except (NotWrittenError, OSError):
            continue  # writing it says why


def _replace(root: str, view: View, lines: Sequence[Line], parameters: Mapping[str, object]) -> None:
    if view.name == CONFIDENCE_LOG:
        from exitgate.gate.views.confidence_log import FILE, confidence_log

        path = _log_path(root, view, FILE)
        replace(path, confidence_log(lines, view.fields, parameters), _is_confidence_log)
        return
    if view.name == EXIT_STATE:
        from exitgate.gate.views import exit_state as one

        content = one.exit_state(lines, view.fields, parameters)
        mark = one.MARK
    else:
        from exitgate.gate.views import session as other

        content = other.session(lines, view.fields, parameters)
        mark = other.MARK
    text = "{\n" + ",\n".join(f"  {dumps(key)}: {dumps(value)}" for key, value in content.items()) + "\n}\n"
    # Under its usual name a spoilt view is still a view; anywhere else it must look like one.
    usual = view.place == PLACES[view.name][1]
    replace(place_below(root, view.place), text, lambda found: usual or _has_key(found, mark))


def _log(root: str, directory: str, view: View, line: Line) -> None:
    """Append the line's entry, and those of the latest lines that are missing in the logs of their days."""
    from exitgate.gate.views.decision_log import entry_of, file_of

    path = _log_path(root, view, file_of(line))
    sequence = int(str(line["sequence"]))
    logged = _sequence(last_line(path))
    if logged == sequence - 1:
        append(path, dumps(entry_of(line)) + "\n")
        return
    days: dict[str, list[Line]] = {}
    # A log that is one check behind misses that check's lines only; one of another day may miss more.
    for one in read.tail(directory, None, min(KEPT, sequence - logged) if 0 < logged < sequence else KEPT):
        days.setdefault(file_of(one), []).append(one)
    for name, lines in days.items():
        place = _log_path(root, view, name)
        logged = _sequence(last_line(place))
        missing = [one for one in lines if int(str(one["sequence"])) > logged]
        if missing:
            append(place, "".join(dumps(entry_of(one)) + "\n" for one in missing))


def _log_path(root: str, view: View, name: str) -> str:
    if not view.outside:
        return place_below(root, f"{view.place}/{name}")
    os.makedirs(view.place, exist_ok=True)
    return os.path.join(view.place, name)


def _sequence(raw: bytes) -> int:
    """Return the ledger's number in an entry of the log, which begins with it; 0 when there is none."""
    number = raw[len(_OPENING) : raw.find(b",")] if raw.startswith(_OPENING) else b""
    return int(number) if number.isdigit() and len(number) < 20 else 0


def _has_key(raw: bytes, key: str) -> bool:
    try:
        found = loads(raw)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and key in found


def _is_confidence_log(raw: bytes) -> bool:
    return b" confidence=" in raw.partition(b"\n")[0]


def _why(error: Exception) -> str:
    if isinstance(error, ExitgateError):
        return "; ".join(found.message for found in error.diagnostics)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'its file'}: {error.strerror.lower()}"
    return str(error)


def with_warnings(decision: Decision, warnings: Sequence[str]) -> Decision:
    """Return the decision with remarks on views behind its own warnings; the ledger has it without them."""
    if not warnings:
        return decision
    from exitgate.model.decision import Decision, Warned

    told = (*decision.warnings, *(Warned(text) for text in warnings))
    parts = {name: getattr(decision, name) for name in Decision.__slots__}
    return Decision(**{**parts, "warnings": told})
