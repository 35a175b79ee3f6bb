"""The views of a policy brought up to the newest line of the ledger."""

from __future__ import annotations

import errno
import os

from exitgate.core.ledger import read
from exitgate.core.ledger.gitignore import leave_out_files
from exitgate.core.ledger.line import DECISION, RESET
from exitgate.core.ledger.runs import name_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.json_object import JsonObject, object_of, object_or_none
from exitgate.core.system import portable, safe_files
from exitgate.core.system.digest import hex_digest
from exitgate.core.system.quick_json import dumps, loads
from exitgate.core.views.mapping import (
    CONFIDENCE_LOG,
    DECISION_LOG,
    EXIT_STATE,
    LOG_DIR,
    PLACES,
    facts_in,
    views_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from exitgate.core.model.decision import Decision
    from exitgate.core.views.mapping import View


#: Entries that a view keeps of its histories, and that a log catches up on after trouble.
KEPT = 50

_OPENING = b'{"sequence":'


def update(
    root: str,
    directory: str,
    views: Mapping[str, object],
    parameters: Mapping[str, object],
    line: JsonObject,
) -> tuple[str, ...]:
    """
    Write every view that a policy wants; return a warning for each that could not be written.

    Args:
        root: Folder that places of views are in.
        directory: The state directory.
        views: The policy's `views`, see `exitgate.core.views.mapping`.
        parameters: Effective values by name.
        line: The newest line of the ledger, already on the disk. Call this while the ledger is
            still locked: then views follow in the order of decisions.

    A view that cannot be written never fails a decision: it is written whole at the next one.
    """
    if not views:
        return ()
    warnings = []
    lines: tuple[JsonObject, ...] | None = None
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
    from exitgate.core.ledger.gitignore import leave_out_files
    from exitgate.core.views.contents import FILE, PATTERN

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


def _replace(root: str, view: View, lines: Sequence[JsonObject], parameters: Mapping[str, object]) -> None:
    if view.name == CONFIDENCE_LOG:
        from exitgate.core.views.contents import FILE, confidence_log

        path = _log_path(root, view, FILE)
        replace(path, confidence_log(lines, view.fields, parameters), _is_confidence_log)
        return
    if view.name == EXIT_STATE:
        from exitgate.core.views import contents as one

        content = one.exit_state(lines, view.fields, parameters)
        mark = one.MARK
    else:
        from exitgate.core.views import session as other

        content = other.session(lines, view.fields, parameters)
        mark = other.MARK
    text = "{\n" + ",\n".join(f"  {dumps(key)}: {dumps(value)}" for key, value in content.items()) + "\n}\n"
    # Under its usual name a spoilt view is still a view; anywhere else it must look like one.
    usual = view.place == PLACES[view.name][1]
    replace(place_below(root, view.place), text, lambda found: usual or _has_key(found, mark))


def _log(root: str, directory: str, view: View, line: JsonObject) -> None:
    """Append the line's entry, and those of the latest lines that are missing in the logs of their days."""
    from exitgate.core.views.contents import entry_of, file_of

    path = _log_path(root, view, file_of(line))
    sequence = int(str(line["sequence"]))
    logged = _sequence(last_line(path))
    if logged == sequence - 1:
        append(path, dumps(entry_of(line)) + "\n")
        return
    days: dict[str, list[JsonObject]] = {}
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
        return key in object_of(loads(raw))
    except (ValueError, RecursionError):
        return False


def _is_confidence_log(raw: bytes) -> bool:
    return b" confidence=" in raw.partition(b"\n")[0]


def _why(error: Exception) -> str:
    if isinstance(error, ExitgateError):
        return "; ".join(found.message for found in error.diagnostics)
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'its file'}: {safe_files.trouble(error)}"
    return str(error)


def with_warnings(decision: Decision, warnings: Sequence[str]) -> Decision:
    """Return the decision with remarks on views behind its own warnings; the ledger has it without them."""
    if not warnings:
        return decision
    from exitgate.core.model.decision import Decision, Warned

    told = (*decision.warnings, *(Warned(text) for text in warnings))
    parts = {name: getattr(decision, name) for name in Decision.__slots__}
    return Decision(**{**parts, "warnings": told})


