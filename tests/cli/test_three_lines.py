"""What `check` prints by default: at most three lines and a warning, whatever is wrong."""

from __future__ import annotations

import re
from itertools import groupby, product
from operator import itemgetter
from pathlib import Path

from cases import each, some
from cli_policy import POLICY, write
from cli_program import Ran, run

from exitgate.core.model.decision import CLASS_CODES
from exitgate.core.policy.shipped import policies
from exitgate.report.wording import LINE, brief

HOSTILE = "\x1b[2J\x1b]0;x\x07 \u202e" + "word " * 3000 + "\x00 | `a` or `b` or `c`\n\n\n"
BLOCK = f"""---RALPH_STATUS---
STATUS: BLOCKED
RECOMMENDATION: {HOSTILE}
EXIT_SIGNAL: maybe
---END_RALPH_STATUS---
"""
PLAN = "- [x] one\n- [ ] two\n"
#: Responses, the bytes of each, and the plan beside it; None is no file.
INPUTS: dict[str, tuple[bytes | None, str | None]] = {
    "none": (None, None),
    "only a plan": (None, PLAN),
    "empty": (b"", ""),
    "blank": (b" \n\n", PLAN),
    "plain": (b"I changed src/a.py.\n", PLAN),
    "done": (b"All tasks are complete.\nEXIT_SIGNAL: true\n", "- [x] one\n"),
    "hostile": (HOSTILE.encode(), f"- [ ] {HOSTILE}"),
    "blocked": (BLOCK.encode("utf-8", "replace"), f"```\n{PLAN}"),
    "no UTF-8": (b"\xff\xfe\x00{", PLAN),
    "half of JSON": (b'{"type": "result", "result": "x', "{"),
    "JSON": (
        b'{"type": "result", "is_error": true, "permission_denials": [{"tool_name": "Bash"}]}',
        PLAN,
    ),
}
#: What only the inside of a policy is called; texts of policies do not use it either.
JARGON = re.compile(
    r"\b[0-9a-f]{16,}\b|\$\w|(?<!/)@\w|streak\(|repeats\(|\bfirm\b|\btentative\b|undetermined  |pending  "
)


def short(ran: Ran) -> list[str]:
    """Return the lines of a default answer, which are few, and narrow enough for a person."""
    lines = ran.out.splitlines()
    assert 3 <= len(lines) <= 4, ran
    assert lines[0].partition(" ")[0] in ("CONTINUE", "EXIT")
    assert lines[2].startswith("Next: ")
    assert all(line.startswith("warning: ") for line in lines[3:])
    assert all(len(line) <= LINE for line in lines)
    assert all(line.isprintable() for line in lines)
    assert not JARGON.search(ran.out), ran.out
    return lines


@each("policy", some(policies(), 5))
def test_never_more_than_three_lines_and_a_warning(policy: str, tmp_path: Path) -> None:
    response, plan = tmp_path / ".ralph" / "last-response.md", tmp_path / "fix_plan.md"
    response.parent.mkdir()
    for number, (said, tasks) in enumerate(INPUTS.values()):
        for path, data in ((response, said), (plan, tasks.encode() if tasks is not None else None)):
            path.unlink(missing_ok=True)
            if data is not None:
                path.write_bytes(data)
        for agent_exit in ("0", "0", "1"):
            words = ("--policy", policy, "--run", str(number), "--agent-exit", agent_exit)
            short(run("check", *words, cwd=tmp_path))


#: For each class of EXIT: what is to be done about it.
TO_DO = {
    "complete": "review what changed, then commit or merge it",
    "review": "read the agent's last response, then accept the work or say what is missing",
    "stuck": "split the task or say what to do differently, then start again",
    "halted": "fix the cause, then run `exitgate circuit reset`",
    "exhausted": "check what the run achieved, then start again, or raise `goal`",
    "blocked": "do what the agent waits for, then start again",
    "idle": "if work is left, add it to the plan and start again",
    "wait": "start again later; no time is known",
    "failed": "run the agent once by hand and fix what it reports, then start again",
    "interrupted": "start again; the run continues where it was",
    "undetermined": "write what the agent says where it is looked for (`AGENT > FILE`), "
    "or let `exitgate run -- AGENT` do it",
}


@each("name", CLASS_CODES)
def test_each_class_says_what_to_do(name: str, tmp_path: Path) -> None:
    write(tmp_path)
    text = POLICY.replace("exit: complete", f"exit: {name}").replace(
        "{tasks.total} tasks done", "{tasks.total}"
    )
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    ran = run(
        "check", "-", "plan.md", "-p", "./policy.yaml", "--set", "goal=50", cwd=tmp_path, stdin="said\n"
    )
    lines = short(ran)
    assert lines[0] == f"EXIT {name} · done"
    assert lines[1].startswith("1 of 2")
    assert lines[2] == f"Next: {TO_DO[name]}"


