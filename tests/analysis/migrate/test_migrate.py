"""Policies of older formats in today's: what becomes of each thing, what is refused, what is kept."""

from __future__ import annotations

from collections.abc import MutableMapping
from pathlib import Path

import pytest

from exitgate.analysis.migrate.migrate import migrate_text
from exitgate.analysis.migrate.step import Remarks, Step
from exitgate.analysis.migrate.steps import STEPS, format_of
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.extending.merged import FORMAT

HERE = Path(__file__).parent
SKETCH = (HERE / "sketch.yaml").read_text(encoding="utf-8")
SMALL = """\
policy: p          # which
# what it is
version: 1.0.0
rules:
  - {id: a,   when: run.iterations > 3, exit: exhausted}   # enough
"""


def refused(text: str) -> list[str]:
    with pytest.raises(ExitgateError) as caught:
        migrate_text(text, "p.yaml")
    assert caught.value.exit_code == 65
    return [
        f"{d.code} {d.place.line}:{d.place.column} {d.message}" for d in caught.value.diagnostics if d.place
    ]


def test_there_is_a_step_from_every_format_to_the_next() -> None:
    assert [step.since for step in STEPS] == list(range(FORMAT))
    assert all(step.doc for step in STEPS)


def test_a_policy_that_only_lacks_its_number_gets_one_line() -> None:
    migrated = migrate_text(SMALL, "p.yaml")
    first, *rest = SMALL.splitlines(keepends=True)
    assert migrated.text == "".join([first, "format: 1\n", *rest])
    assert (migrated.since, migrated.warnings) == (0, ())


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("---\npolicy: p\nversion: 1.0.0", "---\npolicy: p\nformat: 1\nversion: 1.0.0"),
        ("version: 1.0.0\npolicy: p", "version: 1.0.0\npolicy: p\nformat: 1"),
        ("policy: p\nformat: 0  # old\nversion: 1.0.0", "policy: p\nformat: 1  # old\nversion: 1.0.0"),
        ("policy: p\r\nversion: 1.0.0\r\n", "policy: p\r\nformat: 1\r\nversion: 1.0.0\r\n"),
        ('policy: "p"   # a\nversion: 1.0.0', 'policy: "p"   # a\nformat: 1\nversion: 1.0.0'),
    ],
)
def test_where_the_number_goes(text: str, wanted: str) -> None:
    rules = "rules: []" if text.endswith("\n") else "\nrules: []"
    assert migrate_text(text + rules, "p.yaml").text == wanted + rules


@pytest.mark.parametrize(
    "text",
    [
        "lexicon: l\ntitle: L\n",
        "tests: []\n",
        "exit_decision: {policy: bb3}\n",
        "a: 1\n",
        "apiVersion: v1\nkind: Pod\n",
    ],
)
def test_what_is_no_policy_is_left_alone(text: str) -> None:
    assert migrate_text(text, "x.yaml").text == text
    assert migrate_text(text, "x.yaml").since is None


def test_a_policy_of_today_is_left_alone_whatever_is_wrong_with_it() -> None:
    text = "policy: p\nformat: 1\nnonsense:   [1,2]\n"
    assert migrate_text(text, "p.yaml").text == text


def test_the_first_sketch_becomes_a_policy_of_today() -> None:
    migrated = migrate_text(SKETCH, "sketch.yaml")
    assert migrated.text == (HERE / "sketch_in_format_1.yaml").read_text(encoding="utf-8")
    assert [(d.code, d.place.line if d.place else 0) for d in migrated.warnings] == [
        ("EP546", 30), ("EP546", 36), ("EP546", 62), ("EP546", 71), ("EP546", 73),
    ]  # fmt: skip


def test_what_comes_of_the_sketch_loads(tmp_path: Path) -> None:
    path = tmp_path / "policy.yaml"
    path.write_text(migrate_text(SKETCH, "sketch.yaml").text, encoding="utf-8")
    policy = load_policy(str(path))
    assert [(r.id, r.effect, r.exit_class, r.outcome, r.mode, r.locked) for r in policy.rules] == [
        ("circuit_open", "exit", "halted", "circuit_open", "enforce", True),
        ("low_confidence", "exit", "review", "needs_review", "warn", False),
        ("busy", "continue", None, "moving", "enforce", False),
        ("stagnation", "exit", "stuck", "stuck", "enforce", False),
    ]
    assert policy.exit_after_blind == 5
    assert [(i.id, i.text, i.claim, i.verdict) for i in policy.invariants] == [
        ("breaker_wins", "circuit.state is OPEN", "always", "EXIT"),
        ("never_blind_exit", "nothing is known", "never", "EXIT"),
        ("open_by_facts", "circuit.state is OPEN", "always", "halted"),
    ]


