"""The file that Prometheus' node_exporter reads: replaced whole, shared by every ledger that writes to it."""

from __future__ import annotations

import contextlib
import os
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from exitgate.core.ledger import read
from exitgate.core.ledger.line import BREAKER, DECISION
from exitgate.core.ledger.typed import LedgerLine, LineBreaker, typed
from exitgate.core.model.value import micro
from exitgate.core.probes.answer import is_fresh
from exitgate.core.system import portable, safe_files
from exitgate.surfaces.telemetry.probes import BOUNDS, OTHER, amount_of, status_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.system.portable import Folder


#: Bytes of an earlier file that are looked at for lines of other ledgers.
_SIZE = 16 << 20


def write_textfile(directory: str, path: str) -> None:
    """
    Write the samples of a ledger, beside those that other ledgers wrote there.

    The folder is locked first and the ledger read then, so that of two processes the later one writes
    what is newer.

    Args:
        directory: The state directory, absolute.
        path: The textfile. A reader sees the old one or the new one.

    Raises:
        OSError: It cannot be written.
        ExitgateError: The ledger cannot be read.
    """
    name = os.path.basename(path)
    folder = safe_files.open_folder(os.path.dirname(path), links=True)
    try:
        held = folder if isinstance(folder, int) else safe_files.writing(f".{name}.lock", folder=folder)
        try:
            portable.lock(held, wait=True)
            others = lines_of_others(_before(folder, name), directory, _is_gone)
            text = exposition(samples(directory), others)
            _replace(folder, name, text.encode("utf-8"))
        finally:
            if held is not folder:
                os.close(held)
    finally:
        portable.close(folder)