def test_a_run_that_goes_on_says_what_would_end_it(tmp_path: Path) -> None:
    write(tmp_path)
    said = [
        short(run("check", "-", "plan.md", "-p", "./policy.yaml", cwd=tmp_path, stdin=f"{turn}\n"))
        for turn in range(3)
    ]
    assert said[0] == [
        "CONTINUE · otherwise",
        "Continuing: no rule fired; 1 of 2 tasks done",
        "Next: complete when the last open task is done",
    ]
    assert said[2][2] == "Next: EXIT stuck after one more iteration like this one (nothing ticked)"


def test_no_response_is_one_loud_line(tmp_path: Path) -> None:
    for _ in range(2):
        ran = run("check", cwd=tmp_path)
    lines = short(ran)
    assert lines[2].startswith("Next: EXIT undetermined after one more iteration like this one")
    assert lines[3] == (
        "warning: no response found at `.ralph/last-response.md`; "
        "write it there (`AGENT > FILE`), or let `exitgate run -- AGENT` do it"
    )
    ended = short(run("check", cwd=tmp_path))
    assert ended[0].startswith("EXIT undetermined")
    assert "no response found at `.ralph/last-response.md`" in ended[3]


def test_a_plan_alone_does_not_hide_that_there_is_no_response(tmp_path: Path) -> None:
    (tmp_path / "fix_plan.md").write_text(PLAN, encoding="utf-8")
    assert len(short(run("check", cwd=tmp_path))) == 3, "before the first iteration there is none to read"
    assert "no response found" in short(run("check", cwd=tmp_path))[3]


def test_no_plan_is_named_while_nothing_else_is_near(tmp_path: Path) -> None:
    missing = "; no plan found at `.ralph/@fix_plan.md` or `.ralph/fix_plan.md` or "
    assert missing in short(run("check", cwd=tmp_path))[2]
    assert missing not in short(run("check", "-p", "loop-detection", "--run", "a", cwd=tmp_path))[2], (
        "a plan completes nothing there"
    )
    (tmp_path / "fix_plan.md").write_text(PLAN, encoding="utf-8")
    assert "no plan" not in run("check", "--run", "b", cwd=tmp_path).out


def test_the_file_that_changed_last_is_named(tmp_path: Path) -> None:
    import subprocess

    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    (tmp_path / "src").mkdir()
    words = ("check", "-", "--set", "stagnation_loops=2")
    for turn in range(6):
        if turn == 1:
            (tmp_path / "src" / "a.py").write_text("x = 1\n", encoding="utf-8")
        ran = run(*words, cwd=tmp_path, stdin=f"In turn {turn} I looked at number {turn * 7} of the files.\n")
        lines = short(ran)
        if ran.code:
            break
        assert lines[1].endswith("; last changed: src/a.py") == (turn >= 1)
        if turn < 2:
            assert run("explain", cwd=tmp_path).out.splitlines()[1] == lines[1]
    assert lines[0] == "EXIT stuck · stagnation"
    assert lines[1].endswith("; last changed: src/a.py")
    assert run("explain", cwd=tmp_path).out.splitlines()[1] == lines[1]


def test_verbose_groups_what_could_not_be_checked_by_cause(tmp_path: Path) -> None:
    run("check", cwd=tmp_path)
    ran = run("check", "-v", cwd=tmp_path)
    rows = [line for line in ran.out.splitlines() if line.startswith("cannot check")]
    causes = re.sub(r"\s+", " ", ran.out).count(": no response at `.ralph/last-response.md`")
    assert len(rows) == len(set(rows)) >= 1
    assert causes >= 1
    assert "undetermined  oscillation" in run(
        "check", "-vv", "--no-record", "--run", "a", "--agent-exit", "1", cwd=tmp_path
    ).out or ("recommended " in run("check", "-vv", "--no-record", cwd=tmp_path).out)


@each(
    ("text", "shown"),
    [
        ("no plan at `a` or `b`; x", "no plan at `a` or `b`; x"),
        ("no plan at `a` or `b` or `c` or `d`; x", "no plan at `a` or `b` or 2 more; x"),
        ("`a` or `b` or `c`, and `d` or `e` or `f`", "`a` or `b` or 1 more, and `d` or `e` or 1 more"),
        ("cannot read /w/a/b.md", "cannot read b.md"),
        ("cannot read /w/ab.md", "cannot read /w/ab.md"),
        ("`a` or `b` or `c", "`a` or `b` or 1 more"),
    ],
)
def test_long_lists_are_two_and_a_count_and_paths_relative(text: str, shown: str) -> None:
    assert brief(text, "/w/a") == shown


#: In the suite each class once, a part of them on each of these policies.
WHY_NOT = some(product(("recommended", "bb3", "doyaken-faithful"), CLASS_CODES), len(CLASS_CODES))


@each(
    ("policy", "names"),
    [(policy, [name for _, name in of]) for policy, of in groupby(WHY_NOT, itemgetter(0))],
)
def test_every_class_has_a_why_not(policy: str, names: list[str], tmp_path: Path) -> None:
    (tmp_path / "response.md").write_text("I changed src/a.py.\n", encoding="utf-8")
    (tmp_path / "plan.md").write_text(PLAN, encoding="utf-8")
    run("check", "response.md", "plan.md", "-p", policy, cwd=tmp_path)
    for name in names:
        ran = run("explain", "--why-not", name, cwd=tmp_path)
        assert ran.code == 0
        told = ran.out.partition(f"why not EXIT {name}\n")[2] or ran.out.partition(f"it is EXIT {name}")[2]
        answers = r"^[○◔?·●] \w+ |^`\w+` was not evaluated|gives EXIT|: rule `\w+` decided"
        assert re.search(answers, told, re.M), ran.out