# What views need of the latest lines, kept beside the ledger so that 50 lines need not be read again.
#
# It is worth nothing by itself: where it does not end at the line before the newest one, the lines are read
# from the ledger. No decision is made by it.

FOLDER = "views"

#: Raised by one whenever the form below changes.
FORM = 1

#: Bytes of the largest file that was written here.
LARGEST = 32_000_000

_KEPT = ("run", "kind", "iteration", "at", "counts")
_KEPT_OF_DECISION = ("verdict", "class", "outcome", "message")
_KEPT_OF_TOTALS = ("started_at", "sums")


def latest(directory: str, line: JsonObject, facts: Iterable[str], limit: int) -> tuple[JsonObject, ...]:
    """
    Return the newest lines of the line's name since its last reset, at most `limit` decisions, slim.

    Args:
        directory: The state directory.
        line: The newest line of the ledger.
        facts: The facts that views read.
        limit: Decisions to go back.

    Raises:
        OSError: What is remembered cannot be written.
        ExitgateError: 74 when the ledger cannot be read.
    """
    wanted = sorted(facts)
    path = _path(directory, line)
    before = _recall(path, line, wanted)
    if line.get("kind") == RESET:
        lines = [_slim(line, wanted)]
    elif before is None:
        found = read.recent(directory, name_of(str(line["run"])), limit)
        lines = [_slim(one, wanted) for one in found]
    else:
        lines = _bounded([*before, _slim(line, wanted)], limit)
    _remember(path, directory, lines, wanted)
    return tuple(lines)


def _recall(path: str, line: JsonObject, facts: list[str]) -> list[JsonObject] | None:
    """Return the lines remembered up to the one before `line`, None when they are not those."""
    try:
        digest, _, raw = safe_files.content_in(*os.path.split(path), LARGEST).partition(b"\n")
        found = object_of(loads(raw)) if digest == hex_digest(raw).encode() else JsonObject()
    except (OSError, ValueError, RecursionError):
        return None
    place = line["run_prev"] if line["run_prev"] is not None else line["name_prev"]
    if (found.get("form"), found.get("facts"), found.get("offset")) != (FORM, facts, place):
        return None
    return None if place is None else found.objects("lines")


def _remember(path: str, directory: str, lines: list[JsonObject], facts: list[str]) -> None:
    """
    Write the lines over those of before.

    In place, with a digest in front: what is torn is read from the ledger again, and putting a new
    file instead of the old would make the disk wait for it at every check.
    """
    kept = {"form": FORM, "facts": facts, "offset": read.newest_offset(directory), "lines": lines}
    raw = dumps(kept).encode("ascii")
    whole = b"%s\n%s" % (hex_digest(raw).encode(), raw)
    safe_files.make_folder(os.path.dirname(path))
    folder = safe_files.open_folder(os.path.dirname(path))
    try:
        descriptor = safe_files.writing(os.path.basename(path), folder=folder)
        try:
            os.ftruncate(descriptor, portable.pwrite(descriptor, whole, 0))
        finally:
            os.close(descriptor)
    finally:
        portable.close(folder)


def _path(directory: str, line: JsonObject) -> str:
    name = name_of(str(line["run"])).encode("utf-8", "surrogatepass")
    return os.path.join(directory, FOLDER, f"{hex_digest(name)}.json")


def _slim(line: JsonObject, facts: list[str]) -> JsonObject:
    kept = JsonObject({key: line[key] for key in _KEPT if key in line})
    for key, keys in (("decision", _KEPT_OF_DECISION), ("totals", _KEPT_OF_TOTALS), ("facts", facts)):
        found = object_or_none(line.get(key))
        if found is not None:
            kept[key] = {name: found[name] for name in keys if name in found}
    return kept


