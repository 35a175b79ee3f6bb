"""Console logs of loops: the same run told in many forms, quoted headers, launches, encodings, damages."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from console_logs import FORMS, Form, header, log_of
from loop_folders import read, reader

from exitgate.recordings.model import Run

TEXTS = (
    "I laid the first stone.\n\n- `bridge.py` has a pier now\n- 4 tests pass",
    "## Summary\n\nThe second pier is complete. Iteration 2 of the work went well.",
    "Error: cannot find the quarry",
    "The railing is up. Nothing else was touched.\n\n---\n\nLoop 3 was harder than this one.",
)
BY_NAME = {form.name: form for form in FORMS}
#: Forms whose headers say when they were written.
TIMED = tuple(form for form in FORMS if "{at}" in form.header)


def logged(folder: Path, text: str | bytes, name: str = "ralph.log") -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def runs_of(path: Path) -> tuple[Run, ...]:
    assert reader(path) == "loop-logs"
    return read(path)[0]


def said(run: Run) -> list[str | None]:
    return [one.response for one in run.iterations]


@each("form", FORMS, ids=lambda form: form.name)
def test_every_form_gives_the_same_run(tmp_path: Path, form: Form) -> None:
    (run,) = runs_of(logged(tmp_path, log_of(form, TEXTS)))
    assert said(run) == list(TEXTS)
    assert run.begin.limit in ((20,) if "{m}" in form.header + form.start else (None,))
    if "{at}" in form.header:
        assert [one.started_at and one.started_at // 1 for one in run.iterations] == [
            1770112800.0 + 120 * n for n in range(4)
        ]


@pytest.mark.parametrize("name", ["github-raw", "equals", "brackets"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_the_time_that_a_runner_of_ci_writes_before_each_line_is_no_part_of_it(
    tmp_path: Path, name: str, mark: str
) -> None:
    lines = log_of(BY_NAME[name], TEXTS).splitlines()
    text = "".join(f"2026-02-03T10:{n:02}:00.{n:07}Z {line}\n" for n, line in enumerate(lines))
    (run,) = runs_of(logged(tmp_path, mark + text, "1_loop.txt"))
    assert said(run) == list(TEXTS)


#: Headers that say little: numbers that rise from the first line of the log to its last must speak for them.
PLAIN = (
    "Run #{n}",
    "Round {n}",
    "=== Step {n}/{m} ===",
    "--- Schritt {n} ---",
    "Attempt {n}",
    "=== Stage {n}/9 ===",
)


@pytest.mark.parametrize("words", PLAIN)
def test_numbers_that_rise_throughout_are_evidence(tmp_path: Path, words: str) -> None:
    form = Form("t", words)
    (run,) = runs_of(logged(tmp_path, log_of(form, TEXTS)))
    assert said(run) == list(TEXTS)


@pytest.mark.parametrize("words", PLAIN)
def test_numbers_that_do_not_rise_throughout_are_none(tmp_path: Path, words: str) -> None:
    heads = [words.format(n=n, m=4) for n in range(1, 9)]
    a, b, c, d = (f"{head}\nA stone.\n" for head in heads[:4])
    for text in (a + b, a + c + d, b + c + d, a + b + c + b, f"I did:\n{a}{b}{c}", "".join(heads[:3])):
        assert reader(logged(tmp_path, text)) is None
    assert reader(logged(tmp_path, f"```\n{a}{b}{c}```\n")) is None


@each("words", (*PLAIN, "Run {n} started", "[run {n}/4]", "=== Wall: step {n} ==="))
@each("form", FORMS[::3], ids=lambda form: form.name)
def test_such_words_in_a_text_cut_nothing(tmp_path: Path, form: Form, words: str) -> None:
    listed = "".join(f"{words.format(n=n, m=4)}\nA stone.\n" for n in range(1, 5)) + "All laid."
    (run,) = runs_of(logged(tmp_path, log_of(form, (listed, *TEXTS[1:], listed, TEXTS[0], TEXTS[1]))))
    assert said(run) == [listed, *TEXTS[1:], listed, TEXTS[0], TEXTS[1]]


@pytest.mark.parametrize("words", PLAIN)
def test_such_words_in_a_file_of_one_iteration_cut_nothing(tmp_path: Path, words: str) -> None:
    listed = "".join(f"{words.format(n=n, m=4)}\nA stone.\n" for n in range(1, 5)) + "All laid."
    for n in (1, 2, 3):
        logged(tmp_path, listed, f"iteration-{n}.log")
    (run,) = read(tmp_path, "loop-logs")[0]
    assert said(run) == [listed] * 3


@each("form", FORMS, ids=lambda form: form.name)
@each("first", [0, 5, 98])
def test_numbers_begin_anywhere(tmp_path: Path, form: Form, first: int) -> None:
    (run,) = runs_of(logged(tmp_path, log_of(form, TEXTS, limit=120, first=first)))
    assert said(run) == list(TEXTS)
    assert [one.index if one.number is None else one.number for one in run.iterations] == [
        first + n for n in range(4)
    ]


@each("form", FORMS, ids=lambda form: form.name)
def test_a_number_that_goes_back_begins_a_launch(tmp_path: Path, form: Form) -> None:
    text = log_of(form, TEXTS[:3]) + log_of(form, TEXTS[1:], minute=30) + log_of(form, TEXTS[:1], minute=50)
    assert [said(run) for run in runs_of(logged(tmp_path, text))] == [
        list(TEXTS[:3]),
        list(TEXTS[1:]),
        [TEXTS[0]],
    ]


@each("form", FORMS, ids=lambda form: form.name)
def test_a_header_in_a_fence_is_quoted(tmp_path: Path, form: Form) -> None:
    quoted = f"The log says:\n\n```\n{header(form, 1, 20, 0)}\n```\n\nSo it began."
    (run,) = runs_of(logged(tmp_path, log_of(form, (*TEXTS[:2], quoted, TEXTS[3]))))
    assert len(run.iterations) == 4 and str(run.iterations[2].response).endswith("So it began.")


@each("form", FORMS, ids=lambda form: form.name)
def test_a_fence_left_open_hides_no_header(tmp_path: Path, form: Form) -> None:
    opened = "Here it is:\n\n```python\nspan = 3"
    (run,) = runs_of(logged(tmp_path, log_of(form, (opened, *TEXTS[1:], opened, TEXTS[0]))))
    assert said(run) == [opened, *TEXTS[1:], opened, TEXTS[0]]


@each("form", FORMS, ids=lambda form: form.name)
def test_an_earlier_header_without_a_fence_is_quoted(tmp_path: Path, form: Form) -> None:
    quoted = f"Before, the log had\n{header(form, 2, 20, 2).strip()}\nand so on."
    (run,) = runs_of(logged(tmp_path, log_of(form, (*TEXTS[:3], quoted, TEXTS[0], TEXTS[1]))))
    assert len(run.iterations) == 6


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
@pytest.mark.parametrize("encoding", ["crlf", "bom", "utf-16", "cp1252", "hole", "ansi"])
def test_bytes_of_other_places(tmp_path: Path, form: Form, encoding: str) -> None:
    text = log_of(form, TEXTS)
    data = text.encode()
    if encoding == "crlf":
        data = text.replace("\n", "\r\n").encode()
    elif encoding == "bom":
        data = b"\xef\xbb\xbf" + data
    elif encoding == "utf-16":
        data = text.encode("utf-16")
    elif encoding == "cp1252":
        data = text.encode("cp1252", "ignore")
        if form.name in ("snarktank-amp", "dated", "box", "emoji", "chinese", "japanese"):
            pytest.skip("its signs are in no code page")
    elif encoding == "hole":
        data = b"> built in 3 s\n" + b"\0" * 9000 + data
    else:
        data = "".join(f"\x1b[36m{line}\x1b[0m\n" for line in text.splitlines()).encode()
    (run,) = runs_of(logged(tmp_path, data))
    assert [one and one.replace("\r", "") for one in said(run)] == list(TEXTS)


@each("form", FORMS, ids=lambda form: form.name)
def test_a_log_that_breaks_off_behind_a_header(tmp_path: Path, form: Form) -> None:
    text = log_of(form, TEXTS) + header(form, 5, 20, 8) + "\n"
    (run,) = runs_of(logged(tmp_path, text))
    assert said(run) == [*TEXTS, None] and "response" in run.iterations[-1].not_known


@each("form", TIMED, ids=lambda form: form.name)
def test_two_headers_in_a_row_are_two_launches(tmp_path: Path, form: Form) -> None:
    text = header(form, 1, 20, 0) + "\n" + log_of(form, TEXTS, minute=5)
    assert [said(run) for run in runs_of(logged(tmp_path, text))] == [[None], list(TEXTS)]


@pytest.mark.parametrize(
    ("last", "how"),
    [
        ("Ralph completed all tasks!\nCompleted at iteration 4 of 20", "complete"),
        ("Ralph reached max iterations (4) without completing all tasks.\nCheck x for status.", "exhausted"),
        ("Max iterations (4) reached", "exhausted"),
        ("Reached maximum iterations: 4", "exhausted"),
        ("^C", "interrupted"),
        ("Interrupted by user (Ctrl-C)", "interrupted"),
        ("Circuit breaker is OPEN, loop halted", "halted"),
        ("All tasks are complete now.", None),
        ("The loop over the stones is done.", None),
    ],
)  # fmt: skip
def test_how_it_ended_in_the_words_of_the_loop(tmp_path: Path, last: str, how: str | None) -> None:
    (run,) = runs_of(logged(tmp_path, log_of(BY_NAME["equals"], TEXTS) + f"\n{last}\n"))
    assert run.end.how == how
    assert (run.iterations[-1].response == TEXTS[-1]) is (how is not None)


@pytest.mark.parametrize(
    ("line", "status", "timed_out"),
    [
        ("claude exited with code 1", 1, None),
        ("Agent finished (exit code: 3, duration: 20s)", 3, None),
        ("claude TIMEOUT after 600s", 124, True),
        ("Agent timed out (10 min)", 124, True),
        ("Claude returned: exit_code=0 output_length=1302", 0, None),
        ("Timeout: 600 per iteration", None, None),
    ],
)
def test_how_the_process_went(tmp_path: Path, line: str, status: int | None, timed_out: bool | None) -> None:
    form = Form("t", "[{at}] Iteration {n}/{m}", "[{at}] " + line)
    (run,) = runs_of(logged(tmp_path, log_of(form, TEXTS)))
    assert {(one.exit_status, one.timed_out) for one in run.iterations} == {(status, timed_out)}
    assert said(run) == list(TEXTS)


def test_what_the_loops_own_tests_print_is_not_the_agents(tmp_path: Path) -> None:
    form = Form(
        "t",
        "[{at}] Iteration {n}/{m}",
        "[{at}] Running tests...\n3 failed, 1 passed\n[{at}] 4 tasks remaining",
    )
    (run,) = runs_of(logged(tmp_path, log_of(form, TEXTS)))
    assert said(run) == list(TEXTS)
    assert [str(one.plan).count("- [ ]") for one in run.iterations] == [4] * 4


def test_what_it_cut_at_a_length_is_cut(tmp_path: Path) -> None:
    form = Form("t", "[{at}] --- Iteration {n} of {m} ---", "[{at}] Waiting 5s...")
    body = [f"[2026-02-03 10:0{2 * n}:30] Output (40 chars): {text[:40]}" for n, text in enumerate(TEXTS)]
    (run,) = runs_of(logged(tmp_path, log_of(form, body)))
    assert said(run) == [text[:40].rstrip("\n") for text in TEXTS]
    assert [one.record.get("truncated") for one in run.iterations] == [True, True, None, True]


def test_a_start_without_headers_says_that_nothing_can_be_told_apart(tmp_path: Path) -> None:
    path = logged(
        tmp_path,
        "=== Agent Loop Started 2026-02-03 10:00:00 ===\nMode: build\n\nI laid a stone.\nAnd one more.\n",
    )
    assert reader(path) == "loop-logs"
    (run,), problems = read(path)
    assert run.iterations == () and len(problems) == 1 and "cannot be separated" in str(problems[0])


@each(
    "text",
    [
        "I went round the loop 3 times.\nIteration 2 was slow.\nThen I stopped.\n",
        "# How to\n\n```\n=== Iteration 1 ===\nhello\n```\n",
        "## Iteration 1\n",
        "Step 1: do it\nStep 2: do it again\n",
        "Step 1/3 : FROM a\n a\nStep 2/3 : RUN b\n b\nStep 3/3 : RUN c\n c\n",
        "<html>\n<body>\n=== Iteration 1 ===\na\n=== Iteration 2 ===\nb\n</body>\n",
        "iteration=1 loss=0.9\niteration=2 loss=0.8\niteration=3 loss=0.7\n",
        "::group::Install\nok\n::endgroup::\n::group::Test\nok\n::endgroup::\n",
        "INFO:app:round 1 of the talks\nINFO:app:round 2 of the talks\n",
        "> build\n\nBUILD SUCCESSFUL in 6s\n",
        "2026-02-03 10:00:00 INFO server started\n2026-02-03 10:00:01 INFO request 1 of 3\n",
        "Starting the loop over all files\n",
        "",
        "\0\0\0",
    ],
)
def test_what_is_no_log_of_a_loop(tmp_path: Path, text: str) -> None:
    assert reader(logged(tmp_path, text)) is None


@pytest.mark.parametrize(
    ("line", "boxes"),
    [
        ("0 tasks remaining.", (0, 1)),
        ("3 of 5 stories done", (2, 3)),
        ("Stories remaining: 4", (4, 0)),
        ("0 issues left", None),
        ("0 failed, 12 passed", None),
        ("7/9 tests", None),
    ],
)
def test_what_the_loop_counts_is_the_plan(tmp_path: Path, line: str, boxes: tuple[int, int] | None) -> None:
    form = Form("t", "[{at}] Iteration {n}/{m}", "[{at}] " + line)
    (run,) = runs_of(logged(tmp_path, log_of(form, TEXTS)))
    assert run.begin.plan is None
    for one in run.iterations:
        assert (one.plan and (one.plan.count("- [ ]"), one.plan.count("- [x]"))) == boxes
