"""`--fix`: what is fixed, what is left, and that no decision changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lint_examples import DEFAULT, opened, place

from exitgate.analysis.edits import Edit
from exitgate.analysis.lint import registry, run
from exitgate.analysis.lint.doc import doc_of
from exitgate.analysis.lint.finding import Finding, Lint
from exitgate.analysis.lint.fix import Fixed, fix
from exitgate.analysis.lint.loader import open_subject
from exitgate.analysis.lint.subject import Subject
from exitgate.core.engine.program import Program
from exitgate.core.model.value import Unknown
from exitgate.core.policy.compile import load_policy

FIXABLE = [lint.ID for lint in registry.lints() if doc_of(lint).fix]
MENDING = tuple(registry.load(id) for id in FIXABLE)


def fixed(path: Path, lints: tuple[Lint, ...], lint: Lint | None = None) -> Fixed:
    def reopen(text: str | None = None):  # type: ignore[no-untyped-def]
        if lint is not None:
            return opened(path, lint, text)
        return open_subject(str(path), DEFAULT, "", None, text)

    return fix(reopen(), lints, reopen)


@pytest.mark.parametrize("id", FIXABLE)
def test_a_lint_that_says_it_mends_does(id: str, tmp_path: Path) -> None:
    lint = registry.load(id)
    path = place(tmp_path, lint, doc_of(lint).bad)
    done = fixed(path, registry.lints(), lint)
    assert (done.fixed > 0, done.refused) == (True, ())
    path.write_text(done.text, encoding="utf-8")
    subject = opened(path, lint).subject
    assert subject is not None
    assert run.lint(subject, registry.lints()) == ()
    assert fixed(path, registry.lints(), lint).fixed == 0


def test_lints_that_do_not_say_so_make_no_edits(tmp_path: Path) -> None:
    for lint in registry.lints():
        if lint.ID not in FIXABLE:
            folder = tmp_path / lint.ID
            folder.mkdir()
            assert fixed(place(folder, lint, doc_of(lint).bad), (lint,), lint).fixed == 0


MESSY = """\
# a head
policy: p      # its name
format: 1
version: 1.0.0
facts:
  tasks: {extract: checklist, from: plan}
rules:
  - id: done # here
    when: "tasks.percent>=90 and (tasks.open   < 3)"   # quoted
    exit: complete
    mode: enforce   # stays, and so does its key
    locked: false

    # a comment of its own
    because: 'It''s done'
  - {id: b, when: tasks.done between 1 and 3, exit: stuck, stage: after_iteration}
  # lint: off redundant-key: shown on purpose
  - {id: c, when: run.iterations > 3, exit: stuck, outcome: c}
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_comments_layout_line_ends_and_what_is_suppressed_stay(tmp_path: Path, ending: str) -> None:
    path = tmp_path / "policy.yaml"
    (tmp_path / "policy.schema.json").write_text("{}", encoding="utf-8")
    path.write_bytes(MESSY.replace("\n", ending).encode())
    head = "# yaml-language-server: $schema=policy.schema.json\n"
    expected = head + MESSY.replace(
        '"tasks.percent>=90 and (tasks.open   < 3)"', '"tasks.percent >= 90% and tasks.open < 3"'
    ).replace("    locked: false\n", "").replace(", stage: after_iteration", "")
    assert fixed(path, MENDING).text == expected.replace("\n", ending)


class Wrong:
    """A lint whose edit changes a decision, breaks the file, or is only a comment."""

    ID = "wrong"
    TITLE = "wrong"
    SEVERITY = "note"
    KINDS = ("policy",)
    COMPILED = False

    def __init__(self, old: str, new: str) -> None:
        self._old, self._new = old, new

    def check(self, subject: Subject):  # type: ignore[no-untyped-def]
        at = subject.document.lines.text.find(self._old)
        if at >= 0:
            edit = Edit(at, at + len(self._old), self._new)
            yield Finding(f"{self._old} to {self._new}", subject.head(), "no", (edit,))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("between 1 and 3", "between 1 and 4"),
        ("exit: stuck", "exit: idle"),
        ("exit: stuck", "exit: ["),
        ("It''s done", "It is not"),
        ("run.iterations", "run.tokens"),
        ("- {id: b", "- {id: bb"),
        ("from: plan", "from: response"),
    ],
)
def test_an_edit_that_changes_what_the_policy_means_is_refused(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(MESSY, encoding="utf-8")
    redundant = registry.load("redundant-key")
    done = fixed(path, (Wrong(old, new), redundant))  # type: ignore[arg-type]
    assert [placed.finding.message for placed in done.refused] == [f"{old} to {new}"]
    assert old in done.text
    assert done.fixed == 2  # the sound edits are made all the same


def test_a_lint_that_never_rests_is_stopped(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(MESSY, encoding="utf-8")
    restless = Wrong("# a head", "# a head # a head")
    done = fixed(path, (restless,))  # type: ignore[arg-type]
    assert done.text.count("# a head") == 11


CONDITIONS = (
    "tasks.percent>=90", "tasks.percent between 10 and (50)", "not  (tasks.percent<30%)",
    "tasks.open==0",
    "(tasks.done > 2 or tasks.percent is 100)", "tasks.percent in [0,50,  (100)]",
    "'tasks.done>=1 and(tasks.open<2)'",
    "tasks.percent > previous(tasks.percent)", "tasks.percent unchanged for 2 iterations", "(tasks.complete)",
)  # fmt: skip
EXTRAS = (
    "", "    mode: enforce\n", "    mode: enforce # x\n", "    stage: after_iteration\n",
    "    outcome: r{n}\n",
    "    # lint: off redundant-key: none is\n", "    locked: false\n", "    # lint: off-file id-style: one\n",
)  # fmt: skip
RULE = "  - id: r{n}\n    when: {when}\n    exit: {exit}\n"


@st.composite
def policies(draw: st.DrawFn) -> str:
    rules = ""
    for n in range(draw(st.integers(1, 4))):
        exit = draw(st.sampled_from(("complete", "stuck", "review")))
        rules += RULE.format(n=n, when=draw(st.sampled_from(CONDITIONS)), exit=exit)
        extras = draw(
            st.lists(st.sampled_from(EXTRAS), max_size=3, unique_by=lambda extra: extra.strip()[:4])
        )
        rules += "".join(extras).replace("{n}", str(n))
    return MESSY.partition("rules:")[0] + "rules:\n" + rules


KNOWN = {"tasks.total": 4, "run.iterations": 2}


def _record(done: int | None) -> dict[str, object]:
    if done is None:
        return {name: Unknown("no plan", name) for name in ("tasks.percent", "tasks.done", "tasks.open")}
    values = {
        "tasks.done": done,
        "tasks.open": 4 - done,
        "tasks.percent": 25 * done,
        "tasks.complete": done == 4,
    }
    return {**KNOWN, **values}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(policies(), st.lists(st.one_of(st.none(), st.integers(0, 4)), min_size=1, max_size=4))
def test_fixing_changes_no_decision_and_is_done_at_once(
    tmp_path: Path, text: str, done: list[int | None]
) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    before = Program(load_policy(str(path)))
    mended = fixed(path, MENDING)
    assert mended.refused == ()
    path.write_text(mended.text, encoding="utf-8")
    after = Program(load_policy(str(path)))
    run_ = [_record(one) for one in done]
    assert after.decide(run_, "after_iteration") == before.decide(run_, "after_iteration")
    assert "policy: p      # its name\n" in mended.text
    assert fixed(path, MENDING).fixed == 0
