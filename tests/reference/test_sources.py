"""How sources become pages: what is added, what is performed, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from exitgate.cli.reference import rehearse
from exitgate.core.policy.yaml.document import load_yaml
from exitgate.reference import language, source
from exitgate.reference.diagnostics import page
from exitgate.reference.examples import Vocabulary, perform
from exitgate.reference.extractors import examples
from exitgate.reference.index import anchor, section

BAD = """\
What it means.

```yaml
rules:
  - {id: a, when: tasks.dnoe > 3, exit: complete}
```

## Fix
Write it right.

```yaml
rules:
  - {id: a, when: tasks.done > 3, exit: complete}
```
"""
MARKS = """\
## marks
Other marks.

```yaml
facts: {tasks: {extract: checklist, marks: {'~': deferred}}}
```

```text plan.md
- [~] a
```
"""


def test_a_page_shows_what_is_printed() -> None:
    made = page("EP401", "a meaning", BAD, rehearse)
    assert made.path == "diagnostics/EP401.md"
    assert made.text.startswith("# EP401: a meaning\n\nWhat it means.\n\n`policy.yaml`:\n")
    assert "7 │   - {id: a, when: tasks.dnoe > 3, exit: complete}" in made.text
    assert "Exit code [65](../exit-codes.md)." in made.text
    assert made.text.count("$ exitgate validate policy.yaml") == 1
    assert [entry.link for entry in made.entries] == ["diagnostics/EP401.md"]


def test_an_example_of_another_code_is_refused() -> None:
    with pytest.raises(ValueError, match="the example of EP402 does not show it"):
        page("EP402", "a meaning", BAD, rehearse)


def test_an_example_that_is_not_mended_is_refused() -> None:
    with pytest.raises(ValueError, match="the fixed example of EP401 still shows it"):
        page("EP401", "a meaning", BAD.replace("tasks.done", "tasks.dnoe"), rehearse)


def test_output_that_names_the_folder_is_refused() -> None:
    blocks = tuple(source.blocks("```console\n$ pwd\n```\n"))
    with pytest.raises(ValueError, match="prints where it ran"):
        perform((blocks,), rehearse)


@pytest.mark.parametrize("text", ["no fix", "```yaml\nopen\n## Fix\n", "## Fix\n```yaml\n"])
def test_a_source_that_is_none(text: str) -> None:
    with pytest.raises(ValueError, match=r"Fix|fence"):
        source.written(text)


def test_what_a_policy_does_not_write_is_added() -> None:
    plain = load_yaml(source.whole("version: 2.0.0\n"), "p.yaml").data
    assert plain == {
        "policy": "example",
        "format": 1,
        "version": "2.0.0",
        "facts": {"tasks": {"extract": "checklist", "from": "plan"}},
        "rules": [{"id": "plan_done", "when": "tasks.complete", "exit": "complete"}],
    }
    assert "facts" not in source.whole("extends: bb3@^2\n")


def test_a_rehearsal_leaves_no_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EXITGATE_RUN", "night")
    (tmp_path / "response.md").write_text("going on", encoding="utf-8")
    printed, code = rehearse("exitgate check response.md --policy bb3 -vv", str(tmp_path))
    assert (code, "default#1" in printed) == (0, True)
    assert rehearse("EXITGATE_RUN=day exitgate check response.md --policy bb3 -vv", str(tmp_path))[0].count(
        "day#1"
    )
    assert rehearse("exitgate history | head -n 1", str(tmp_path)) == rehearse(
        "exitgate history | head -n 1", str(tmp_path)
    )
    assert Path.cwd() != tmp_path
    import os

    assert os.environ["EXITGATE_RUN"] == "night"


def test_an_example_of_an_option() -> None:
    (one,) = examples("checklist", MARKS, rehearse)
    assert one.options == ("marks",)
    assert [spec.name for spec in one.added] == ["deferred"]
    with pytest.raises(ValueError, match="an example of checklist fails"):
        examples("checklist", MARKS.replace("deferred", "later"), rehearse)


def test_examples_of_the_language_are_evaluated() -> None:
    vocabulary = Vocabulary()
    asked = vocabulary.ask(
        {"condition": "tasks.done unchanged for 3 iterations", "facts": {"tasks.done": "3x3"}}
    )
    assert (asked.result, asked.given) == ("false, pending 2 of 3", ("tasks.done: 3x3",))
    assert (
        vocabulary.ask({"condition": "errors.count > 3", "facts": {"errors.count": "_"}}).result
        == "unknown (errors.count)"
    )
    assert vocabulary.ask(
        {"condition": "tasks.done/tasks.total", "facts": {"tasks.done": 1, "tasks.total": 0}}
    ).result == ("unknown (division by zero)")


def test_sections() -> None:
    text = "# a\nx\n## `b`\ny\n```text\n## no\n```\n### c\nz\n## d\nw\n"
    assert section(text, "b") == "## `b`\ny\n```text\n## no\n```\n### c\nz\n"
    assert section(text, "c") == "### c\nz\n"
    with pytest.raises(KeyError):
        section(text, "no")


def test_anchors_are_those_of_github() -> None:
    assert anchor("Option checklist.open_mark") == "option-checklistopen_mark"
    assert anchor("exitgate dry-run") == "exitgate-dry-run"
    assert anchor("`checklist.percent`") == "checklistpercent"


def test_the_table_of_short_histories_says_what_not_makes_of_them() -> None:
    opposite = {"true": "false", "false": "true"}
    rows = [
        line.split(" | ") for line in language.semantics_page().text.splitlines() if line.startswith("| `")
    ]
    tests = [(row[1].split("<")[0].split(",")[0], row[4].split("<")[0]) for row in rows if row[4] != "- |"]
    assert len(tests) > 15
    assert all(opposite[little] == negated for little, negated in tests)


def test_a_form_without_a_row_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(language, "APART", frozenset())
    with pytest.raises(ValueError, match="forms and rows differ"):
        language.semantics_page()