def test_explain_begins_with_the_answer_and_counts_what_it_folds(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text(PLAN, encoding="utf-8")
    checked = run("check", "-", "plan.md", cwd=tmp_path, stdin="I changed src/a.py and src/b.py.\n")
    explained = run("explain", cwd=tmp_path).out
    assert explained.startswith(checked.out.partition("warning:")[0])
    shown = len(re.findall(r"^[○◔?·●!◌] (?!otherwise)", explained, re.M))
    every = len(re.findall(r"^[○◔?·●!◌] (?!otherwise)", run("explain", "--all", cwd=tmp_path).out, re.M))
    counted = re.search(r"^(\d+) more rules: `--all`", explained, re.M)
    assert counted is not None
    assert shown + int(counted[1]) == every
    assert not re.search(r"\b[0-9a-f]{16,}\b", explained)


def test_a_rule_that_there_is_not(tmp_path: Path) -> None:
    write(tmp_path)
    run("check", "-", "plan.md", "-p", "./policy.yaml", cwd=tmp_path, stdin="said\n")
    ran = run("explain", "--rule", "stil", cwd=tmp_path)
    assert (ran.code, ran.out) == (64, "")
    assert "did you mean `still`?" in ran.err
    assert run("explain", "--rule", "still", cwd=tmp_path).out.count("still  ") == 1
    ran = run("explain", "--rule", "otherwise", cwd=tmp_path)
    assert (ran.code, "is not a rule: it decides if no rule does" in ran.err) == (64, True)


@each(
    ("policy", "agent_exit"),
    [("recommended", "130"), ("guardrails", "130"), ("bb3", "130"), ("ralph", "143")],
)
def test_nothing_is_said_of_the_next_iteration_that_an_interruption_decides(
    policy: str, agent_exit: str, tmp_path: Path
) -> None:
    (tmp_path / "plan.md").write_text(PLAN, encoding="utf-8")
    words = ("check", "-", "plan.md", "-p", policy)
    ran = run(*words, "--agent-exit", agent_exit, cwd=tmp_path, stdin="I changed a file.\n")
    explained = run("explain", "--all", cwd=tmp_path).out
    goes_on = run(*words, "--agent-exit", "0", cwd=tmp_path, stdin="I changed another file.\n")
    if ran.code == CLASS_CODES["interrupted"]:
        assert goes_on.code == 0
        assert "when it continues" in explained
    assert "in any case" not in explained


def test_no_surface_lists_every_place_that_was_looked_at(tmp_path: Path) -> None:
    for _ in range(2):
        run("check", cwd=tmp_path)
    assert "IMPLEMENTATION_PLAN.md" in run("explain", "--format", "json", cwd=tmp_path).out
    for words in (("watch", "--once"), ("history",), ("explain",), ("check", "-v"), ("check",)):
        ran = run(*words, cwd=tmp_path)
        assert ran.out, words
        assert "IMPLEMENTATION_PLAN.md" not in ran.out, words


@each(
    ("place", "makes", "said"),
    [
        ("fix_plan.md", "folder", "plan: `fix_plan.md` cannot be read: it is a directory"),
        ("fix_plan.md", "link", "plan: `fix_plan.md` leads out of the project"),
        (".ralph/last-response.md", "folder", "`.ralph/last-response.md` cannot be read: it is a directory"),
        (".ralph/last-response.md", "link", "`.ralph/last-response.md` leads out of the project"),
        (".ralph/last-response.md", "large", "`.ralph/last-response.md` is larger than 50 MB"),
    ],
)
def test_what_is_there_and_cannot_be_read_is_a_warning_from_the_first_check_on(
    place: str, makes: str, said: str, tmp_path: Path
) -> None:
    there = tmp_path / place
    there.parent.mkdir(exist_ok=True)
    if makes == "folder":
        there.mkdir()
    elif makes == "link":
        there.symlink_to("/etc/passwd")
    else:
        with there.open("wb") as file:
            file.truncate(50_000_001)
    for _ in range(1 if place == "fix_plan.md" else 2):
        warning = short(run("check", "--policy", "recommended", cwd=tmp_path))[-1]
        assert warning.startswith("warning: ")
        assert said in warning
        assert "AGENT > FILE" not in warning  # that would not help


def test_what_a_decision_could_be_is_said_once_for_each_cause(tmp_path: Path) -> None:
    (tmp_path / ".ralph/last-response.md").parent.mkdir()
    (tmp_path / ".ralph/last-response.md").mkdir()
    for _ in range(3):
        ran = run("check", "-v", "--policy", "recommended", cwd=tmp_path)
    causes = re.findall(r"uncertain +this could be .*", ran.out)
    assert len(causes) == 1, ran.out
    assert " or EXIT " in causes[0]
    assert ran.out.count("warning ") == 1, ran.out