def _bounded(lines: list[JsonObject], limit: int) -> list[JsonObject]:
    """Return the lines without those before the newest `limit` decisions."""
    places = [place for place, line in enumerate(lines) if line.get("kind") == DECISION]
    return lines if len(places) <= limit else lines[places[-limit - 1] + 1 :]


# Views brought to the disk: never outside the root, never over a file that is not a view.

#: Bytes of the largest log that is looked into for its last line.
LARGEST_LOG = 1_000_000_000
#: Bytes of the largest file that is looked into before it is replaced.
_LOOKED_INTO = 1_000_000


class NotWrittenError(Exception):
    """A view was left as it is; the text says why, for people."""


def place_below(root: str, place: str) -> str:
    """
    Return the path of `place` below `root`, its folder made if need be.

    Raises:
        NotWrittenError: The place, or where links lead on the way to it, is not below the root.
    """
    parts = place.replace("\\", "/").split("/")
    if os.path.isabs(place) or ".." in parts or not parts[-1] or "\0" in place:
        raise NotWrittenError(f"`{place}` is not below the project")
    top = os.path.realpath(root)
    folder = os.path.dirname(os.path.join(top, place))
    if not _within(os.path.realpath(folder), top):
        raise NotWrittenError(f"`{place}` leads out of the project")
    os.makedirs(folder, exist_ok=True)
    return os.path.join(folder, parts[-1])


def replace(path: str, text: str, is_view: Callable[[bytes], bool]) -> None:
    """
    Put `text` instead of the view at `path`: whole or not at all, readable to its owner only.

    Args:
        path: The file; a link there is replaced, not followed.
        text: Its content.
        is_view: Told the bytes of a file that is there, whether it may be replaced.

    Raises:
        NotWrittenError: Something else is there.
        OSError: It cannot be written.
    """
    if os.path.lexists(path) and not _may_replace(path, is_view):
        raise NotWrittenError(f"`{path}` exists and is not a view; it was left alone")
    if not os.path.lexists(path):
        leave_out_files((path, f"{path}.*"))
    safe_files.replace(path, text.encode("utf-8", "surrogatepass"))


def append(path: str, text: str) -> None:
    """
    Add whole lines to the log at `path` with one write; a line that was torn before is ended first.

    Raises:
        OSError: It cannot be written whole, or is not a regular file.
    """
    if not os.path.lexists(path):
        leave_out_files((_days(path),))
    descriptor = safe_files.writing(path, append=True, read=True)
    try:
        size = os.fstat(descriptor).st_size
        torn = size > 0 and portable.pread(descriptor, 1, size - 1) != b"\n"
        raw = ("\n" * torn + text).encode("utf-8", "surrogatepass")
        if os.write(descriptor, raw) < len(raw):
            raise OSError("no space left")
    finally:
        os.close(descriptor)


def _days(path: str) -> str:
    """Return the pattern of a daily log, whose name ends in the day; of any other file its path."""
    stem, mark, day = path.rpartition("_")
    return f"{stem}_*.log" if mark and day.removesuffix(".log").isdigit() else path


def last_line(path: str) -> bytes:
    """Return the last whole line of the file at `path`, empty when there is none."""
    from exitgate.core.ledger.file import raw_at, start_of_last, whole_size

    try:
        descriptor = safe_files.reading(path, limit=LARGEST_LOG)
    except FileNotFoundError:
        return b""
    try:
        end = whole_size(descriptor)
        return (raw_at(descriptor, start_of_last(descriptor, end)) or b"") if end else b""
    finally:
        os.close(descriptor)


def _may_replace(path: str, is_view: Callable[[bytes], bool]) -> bool:
    if safe_files.is_link(path):
        return True
    try:
        found = safe_files.beginning(path, _LOOKED_INTO)
    except OSError as error:
        if error.errno in (errno.EINVAL, errno.EISDIR, errno.ENXIO):
            return False  # a folder, a pipe, a socket or a device
        raise
    return not found.strip() or is_view(found)


def _within(path: str, top: str) -> bool:
    return path == top or portable.is_below(path, top)
