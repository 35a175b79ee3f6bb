"""should_exit_gracefully on state files that somebody else wrote."""

from __future__ import annotations

import pytest
from shim_rows import AS_IT_IS, RECOMMENDED, Row, analysis, play, signals

SIGNALS, ANALYSIS = ".exit_signals", ".response_analysis"
#: What the script does when it starts, and at the top of its first loop.
START = f"""echo '{signals()}' > "$RALPH_DIR/.exit_signals"
: > "$RALPH_DIR/.response_analysis"
loop_count=1
init_circuit_breaker"""
EXIT = 'echo "[$(should_exit_gracefully 2>/dev/null)]"'


def row(
    name: str, expected: str, t: int = 0, d: int = 0, c: int = 0, said: str | None = None, **files: str
) -> Row:
    given = {SIGNALS: signals(t, d, c)} | ({} if said is None else {ANALYSIS: said})
    return Row(name, given | {f"{key}.md": text for key, text in files.items()}, EXIT, f"[{expected}]")


def x(value: bool, **more: object) -> str:
    return analysis(exit_signal=value, **more)


NOTHING = analysis()
DENIED = {"has_permission_denials": True}
ROWS = [
    row("nothing", ""),
    row("t3", "test_saturation", t=3),
    row("t2", "", t=2),
    row("d2", "completion_signals", d=2),
    row("d1", "", d=1),
    row("c2-true", "project_complete", c=2, said=x(True)),
    row("c1", "", c=1),
    row("c1-true", "", c=1, said=x(True)),
    row("c2-false", "", c=2, said=x(False)),
    row("c3-false", "", c=3, said=x(False)),
    row("c4-false", "", c=4, said=x(False)),
    row("c5-false", "safety_circuit_breaker", c=5, said=x(False)),
    row("c5-true", "safety_circuit_breaker", c=5, said=x(True)),
    row("c2-no-analysis", "", c=2),
    row("c3-no-analysis", "", c=3),
    row("c2-broken-analysis", "", c=2, said="{no json"),
    row("c2-empty-analysis", "", c=2, said="{}"),
    row("c2-without-the-field", "", c=2, said=analysis(confidence_score=90)),
    row("t4-d2-c2", "test_saturation", t=4, d=2, c=2, said=x(True)),
    row("t4-c1-false", "test_saturation", t=4, c=1, said=x(False)),
    row("d3-c1-false", "completion_signals", d=3, c=1, said=x(False)),
    row(
        "c3-false-complete",
        "",
        c=3,
        said=x(False, has_completion_signal=True, work_summary="STATUS: COMPLETE"),
    ),
    row("t5-d5", "test_saturation", t=5, d=5),
    row("denied-1", "permission_denied", said=x(False, **DENIED, permission_denial_count=1)),
    row("denied-3", "permission_denied", said=x(False, **DENIED, permission_denial_count=3)),
    row("denied-t3", "permission_denied", t=3, said=x(False, **DENIED)),
    row("denied-with-true", "permission_denied", c=2, said=x(True, **DENIED)),
    row("denied-false", "", said=x(False, has_permission_denials=False)),
    row("no-denial-fields", "", said=NOTHING),
    Row("no-signals-file", {}, EXIT, "[]"),
    Row("signals-no-json", {SIGNALS: "not json at all"}, EXIT, "[]"),
    Row("signals-other-shapes", {SIGNALS: '{"done_signals": 7, "test_only_loops": {"a": 1}}'}, EXIT, "[]"),
    Row(
        "stale-signals-then-start-up",
        {SIGNALS: signals(3, 2, 5), ANALYSIS: x(True)},
        f"{EXIT}\n{START}\n{EXIT}",
        "[test_saturation]\n[]",
    ),
    Row(
        "asked-twice-is-the-same",
        {SIGNALS: signals(0, 0, 2), ANALYSIS: x(True)},
        f'{EXIT}\n{EXIT}\nread -r head <"$RALPH_DIR/.exitgate_answer"; echo "$head"',
        "[project_complete]\n[project_complete]\nexitgate shim 1",
    ),
]

UPDATE = 'update_exit_signals && cat "$RALPH_DIR/.exit_signals"'
UPDATES = [
    Row(
        "update-false-70",
        {SIGNALS: signals(), ANALYSIS: x(False, confidence_score=70)},
        UPDATE,
        '{"test_only_loops": [], "done_signals": [], "completion_indicators": []}',
    ),
    Row(
        "update-true",
        {SIGNALS: signals(), ANALYSIS: analysis(7, exit_signal=True, has_completion_signal=True)},
        UPDATE,
        '{"test_only_loops": [], "done_signals": [7], "completion_indicators": [7]}',
    ),
    Row(
        "update-keeps-five",
        {
            SIGNALS: signals(5, 5, 5),
            ANALYSIS: analysis(6, exit_signal=True, has_completion_signal=True, is_test_only=True),
        },
        UPDATE,
        '{"test_only_loops": FIVE, "done_signals": FIVE, "completion_indicators": FIVE}'.replace(
            "FIVE", "[2, 3, 4, 5, 6]"
        ),
    ),
    Row(
        "progress-clears-tests",
        {SIGNALS: signals(2, 1, 0), ANALYSIS: analysis(3, has_progress=True)},
        UPDATE,
        '{"test_only_loops": [], "done_signals": [1], "completion_indicators": []}',
    ),
    Row(
        "update-of-named-files",
        {"a/an": analysis(4, exit_signal=True), "a/sig": "garbage"},
        'update_exit_signals "$RALPH_DIR/a/an" "$RALPH_DIR/a/sig" && cat "$RALPH_DIR/a/sig"',
        '{"test_only_loops": [], "done_signals": [], "completion_indicators": [4]}',
    ),
    Row(
        "update-without-analysis",
        {},
        "update_exit_signals >/dev/null || echo no",
        "no",
    ),
]

#: What `recommended` decides on the same files: two rows of the loop's that are wrong knowingly differ.
BETTER = [
    row("false-beats-claims", "", d=3, c=1, said=x(False)),
    row("c5-false-goes-on", "", c=5, said=x(False)),
    row("one-signal-is-enough", "project_complete", c=1, said=x(True)),
    row("an-open-plan-contradicts", "", c=2, said=x(True), fix_plan="- [x] a\n- [ ] b\n"),
    row("t3-of-the-loop", "test_saturation", t=3),
    row("denied", "permission_denied", said=x(False, **DENIED)),
    row("nothing", ""),
]


@pytest.fixture(scope="module")
def as_it_is(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), [*ROWS, *UPDATES], AS_IT_IS)


@pytest.fixture(scope="module")
def recommended(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), BETTER, RECOMMENDED)


@pytest.mark.parametrize("row", [*ROWS, *UPDATES], ids=lambda row: row.id)
def test_the_loops_own_decisions(as_it_is: dict[str, str], row: Row) -> None:
    assert as_it_is[row.id] == row.expected


@pytest.mark.parametrize("row", BETTER, ids=lambda row: row.id)
def test_better_decisions(recommended: dict[str, str], row: Row) -> None:
    assert recommended[row.id] == row.expected
