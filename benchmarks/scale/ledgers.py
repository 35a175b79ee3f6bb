"""A ledger of any number of lines, as checks would have written it but for the time that takes."""

from __future__ import annotations

import json
from pathlib import Path

from exitgate.core.gate.check import check
from exitgate.core.ledger.file import hash_of, path_in
from exitgate.core.state.request import Request

POLICY, RUN = "bb3", "long"
_MARKS = ("sequence", "iteration", "decisions", "continue", "run_prev", "prev")


def write(folder: Path, count: int, policy: str = POLICY) -> Path:
    """Write a ledger of `count` lines of one run into a folder; return the state directory."""
    state = folder / "state"
    for _ in range(2):
        texts = {"response": "Working on it; confident.", "plan": "- [x] a\n- [ ] b\n", "task": None}
        check(Request(policy=policy, state_dir=str(state), root=str(folder), run=RUN, texts=texts))
    path = Path(path_in(str(state)))
    raw = path.read_bytes()
    *_, newest = raw.splitlines()
    form = _form(json.loads(newest))
    offset, at, before = len(raw), len(raw) - len(newest) - 1, hash_of(newest)
    first = json.loads(newest)
    with path.open("ab", buffering=1 << 20) as file:
        for more in range(1, count - len(raw.splitlines()) + 1):
            values = (
                first["sequence"] + more,
                first["iteration"] + more,
                first["counts"]["decisions"] + more,
            )
            line = form % {**dict(zip(_MARKS, (*values, values[2], at), strict=False)), "prev": before}
            encoded = line.encode()
            file.write(encoded + b"\n")
            at, before = offset, hash_of(encoded)
            offset += len(encoded) + 1
    return state


def _form(line: dict[str, object]) -> str:
    """Return a line with places for what differs from line to line."""
    counts = line["counts"]
    assert isinstance(counts, dict)
    for key in ("sequence", "iteration", "run_prev"):
        line[key] = f"@{key}@"
    counts |= {key: f"@{key}@" for key in ("decisions", "continue")}
    line["prev"] = "%(prev)s"
    text = json.dumps(line, separators=(",", ":")).replace("%", "%%").replace("%%(prev)s", "%(prev)s")
    for key in _MARKS:
        text = text.replace(f'"@{key}@"', f"%({key})d")
    return text
