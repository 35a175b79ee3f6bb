"""
What `EXPECTED.yaml` of a recorded shape says, beside what the readers yield and a policy decides.

Every difference is one line of text, so that a test shows all of them at once. Keys that a shape leaves
out are not compared; `also_ok` of a shape counts as a difference.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import yaml
from compiled import shipped_policy

from exitgate.core.model.capabilities import ALL
from exitgate.core.model.decision import CLASSES
from exitgate.recordings import registry
from exitgate.recordings.discovery import discover
from exitgate.recordings.formats.ralph.progress import boxes_of
from exitgate.recordings.model import Problem, RecordedIteration, Run, collect
from exitgate.recordings.replay.dry_run import dry_run

SHAPES = Path(__file__).parent / "shapes"
NAMES = tuple(sorted(path.parent.name for path in SHAPES.glob("*/EXPECTED.yaml")))
Expected = dict[str, Any]
#: Seconds by which an instant may differ: some recorders write fractions, others do not.
_NEAR = 1.5


def expected_of(name: str) -> Expected:
    """Return what a correct reader finds in a shape."""
    found: Expected = yaml.safe_load((SHAPES / name / "EXPECTED.yaml").read_text("utf-8"))
    return found


def copy_of(name: str, into: Path) -> Path:
    """Return a copy of a shape as its tool left it, without what was written for tests."""
    place = into / name
    shutil.copytree(SHAPES / name, place)
    (place / "EXPECTED.yaml").unlink()
    return place


def runs_in(place: Path) -> tuple[list[Run], list[Problem]]:
    """Return every run below a folder in the order in which they are found, and what was wrong."""
    runs: list[Run] = []
    problems: list[Problem] = []
    for found in discover([str(place)]):
        if found.reader is not None:
            some, wrong = collect(registry.load(found.reader).read(found.place, ALL), found.reader)
            runs += some
            problems += wrong
    return runs, problems


def read_differences(expected: Expected, place: Path) -> list[str]:
    """Return how what the readers find in a folder differs from what they should."""
    runs, problems = runs_in(place)
    wanted = _by_time(expected["runs"], [_instant(one.get("started")) for one in expected["runs"]])
    runs = _by_time(runs, [run.begin.started_at for run in runs])
    listed = [f"{_below(run.begin.file, place)} {len(run.iterations)}" for run in runs]
    found = list(_phantoms(expected.get("not_runs") or (), runs, place))
    if _uncounted(wanted):
        return [*found, *_apart(runs, problems, listed)]
    if len(runs) != len(wanted):
        return [*found, f"{len(wanted)} runs, not {len(runs)}: {listed}"]
    for nth, (want, run) in enumerate(zip(wanted, runs, strict=True), 1):
        found += [f"run {nth}: {line}" for line in _run(want, run)]
    return found


def decided_differences(expected: Expected, place: Path, policy: str = "recommended") -> list[str]:
    """Return where a policy stops the runs of a folder in another way than is right."""
    results = list(dry_run([str(place)], {policy: shipped_policy(policy)}, detail=False).results)
    wanted = _by_time(expected["runs"], [_instant(one.get("started")) for one in expected["runs"]])
    results = _by_time(results, [one.run.started_at for one in results])
    if _uncounted(wanted):
        return [f"stops at {one.stop.iteration}" for one in results if one.stop is not None]
    if len(results) != len(wanted):
        return [f"{len(wanted)} runs, not {len(results)}"]
    found = []
    for nth, (want, one) in enumerate(zip(wanted, results, strict=True), 1):
        stop = None if one.stop is None else (one.stop.iteration, one.stop.exit_class)
        if not _is_right(want, stop):
            right = (want["right_stop"], want["right_class"], want.get("ok"))
            found.append(f"run {nth}: stops {stop}, right is {right}: {one.stop and one.stop.message}")
    return found


def _is_right(want: Expected, stop: tuple[int, str | None] | None) -> bool:
    first, last = want.get("ok") or (want["right_stop"], want["right_stop"])
    if stop is None or first is None:
        return stop is None and first is None
    return first <= stop[0] <= last and stop[1] == want["right_class"]


def _uncounted(wanted: list[Expected]) -> bool:
    """Return whether nobody can tell how many iterations there are."""
    return any(not isinstance(one["iterations"], int) for one in wanted)


def _apart(runs: list[Run], problems: list[Problem], listed: list[str]) -> Iterator[str]:
    if len(runs) > 1 or any(run.iterations for run in runs):
        yield f"no iteration can be told apart, and there are {listed}"
    if not problems:
        yield "nothing says that its iterations cannot be told apart"


def _phantoms(not_runs: list[str], runs: list[Run], place: Path) -> Iterator[str]:
    """Yield the runs that stand in a file that is none."""
    for run in runs:
        name = _below(run.begin.file, place)
        if any(fnmatch(name, pattern) for pattern in not_runs):
            yield f"{name} is listed as a run"


def _below(file: str, place: Path) -> str:
    path = Path(file)
    return str(path.relative_to(place)) if path.is_relative_to(place) else file


def _by_time(things: list[Any], at: list[float | None]) -> list[Any]:
    """Return runs in the order of their beginnings where all are known, else as they are."""
    if any(one is None for one in at):
        return list(things)
    order = sorted(range(len(things)), key=lambda nth: (at[nth], nth))
    return [things[nth] for nth in order]


def _run(want: Expected, run: Run) -> Iterator[str]:
    found = run.iterations
    if len(found) != want["iterations"]:
        said = [(one.response or "")[:30] for one in found]
        yield f"{want['iterations']} iterations, not {len(found)}: {said}"
        return
    if want.get("started") is not None and not _same_start(str(want["started"]), run):
        yield f"started {want['started']}, not {_shown(_started(run))}"
    if "numbers" in want and (numbers := [_number(one) for one in found]) != want["numbers"]:
        yield f"numbers {want['numbers']}, not {numbers}"
    if "limit_of_iterations" in want and run.begin.limit != want["limit_of_iterations"]:
        yield f"limit {want['limit_of_iterations']}, not {run.begin.limit}"
    if "ended" in want and run.end.how not in _ends(want["ended"]):
        yield f"ended {want['ended']}, not {run.end.how} ({run.end.why})"
    plan: str | None = run.begin.plan
    for one, told in zip(found, want.get("each") or (), strict=False):
        yield from (f"iteration {one.index}: {line}" for line in _iteration(told, one, plan))
        plan = one.plan


def _ends(ended: str | None) -> set[str | None]:
    """Return the classes of an end that are right; one that is only told in passing may be left open."""
    if ended is None:
        return {None}
    word, _, rest = ended.partition(",")
    assert word in CLASSES, f"no class of an end: {ended}"
    return {word, None} if rest else {word}


def _iteration(told: Expected, one: RecordedIteration, before: str | None) -> Iterator[str]:
    said = (one.response or "").lstrip()
    if told.get("starts") is None:
        if "starts" in told and said:
            yield f"no response, not {said[:60]!r}"
    elif not said.startswith(str(told["starts"])):
        yield f"starts {told['starts']!r}, not {said[:60]!r}"
    if "number" in told and told["number"] != _number(one):
        yield f"number {told['number']}, not {one.number}"
    record = one.record
    denials = record.get("denials")
    pairs = (
        ("exit_status", one.exit_status),
        ("timed_out", one.timed_out),
        ("usd", record.get("cost")),
        ("tokens", record.get("tokens")),
        ("denials", len(denials) if isinstance(denials, list) else denials),
        ("plan_before", _plan(before)),
        ("plan_after", _plan(one.plan)),
        ("tasks_before", _plan(before, ("closed", "open"))),
        ("open_stories", None if one.plan is None else _open(one.plan)),
        ("open_tickets_before", None if before is None else _open(before)),
    )
    for key, value in pairs:
        if key in told and not _same(told[key], value):
            yield f"{key} {told[key]}, not {value}"
    yield from _limit(told, one)


def _number(one: RecordedIteration) -> int:
    return one.index if one.number is None else one.number


def _limit(told: Expected, one: RecordedIteration) -> Iterator[str]:
    """Yield whether the words of a limit are lost: they are what the agent's program printed."""
    if told.get("limit") and not (one.response or one.output or one.record.get("limits")):
        yield f"limit {told['limit']}, and nothing tells it"