def _is_gone(ledger: str) -> bool:
    """Return whether a state directory is no more; one that may not be looked at is another user's."""
    if "\\udc" in ledger:
        return False  # its name is not text and cannot be read back
    try:
        os.lstat(ledger)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _before(folder: Folder, name: str) -> str:
    try:
        return safe_files.content(name, _SIZE, folder=folder).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _replace(folder: Folder, name: str, content: bytes) -> None:
    # node_exporter reads every *.prom, so that is not what the unfinished one ends in.
    temporary = f".{name}.part"
    _remove(folder, temporary)  # what a process left that was killed here
    try:
        file = safe_files.writing(temporary, new=True, folder=folder, mode=0o644)
        try:
            safe_files.write_all(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        portable.replace_at(temporary, name, folder)
    except OSError:
        _remove(folder, temporary)
        raise


def _remove(folder: Folder, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        portable.remove_at(name, folder)


# The text format of Prometheus, version 0.0.4: written whole, and lines of other ledgers read back.
#
# https://prometheus.io/docs/instrumenting/exposition_formats/

_FIRST = 'ledger="'


def exposition(samples: Iterable[Sample], others: Mapping[str, Sequence[str]]) -> str:
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

    Only lines as `exposition` makes them are taken; nothing else in the file is passed on.

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
        if not (brace and mark) or family not in _SAMPLES or not labels.startswith(_FIRST):
            continue
        if not (_are_labels(labels) and _is_number(value)):
            continue
        ledger = labels[len(_FIRST) : _end(labels, len(_FIRST))]
        if ledger not in ledgers:
            ledgers[ledger] = is_gone is not None and is_gone(unescaped(ledger))
        if not ledgers[ledger]:
            found.setdefault(_SAMPLES[family], []).append(line)
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
    return f"{sample.family}{sample.suffix}{{{labels}}} {int(value) if value.is_integer() else repr(value)}"


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


# What a ledger says, as samples for Prometheus.
#
# Everything is read from the ledger at each writing: it is the only state, so that no process keeps a
# counter that another does not know of, and nothing is counted twice. Names follow Prometheus' own
# conventions: units in full and in the singular base unit, `_total` behind counters.

COUNTER, GAUGE, HISTOGRAM = "counter", "gauge", "histogram"

DECISIONS = "exitgate_decisions_total"
BLIND = "exitgate_decisions_blind_total"
TENTATIVE = "exitgate_decisions_tentative_total"
LAST = "exitgate_last_decision_timestamp_seconds"
BREAKER_STATE = "exitgate_breaker_state"
ITERATIONS = "exitgate_run_iterations"
PROBES = "exitgate_probes_total"
PROBE_DURATION = "exitgate_probe_duration_seconds"
PROBE_COST = "exitgate_probe_cost_dollars_total"

#: Every family in the order of the file: its type, and its help.
FAMILIES = {
    DECISIONS: (COUNTER, "Decisions in the ledger."),
    BLIND: (COUNTER, "Decisions for which no fact of what the agent said or did was known."),
    TENTATIVE: (COUNTER, "Decisions that an unknown fact could have changed."),
    LAST: (GAUGE, "When the latest decision was made, seconds since the epoch."),
    BREAKER_STATE: (GAUGE, "1 for the state that the circuit breaker is in, 0 for the others."),
    ITERATIONS: (GAUGE, "Iterations of the run so far."),
    "exitgate_run_cost_dollars": (GAUGE, "Cost of the run so far, in US dollars."),
    "exitgate_run_tokens": (GAUGE, "Tokens that the run has used so far."),
    "exitgate_run_elapsed_seconds": (GAUGE, "Time from the run's beginning to its latest decision."),
    PROBES: (COUNTER, "Answers of probes that decisions rest on."),
    PROBE_DURATION: (HISTOGRAM, "Time that a probe took."),
    PROBE_COST: (COUNTER, "Cost of probes that report one, in US dollars."),
}
#: Name of a sample -> its family.
_SAMPLES = {
    name + suffix: name
    for name, (kind, _) in FAMILIES.items()
    for suffix in (("_bucket", "_sum", "_count") if kind == HISTOGRAM else ("",))
}
_STATES = ("CLOSED", "HALF_OPEN", "OPEN")
#: Runs of a ledger that have samples of their own: the latest ones.
RUNS = 20
#: Probes of a ledger that have samples of their own: the first ones, so that no counter ever falls.
NAMES = 20


class Sample(Struct, frozen=True):
    """One sample: its family, its labels in order, its value, and what its name has behind the family's."""

    family: str
    labels: tuple[tuple[str, str], ...]
    value: float
    suffix: str = ""


def samples(directory: str) -> tuple[Sample, ...]:
    """
    Return the samples of the ledger in a state directory, label `ledger` first.

    Raises `ExitgateError` (74) where it cannot be read.
    """
    return samples_of(map(typed, read.lines(directory)), directory)


def samples_of(lines: Iterable[LedgerLine], directory: str) -> tuple[Sample, ...]:
    """Return the samples of a ledger's lines, oldest first."""
    own = ("ledger", directory)
    counted: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
    runs: dict[tuple[str, str], LedgerLine] = {}
    breaker: LineBreaker | None = None
    probes = _Probes(own)
    for line in lines:
        if line.kind in (DECISION, BREAKER) and line.found("breaker"):
            breaker = line.breaker
        if line.kind != DECISION or line.decision is None:
            continue
        policy = str(line.found("policy", "name", absent=""))
        _count(counted, own, policy, line)
        probes.add(line.plain.object("probes"))
        key = (line.run, policy)
        runs.pop(key, None)  # the latest ones are last
        runs[key] = line
        if len(runs) > RUNS:
            del runs[next(iter(runs))]
    found = [Sample(family, labels, float(value)) for (family, labels), value in counted.items()]
    for (run, policy), line in runs.items():
        found += _of_run((own, ("policy", policy), ("run", run)), line)
    if breaker is not None:
        here = ((own, ("state", one)) for one in _STATES)
        found += [Sample(BREAKER_STATE, one, float(one[1][1] == breaker.state)) for one in here]
    return (*found, *probes.samples())


def _count(
    counted: dict[tuple[str, tuple[tuple[str, str], ...]], float],
    own: tuple[str, str],
    policy: str,
    line: LedgerLine,
) -> None:
    place = (own, ("policy", policy))
    what = ("verdict", "class", "outcome")
    labels = (*place, *((label, str(line.found("decision", label) or "")) for label in what))
    counted[DECISIONS, labels] = counted.get((DECISIONS, labels), 0) + 1
    # Both begin at 0: a counter that is first seen at 1 has no increase.
    of = line.decided
    for family, is_so in ((BLIND, of.blind is True), (TENTATIVE, of.firm is False)):
        counted[family, place] = counted.get((family, place), 0) + is_so


def _of_run(labels: tuple[tuple[str, str], ...], line: LedgerLine) -> list[Sample]:
    totals = line.totals
    values = {
        ITERATIONS: line.iteration,
        LAST: line.time,
        "exitgate_run_cost_dollars": totals.cost,
        "exitgate_run_tokens": totals.tokens,
        "exitgate_run_elapsed_seconds": totals.elapsed,
    }
    return [Sample(family, labels, float(value)) for family, value in values.items() if value is not None]


class _Probes:
    """Answers of probes in a ledger by probe and how they came out; durations and cost of those asked."""

    def __init__(self, own: tuple[str, str]) -> None:
        self._own = own
        self._names: dict[str, None] = {}
        self._counts: dict[tuple[str, str, str, str], int] = {}
        self._took: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}
        self._cost: dict[str, float] = {}

    def add(self, answers: JsonObject) -> None:
        """Count the answers of one decision."""
        for key in answers:
            answer = answers.object(key)
            if key not in self._names and len(self._names) < NAMES:
                self._names[key] = None
            name = key if key in self._names else OTHER
            passed = {True: "true", False: "false"}.get(answer.flag("passed"), "")
            labels = (name, status_of(answer), passed, "true" if "reused" in answer else "false")
            self._counts[labels] = self._counts.get(labels, 0) + 1
            if is_fresh(answer):
                seconds = amount_of(answer, "seconds") or 0.0
                self._took.setdefault(name, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
                self._seconds[name] = micro(self._seconds.get(name, 0.0) + seconds)
                cost = amount_of(answer, "cost")
                if cost is not None:
                    self._cost[name] = micro(self._cost.get(name, 0.0) + cost)

    def samples(self) -> Iterable[Sample]:
        """Yield their samples."""
        named = ("probe", "status", "passed", "reused")
        for values, count in self._counts.items():
            yield Sample(PROBES, (self._own, *zip(named, values, strict=True)), float(count))
        for name, counts in self._took.items():
            labels = (self._own, ("probe", name))
            so_far = 0
            for bound, count in zip((*map(str, BOUNDS), "+Inf"), counts, strict=True):
                so_far += count
                yield Sample(PROBE_DURATION, (*labels, ("le", bound)), float(so_far), "_bucket")
            yield Sample(PROBE_DURATION, labels, self._seconds[name], "_sum")
            yield Sample(PROBE_DURATION, labels, float(so_far), "_count")
        for name, cost in self._cost.items():
            yield Sample(PROBE_COST, (self._own, ("probe", name)), cost)
