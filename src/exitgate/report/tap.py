"""
Results of tests in the Test Anything Protocol, version 14, with YAML for those that failed.

A description cannot say `#` or begin with a number: it is escaped, as the protocol wants. Diagnostics are
JSON in YAML's flow form: every YAML reader takes it, no matter what an agent wrote.
"""

from __future__ import annotations

import json

from exitgate.report.safe import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    #: Description, whether it passed, what to say where it did not.
    Point = tuple[str, bool, Mapping[str, object]]


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
