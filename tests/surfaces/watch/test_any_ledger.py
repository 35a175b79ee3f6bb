"""Whatever a ledger holds, a watcher goes on, and shows no decision that is not there."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from watched_loops import START, Loop

from exitgate.core.ledger.typed import LedgerLine
from exitgate.core.model.decision import CLASSES
from exitgate.report.terminal import Style, columns, safe
from exitgate.surfaces.watch.render import plain_line, screen, text_line
from exitgate.surfaces.watch.watcher import Watcher

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "kind", "iteration", "time", "at", "policy", "facts", "totals", "decision", "breaker", "run_prev",
    "name_prev", "probes",
)  # fmt: skip
DECIDED = (
    "verdict", "class", "outcome", "rule", "message", "stage", "firm", "warnings", "steps", "advice",
    "retry_at",
)  # fmt: skip


def real() -> tuple[list[dict[str, object]], dict[str, bytes]]:
    """Lines that real checks wrote (going on, warned, at an end), and the policies kept for them."""
    with tempfile.TemporaryDirectory() as folder:
        loop = Loop(Path(folder), "bb3")
        for n, response in enumerate(("one", "I am not sure, maybe", "all done")):
            loop.step(response, 6 if n == 2 else n)
        state = Path(loop.state)
        lines = [json.loads(raw) for raw in (state / "ledger.jsonl").read_bytes().splitlines()]
        return lines, {path.name: path.read_bytes() for path in (state / "policies").iterdir()}


LINES, POLICIES = real()
ANSWER = (
    "status", "passed", "reason", "exit_status", "total", "failed", "coverage", "failing", "evidence",
    "seconds", "cost", "reused",
)  # fmt: skip
FACTS = sorted(LINES[-1]["facts"])  # type: ignore[call-overload]
numbered = st.integers(1, 30)


@st.composite
def written(draw: st.DrawFn) -> bytes:
    """One line of a ledger: as a check wrote it, with parts put in, bytes that are none, or torn."""
    line = dict(draw(st.sampled_from(LINES)))
    line["run"] = draw(
        st.sampled_from(["default#1", "default#2", "day#1", "(breaker)", "x", "day#999999999999999999"])
    )
    line["sequence"] = draw(numbered)
    line["iteration"] = draw(st.integers(0, 12))
    for key in draw(st.lists(st.sampled_from(KEYS), max_size=2)):
        line[key] = draw(plain)
    if isinstance(line.get("decision"), dict):
        decision = dict(line["decision"])  # type: ignore[call-overload]
        for key in draw(st.lists(st.sampled_from(DECIDED), max_size=2)):
            decision[key] = draw(plain | st.sampled_from(CLASSES))
        line["decision"] = decision
    if isinstance(line.get("facts"), dict):
        changed = draw(st.dictionaries(st.sampled_from(FACTS), plain | st.fixed_dictionaries({"v": plain})))
        line["facts"] = {**line["facts"], **changed}  # type: ignore[dict-item]
    if draw(st.booleans()):
        answer = st.dictionaries(st.sampled_from(ANSWER), plain, min_size=1)
        line["probes"] = draw(st.dictionaries(st.text(max_size=5), answer, max_size=2))
    raw = json.dumps(line).encode() + b"\n"
    kind = draw(st.integers(0, 9))
    if kind == 0:
        return draw(st.binary(max_size=30)) + b"\n"
    return raw[: draw(st.integers(0, len(raw)))] if kind == 1 else raw


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.tuples(written(), st.booleans()), max_size=12), st.sampled_from([None, "default", "day#1"])
)
def test_any_lines(pieces: list[tuple[bytes, bool]], wanted: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        path = state / "ledger.jsonl"
        (state / "policies").mkdir()
        for name, content in POLICIES.items():
            (state / "policies" / name).write_bytes(content)
        watcher = Watcher(str(state), wanted)
        seen: list[LedgerLine] = []
        for raw, anew in pieces:
            with path.open("wb" if anew and len(pieces) > 6 else "ab") as file:
                file.write(raw)
            for _ in range(6):
                look = watcher.look()
                seen += look.decisions
                for line in look.decisions:
                    assert text_line(line).count("\n") == 1
                    assert json.loads(plain_line(line))["sequence"] == line.sequence
            there = [_known(one) for one in path.read_bytes().split(b"\n")]
            before = [_known(one) for one, _ in pieces for one in one.split(b"\n")]
            assert all(_key(line.plain) in there + before for line in seen)
            for width in (30, 80):
                lines = screen(watcher.view(START + 1e5), Style(False, width), 30)
                assert len(lines) <= 30
                assert all(columns(line) <= width and safe(line) == line for line in lines)
            _shows_only_what_is_there(watcher, there + before)


def _shows_only_what_is_there(watcher: Watcher, there: list[object]) -> None:
    if watcher.sight.now is None:
        assert watcher.view(START).verdict.text == "no decision yet"
        return
    assert _key(watcher.sight.now.plain) in there
    assert watcher.sight.now.kind == "decision"
    shown = [cell.exit_class for cell in watcher.sight.cells]
    assert shown[-1:] in ([], [None], *([one] for one in CLASSES))


def _known(raw: bytes) -> object:
    try:
        found = json.loads(raw)
    except ValueError:
        return None
    return _key(found) if isinstance(found, dict) else None


def _key(line: object) -> str:
    """A line as text: NaN is not equal to itself."""
    return json.dumps(line, sort_keys=True)