#: A piece of the sketch, what stands there instead, and what is told of it.
REFUSED = {
    "a class that nobody knows": (
        "outcome: stuck}", "outcome: shelved}", "EP545 57:28 `shelved` does not say which class",
    ),
    "no decision": ("{decision: exit, outcome: stuck}", "{outcome: stuck}", "EP545 57:5 `None` is no"),
    "an end without a rule": (
        "  decision: continue\n", "  decision: exit\n",
        "EP545 61:3 a run cannot end with `exit` without a rule",
    ),
    "an end by silence": (
        "{decision: continue, warn", "{decision: exit, warn",
        "EP545 65:18 a single silent iteration does not end a run",
    ),
    "a fact from nowhere": (
        ", using: error_words", "", "EP545 23:3 there is no extractor for `errors.count`",
    ),
    "an extractor of another kind": (
        "kind: count_words", "kind: magic", "EP545 34:3 `magic` cannot give `errors.count` in format 1",
    ),
    "a count of another name": (
        "errors.count:  ", "errors.number: ", "EP545 34:3 `count_words` cannot give `errors.number`",
    ),
    "nothing of a plan": ("tasks.done:  ", "tasks.ticked:", "EP545 19:3 `tasks.ticked` cannot be read"),
    "nothing of a breaker": (
        "circuit.reason:  ", "breaker.reason: ", "EP545 17:3 `breaker.reason` cannot come from the breaker",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_form_is_an_error_at_its_place(name: str) -> None:
    old, new, wanted = REFUSED[name]
    assert old in SKETCH
    told = refused(SKETCH.replace(old, new))
    assert next(line for line in told if line.startswith("EP545")).startswith(wanted)


def test_a_class_beside_an_outcome_settles_it() -> None:
    text = SKETCH.replace("outcome: stuck}", "outcome: shelved, class: idle}")
    assert "exit: idle\n    outcome: shelved\n" in migrate_text(text, "p.yaml").text


def test_all_errors_are_told_at_once() -> None:
    text = SKETCH.replace("outcome: stuck}", "outcome: shelved}").replace("kind: count_words", "kind: magic")
    assert len([line for line in refused(text) if line.startswith("EP545")]) == 2


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("policy: p\nformat: 2\n", "EP207 2:9"),
        ("policy: p\nformat: -1\n", "EP547 2:9"),
        ("policy: p\nversion: 1.0.0\nrules: {a: 1}\n", "EP203 4:8"),
        ("policy: p\nrules: []\n", "EP202 1:1"),
        ("policy: p\nversion: 1.0.0\nversion: 1.0.0\n", "EP105 3:1"),
        ("policy: &a p\nversion: *a\n", "EP106 1:9"),
        ("policy: p\n\tversion: 1\n", "EP103 2:1"),
        ("policy: [p\n", "EP100"),
        ("policy: p\nwhen: {4: 1}\n", "EP110 2:8"),
    ],
)
def test_hostile_files_are_told_with_their_place(text: str, wanted: str) -> None:
    assert any(line.startswith(wanted) for line in refused(text))


def test_a_comment_inside_of_brackets_is_kept_at_the_end() -> None:
    text = SKETCH.replace("owners: [platform-team]", "owners: [platform,\n    # who\n    team]")
    assert migrate_text(text, "p.yaml").text.endswith("\n\n# line 10 was: # who\n")


def test_steps_follow_each_other() -> None:
    """A document of the oldest format goes through both steps, one of the format between through one."""

    def second(document: MutableMapping[str, object], remarks: Remarks) -> MutableMapping[str, object]:
        document["title"] = f"{document.get('title', '')}!"
        remarks.kept(("title",), "titles shout", "lower your voice")
        document["format"] = 2
        return document

    steps = (*STEPS, Step(1, "titles shout", second))
    for text in (SMALL, SMALL.replace("# what", "format: 1\n# what")):
        migrated = migrate_text(text, "p.yaml", steps, 2, schema=None)
        assert "title: '!'" in migrated.text
        assert "format: 2" in migrated.text
        assert "# enough" in migrated.text
        assert [d.code for d in migrated.warnings] == ["EP546"]


@pytest.mark.parametrize(
    ("plain", "number"),
    [
        ({"policy": "p"}, 0),
        ({"policy": "p", "format": 1}, 1),
        ({"policy": "p", "format": True}, None),
        ({"apiVersion": "exit-policy/v1"}, 0),
        ({"apiVersion": "exit-policy/v1", "kind": "Preset"}, None),
        ({"lexicon": "l", "policy": "p"}, None),
    ],
)
def test_which_format_a_document_is_of(plain: dict[str, object], number: int | None) -> None:
    assert format_of(plain) == number