def _same(told: object, value: object) -> bool:
    if told in ("not told", "unknown"):
        return value is None
    if isinstance(told, float) and isinstance(value, int | float):
        return abs(told - value) < 1e-6
    return told == value


def _open(plan: str) -> int:
    done, total = boxes_of(plan)
    return total - done


def _plan(text: str | None, names: tuple[str, str] = ("done", "total")) -> dict[str, int] | None:
    if text is None:
        return None
    done, total = boxes_of(text)
    return {names[0]: done, names[1]: total if names[1] == "total" else total - done}


def _started(run: Run) -> float | None:
    if run.begin.started_at is not None or not run.iterations:
        return run.begin.started_at
    return run.iterations[0].started_at


def _same_start(told: str, run: Run) -> bool:
    at, want = _started(run), _instant(told)
    if at is None or want is None:
        return False
    if ":" not in told:
        return datetime.fromtimestamp(at, UTC).date() == datetime.fromtimestamp(want, UTC).date()
    return abs(at - want) <= _NEAR


def _instant(told: object) -> float | None:
    """Return an instant; what is said of it behind it in brackets is for people."""
    if told is None:
        return None
    at = datetime.fromisoformat(str(told).partition(" (")[0])
    return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()


def _shown(at: float | None) -> str | None:
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat()
