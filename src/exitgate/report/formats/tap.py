"""
Results of tests in the Test Anything Protocol, version 14, with YAML for those that failed.

A description cannot say `#` or begin with a number: it is escaped, as the protocol wants. Diagnostics are
JSON in YAML's flow form: every YAML reader takes it, no matter what an agent wrote.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    #: Description, whether it passed, what to say where it did not.
    Point = tuple[str, bool, Mapping[str, object]]

    from exitgate.report.policy.tests import Ran, RanAll, RanFile


def tap(points: Sequence[Point], comments: Sequence[str] = ()) -> str:
    """Return the stream: plan, a test point for each of `points`, comments at the end."""
    lines = ["TAP version 14", f"1..{len(points)}"]
    for number, (description, passed, said) in enumerate(points, 1):
        lines.append(f"{'ok' if passed else 'not ok'} {number} - {_escaped(description)}")
        if not passed:
            lines += ["  ---", *_yaml(said, "  "), "  ..."]
    lines += [f"# {_escaped(comment)}" for comment in comments]
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return safe(text).replace("\\", "\\\\").replace("#", "\\#")


def _yaml(said: Mapping[str, object], indent: str) -> Iterator[str]:
    for key, value in said.items():
        if isinstance(value, list):
            yield f"{indent}{key}:"
            for item in value:
                yield f"{indent}  - {json.dumps(item)}"
        else:
            yield f"{indent}{key}: {json.dumps(value)}"


# What ran of policies' tests, in the Test Anything Protocol.


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
