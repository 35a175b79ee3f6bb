"""What ran of policies' tests, in the Test Anything Protocol."""

from __future__ import annotations

from exitgate.report.tap import tap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.report.tap import Point
    from exitgate.report.tests_ran import Ran, RanAll, RanFile


def tests_tap(found: RanAll) -> str:
    """Return the stream: a test point for each case and invariant, one for each file that cannot be used."""
    points = [point for file in found.files for point in _points(file)]
    left_out = [f"{found.left_out} not selected"] if found.left_out else []
    return tap(points, [*left_out, *(["ended at the first failure"] if found.stopped else [])])


def _points(file: RanFile) -> Iterator[Point]:
    if file.code:
        problems = [f"{d.code} {d.place or file.path}: {d.message}" for d in file.diagnostics]
        yield f"{file.path}: the file can be used", False, {"severity": "error", "problems": problems}
    for one in file.ran:
        yield f"{file.path}: {one.title}", not one.failed, _said(one) if one.failed else {}


def _said(one: Ran) -> dict[str, object]:
    found: dict[str, object] = {"severity": "fail"}
    if one.place is not None:
        found["at"] = str(one.place)
    if one.broken:
        return {**found, "message": one.broken[0], "why": list(one.broken[1:])}
    first = one.misses[0]
    found |= {"message": first.what, "file": first.place.file, "line": first.place.line}
    found |= {"expected": first.wanted, "got": first.got, "why": list(first.why)}
    more = [f"{m.place}: {m.what}: expected {m.wanted}, got {m.got}" for m in one.misses[1:]]
    return {**found, "more": more} if more else found
