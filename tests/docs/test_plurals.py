"""One thing is not several: no message says ``1 iterations``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cases import each

from exitgate.core.model.display import counted

ROOT = Path(__file__).parents[2]
#: What messages count.
THINGS = [
    "bytes", "cases", "cells", "characters", "checks", "columns", "commands", "conditions",
    "decisions", "entries", "errors", "events", "facts", "files", "findings", "folders",
    "instructions", "items", "iterations", "kinds", "lines", "matches", "messages", "names", "pages",
    "parameters", "points", "policies", "problems", "processes", "readers", "regions", "remarks",
    "rows", "rules", "runs", "samples", "sources", "tags", "tasks", "tests", "texts", "times",
    "tokens", "values", "ways", "words",
]  # fmt: skip
_THING = re.compile(rf"^ (?:[a-z]+ )?(?:{'|'.join(THINGS)})\b")
_WRITTEN = re.compile(rf"}} (?:[a-z]+ )?(?:{'|'.join(THINGS)})\b")
#: Numbers that are two or more wherever the message is given, as written in the source.
LARGE = {
    "analysis/lint/bounds.py": {"most"},
    "analysis/lint/lints/lexicons/slow_pattern.py": {"size"},
    "analysis/lint/lints/style/title_style.py": {"len(title.text)"},
    "analysis/lint/lints/true_before_history.py": {"need"},
    "analysis/lint/lints/window_beyond_bound.py": {"need"},
    "analysis/counterfactuals/search.py": {"self._limits.tests"},
    "analysis/space/texts/partition.py": {"last"},
    "analysis/walk/search.py": {"self._limits.points"},
    "core/facts/extractors/tampering.py": {"len(paths)", "len(places)", "len(rows)"},
    "core/system/child.py": {"limit"},
    "core/probes/judge.py": {"len(text) - 2 * half"},
    "core/probes/reports/document.py": {"len(data)"},
    "core/probes/reports/tap.py": {"planned"},
    "core/probes/running.py": {"self._between"},
    "cli/commands/recorded/selection.py": {"len(found)"},
    "recordings/scoring/calibration.py": {"titles.count(title)", "len(fitting)"},
    "recordings/scoring/labelling.py": {"left"},
    "recordings/page/iterations.py": {"end - start"},
    "recordings/scoring/labels.py": {"len(fitting)"},
    "recordings/scoring/grid.py": {"len(found)", "parameter.type.kind"},
    "core/facts/extractors/git.py": {"len(paths)"},
    "core/facts/extractors/json.py": {"len(value)"},
    "core/facts/extractors/promise.py": {"len(every)"},
    "core/facts/extractors/signature.py": {"len(text.original)"},
    "core/facts/lexicons/search.py": {"len(counting)"},
    "core/language/evaluation/items.py": {"len(values)"},
    "core/language/syntax/parse.py": {"len(text)"},
    "hosts/loop/runner.py": {"self._waits"},
    "core/system/safe_files.py": {"limit"},
    "core/plugins/child.py": {"len(raw)"},
    "core/policy/yaml/builder.py": {"len(event.value)"},
    "core/policy/cache.py": {"len(raw)"},
    "core/policy/yaml/document.py": {"size"},
    "core/policy/library.py": {"len(found)"},
    "core/policy/schema/messages.py": {"len(part.text)"},
    "core/policy/values.py": {"len(value)"},
    "reference/language.py": {"function.cap"},
    "report/policy/coverage.py": {"len(found)"},
    "testing/cases/load.py": {"len(rows) * len(points)"},
    "surfaces/telemetry/spool.py": {"len(content)"},
    "testing/cases/recordings.py": {"len(runs)"},
    "testing/update.py": {"len(found)"},
}
#: Forms of the condition language, and what is counted for a table or rounded: there it is always several.
FORMS = {
    "core/language/checker/check.py", "core/language/checker/history.py", "core/language/syntax/problems.py",
    "core/language/syntax/forms.py", "core/language/syntax/intended.py",
    "core/language/unparse.py",
    "recordings/reports/calibration.py", "recordings/reports/tuning.py", "report/decision/verbose.py",
    "report/decision/summary.py",
    "recordings/readers/ralph_frankbria.py", "recordings/readers/ralph_orchestrator/events.py",
    "analysis/prove/backend.py", "analysis/results/answer.py", "report/decision/counterfactuals.py",
}  # fmt: skip


def counts(tree: ast.AST, guarded: bool = False) -> Iterator[str]:
    """Yield each number that is written before several things, unless one and several have a form each."""
    if isinstance(tree, ast.JoinedStr) and not guarded:
        for number, words in zip(tree.values, tree.values[1:], strict=False):
            if isinstance(number, ast.FormattedValue) and isinstance(words, ast.Constant):
                constant = ast.unparse(number.value).rpartition(".")[2].partition(" ")[0].isupper()
                if _THING.match(str(words.value)) and not constant:
                    yield ast.unparse(number.value)
    chosen = guarded or (
        isinstance(tree, ast.IfExp)
        and any(isinstance(one, ast.Constant) and one.value in (1, 2) for one in ast.walk(tree.test))
    )
    for child in ast.iter_child_nodes(tree):
        yield from counts(child, chosen)


def test_a_number_that_may_be_one_has_two_forms() -> None:
    found: dict[str, set[str]] = {}
    for path in (ROOT / "src" / "exitgate").rglob("*.py"):
        name, text = path.relative_to(ROOT / "src" / "exitgate").as_posix(), path.read_text(encoding="utf-8")
        if name not in FORMS and _WRITTEN.search(text):
            found[name] = {*counts(ast.parse(text))}
    wrong = {name: numbers ^ LARGE.get(name, set()) for name, numbers in found.items()}
    wrong = {name: numbers for name, numbers in wrong.items() if numbers}
    assert wrong == {}, "use `exitgate.core.model.display`, or add to LARGE a number that is never one"
    assert found.keys() >= LARGE.keys()


#: What others wrote: shares of something in messages of policies, and output of other programs.
_OTHERS = re.compile(
    r"of 1 tasks|1 failing tests|`[^`]*1 (?:failures|tests)[^`]*`|unchanged for 1 iterations"
)
#: A fact in a message, what is before it, and several things behind it; messages have no plural.
_IN_MESSAGE = re.compile(
    r"(?<!of )\{(?!\$)[a-z][a-z_.]*(?: or else '[^']*')?\} (?:[a-z-]+ )?"
    rf"(?:{'|'.join([*THINGS, 'claims', 'failures', 'indicators', 'patterns', 'stories'])})\b"
)


@each("path", sorted((ROOT / "policies").glob("*/policy.yaml")), ids=lambda path: path.parent.name)
def test_messages_of_shipped_policies_read_right_with_any_number(path: Path) -> None:
    assert _IN_MESSAGE.findall(path.read_text(encoding="utf-8")) == []


def test_a_message_that_is_wrong_with_one_is_seen() -> None:
    for text in (
        "{run.iterations} iterations",
        "{tasks.blocking_open} items open",
        "{a.b or else 'no'} open items",
    ):
        assert _IN_MESSAGE.search(text), text
    for text in ("Iterations: {run.iterations}", "{tasks.done} of {tasks.total} tasks", "{$n} iterations"):
        assert not _IN_MESSAGE.search(text), text


def pages() -> list[Path]:
    places = ("tests/cli/golden", "tests/report/golden", "tests/surfaces/watch/golden", "docs", "examples")
    files = [path for place in places for path in (ROOT / place).rglob("*")]
    return [path for path in files if path.suffix in (".md", ".txt", ".json", ".html", ".diff", ".svg", "")]


def test_no_page_or_golden_file_has_one_of_several() -> None:
    wrong = re.compile(rf"(?<![\w.,:-])(?<!\+ )1 (?!and )(?:[a-z]+ )?(?:{'|'.join(THINGS)})\b")
    found = []
    for path in pages():
        if path.is_file():
            text = _OTHERS.sub("", path.read_text(encoding="utf-8"))
            found += [f"{path.relative_to(ROOT)}: {one}" for one in wrong.findall(text)]
    assert found == []


@each(("number", "said"), [(0, "0 runs"), (1, "1 run"), (2, "2 runs")])
def test_things_are_counted(number: int, said: str) -> None:
    assert counted(number, "run") == said
    assert counted(number, "policy", "policies") == f"{number} {'policy' if number == 1 else 'policies'}"
