"""A recorded run as what is given: decided as by a dry run, and everything that can be wrong with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from cases import some
from compiled import shipped_policy

from exitgate.core.gate.check import check
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.state.request import Request
from exitgate.recordings.discovery import parts_of, readable
from exitgate.recordings.model import Run, collect
from exitgate.recordings.replay.replay import Extraction, Replay
from exitgate.recordings.unread import Unread
from exitgate.testing.cases.case import Result
from exitgate.testing.cases.load import load_suite
from exitgate.testing.extract import observe
from exitgate.testing.runner import decide

EXAMPLES = Path(__file__).parents[3] / "examples" / "transcripts"


def recorded_runs() -> list[tuple[str, Run]]:
    found = []
    for one in readable([str(EXAMPLES)], None, Unread()):
        runs, _ = collect(parts_of(one, Unread()), str(one.reader))
        found += [(one.place.path, run) for run in runs if run.begin.parent is None]
    return found


@pytest.mark.parametrize("name", ["recommended", "ralph-claude-code", "loop-detection"])
def test_each_iteration_is_decided_as_by_a_dry_run(name: str, tmp_path: Path) -> None:
    policy = shipped_policy(name)
    runs = recorded_runs()
    assert sum(len(run.iterations) for _, run in runs) > 20
    runs = some(runs, 2)
    text = f"format: 1\npolicy: {name}\ntests:\n" + "".join(
        f"  - name: '{number}'\n    transcript: {{file: '{path}', run: '{run.begin.id}'}}\n"
        "    expect: {firm: true}\n"
        for number, (path, run) in enumerate(runs)
    )
    suite = load_suite(text, "tests.yaml", str(tmp_path))
    for (path, run), case in zip(runs, suite.cases, strict=True):
        observed = observe(case, suite.program(case))
        extraction, walk = Extraction(policy, run.begin), Replay(policy, run.begin)
        for number, one in enumerate(run.iterations, 1):
            wanted = walk.step(extraction.step(one))
            view = decide(case, suite.program(case), observed[:number])
            assert view.decision == wanted.decision, (path, number)
            assert dict(view.records[-1]) == dict(wanted.record), (path, number)


#: Answers of one run: two that are nothing but a program's error though nothing calls them one, words about
#: such an error, and a failure that says so.
ANSWERS = [
    {"result": "The harbour table has tides now."},
    {"result": "API Error: 529 overloaded_error: Overloaded"},
    {"result": "I handle `API Error: 529 overloaded_error` by trying again, and tested it."},
    {"result": "Credit balance is too low"},
    {"result": "Moored.", "is_error": True},
]
STAGES = ["after_iteration", "after_failure", "after_iteration", "after_failure", "after_failure"]


def test_the_stage_of_an_answer_is_the_one_that_a_check_asks(tmp_path: Path) -> None:
    for number, answer in enumerate(ANSWERS, 1):
        told = {"type": "result", "subtype": "success", "is_error": False, "session_id": "h", **answer}
        (tmp_path / f"{number}.json").write_text(json.dumps(told))
        checked = check(Request(root=str(tmp_path), response=f"{tmp_path}/{number}.json", record=False))
        text = (
            f"format: 1\npolicy: recommended\ntests:\n  - name: a\n    transcript: {number}.json\n"
            "    expect: {firm: true}\n"
        )
        suite = load_suite(text, "tests.yaml", str(tmp_path))
        (case,) = suite.cases
        view = decide(case, suite.program(case), observe(case, suite.program(case)))
        assert (view.stage, view.also) == (STAGES[number - 1], ("before_iteration",)), answer
        assert view.decision.rule == checked.decision.rule, answer


CSV = f"{{file: '{EXAMPLES}/csv-export'}}"


def test_expectations_at_iterations_given_facts_and_the_last_iteration(
    run: Callable[..., list[Result]],
) -> None:
    results = run(
        f"  - name: whole\n    transcript: '{EXAMPLES}/csv-export'\n"
        "    expect_at:\n      '1': {verdict: CONTINUE}\n      '2': {facts: {tasks.total: 99}}\n"
        "    facts: {tasks.total: 99}\n    expect: {facts: {tasks.total: 99}}\n"
        f"  - name: cut\n    transcript: {CSV}\n    iteration: 2\n"
        "    history: {tasks.done: 1 2}\n    expect: {facts: {tasks.done: 2}}\n"
        f"  - name: stage\n    transcript: {CSV}\n    stage: before_iteration\n    expect: {{rule: ~}}\n"
    )
    assert [result.failures for result in results] == [(), (), ()]
    assert len(results[1].case.given) == 2
    assert len(results[0].case.given) > 2


@pytest.mark.parametrize(
    ("case", "code", "part"),
    [
        ("transcript: gone.jsonl", "EP503", "gone.jsonl"),
        ("transcript: 'a::memory://x'", "EP503", "is not a file of this machine"),
        ("transcript: tests-of-ours.txt", "EP503", "no reader recognises"),
        (f"transcript: '{EXAMPLES}'", "EP503", "recorded runs in it: `"),
        (f"transcript: {{file: '{EXAMPLES}', run: cvs-export}}", "EP503", "no recorded run `cvs-export`"),
        (f"transcript: {{file: '{EXAMPLES}/csv-export', reader: nobody}}", "EP503", "no reader `nobody`"),
        (f"transcript: {CSV}\n    iteration: 400", "EP503", "no iteration `400`"),
        (f"transcript: {CSV}\n    sources: {{response: x}}", "EP504", "`sources` is given beside"),
        (f"transcript: {CSV}\n    agent_exit: 1", "EP504", "`agent_exit` is given beside"),
        (f"transcript: {CSV}\n    history: {{tasks.done: 1 2}}", "EP492", "has 2 samples, the recorded run"),
        ("iteration: 2", "EP504", "selects an iteration of a recorded run"),
        (f"transcript: {{fil: '{EXAMPLES}'}}", "EP2", ""),
        (f"transcript: {CSV}\n    iteration: 0", "EP2", ""),
    ],
)
def test_what_can_be_wrong(
    case: str, code: str, part: str, make_suite: Callable[..., object], tmp_path: Path
) -> None:
    (tmp_path / "tests-of-ours.txt").write_text("nothing that anybody reads")
    with pytest.raises(ExitgateError) as caught:
        make_suite(f"  - name: a\n    {case}\n    expect: {{verdict: EXIT}}\n")
    assert caught.value.exit_code == 65
    assert any(d.code.startswith(code) and part in d.message for d in caught.value.diagnostics)
    assert all(d.place is not None and d.place.line >= 4 for d in caught.value.diagnostics)
    help = " ".join(d.help for d in caught.value.diagnostics)
    assert "did you mean `csv-export`" in help or "cvs-export" not in case


def test_a_transcript_is_read_once_for_a_table(
    make_suite: Callable[..., object], monkeypatch: pytest.MonkeyPatch
) -> None:
    from exitgate.testing.cases import recordings

    read = []
    real = recordings._read
    monkeypatch.setattr(recordings, "_read", lambda *asked: read.append(asked) or real(*asked))
    make_suite(
        f"  - name: a\n    transcript: {CSV}\n    expect: {{firm: true}}\n"
        "    table: {columns: [$enough], rows: [[70], [80], [90]]}\n"
    )
    assert len(read) == 1
