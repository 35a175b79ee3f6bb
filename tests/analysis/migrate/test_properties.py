"""Migrating never changes a decision, never loses a comment, and has nothing left to do afterwards."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from cases import some
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.analysis.diff.textual import text_changes
from exitgate.analysis.migrate.layout import comments
from exitgate.analysis.migrate.migrate import migrate_text
from exitgate.analysis.results.comparison import Side
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.yaml.document import load_yaml

CONDITIONS = (
    "tasks.done > 3", "tasks.total == 0", "errors.count >= $most", "circuit.state is OPEN",
    "tasks.done unchanged for 3 iterations", "run.iterations > 20", "errors.count < 2 and sure is unknown",
    "not (tasks.done is known) and errors.count < 2", "sure < 40%", "not (sure > 60%)",
)  # fmt: skip
#: Outcome in the sketch, class of format 1.
OUTCOMES = {
    "complete": "complete", "needs_review": "review", "failing": "review", "stuck": "stuck",
    "circuit_open": "halted", "budget": "exhausted", "blocked": "blocked",
}  # fmt: skip
NOTES = ("", "  # why", "      # a 'quoted: one", "   # second: {brackets}")


class Rule:
    """One rule of a sketch, with its comments."""

    def __init__(self, draw: st.DrawFn, number: int) -> None:
        self.id = f"rule_{number}"
        self.when = draw(st.sampled_from(CONDITIONS))
        self.decision = draw(st.sampled_from(("exit", "exit", "continue")))
        on_silence = self.when.startswith(("circuit.", "run."))  # no silent run may be complete
        self.outcome = draw(
            st.sampled_from(sorted(OUTCOMES.keys() - ({"complete"} if on_silence else set())))
        )
        self.message = draw(st.sampled_from(("", "because of it", "{errors.count} errors")))
        self.mode = draw(st.sampled_from(("", "warn", "shadow")))
        self.locked = draw(st.booleans())
        self.flow = draw(st.booleans())
        self.notes = [draw(st.sampled_from(NOTES)) for _ in range(3)]

    def sketch(self) -> str:
        """Return it as the first sketches wrote it."""
        then = f"{{decision: {self.decision}, outcome: {self.outcome}}}"
        pairs = [("id", self.id), ("when", f'"{self.when}"'), ("then", then)]
        pairs += [("enforcement", self.mode)] if self.mode else []
        pairs += [("message", f'"{self.message}"')] if self.message else []
        return self._written(pairs)

    def today(self) -> str:
        """Return it in format 1."""
        effect = ("exit", OUTCOMES[self.outcome]) if self.decision == "exit" else ("continue", "true")
        pairs = [("id", self.id), ("when", f'"{self.when}"'), effect, ("outcome", self.outcome)]
        pairs += [("mode", self.mode)] if self.mode else []
        pairs += [("because", f'"{self.message}"')] if self.message else []
        return self._written(pairs)

    def _written(self, pairs: list[tuple[str, str]]) -> str:
        pairs = [*pairs, ("locked", "true")] if self.locked else pairs
        if self.flow:
            return "  - {" + ", ".join(f"{key}: {value}" for key, value in pairs) + f"}}{self.notes[0]}\n"
        lines = [f"    {key}: {value}{self.notes[at % 3]}\n" for at, (key, value) in enumerate(pairs)]
        return "  -" + lines[0][3:] + "".join(lines[1:])


@st.composite
def sketches(draw: st.DrawFn) -> tuple[str, str]:
    """Return a policy in the spelling of the first sketches, and the same in format 1."""
    rules = [Rule(draw, number) for number in range(draw(st.integers(1, 4)))]
    most = draw(st.integers(0, 9))
    between = [draw(st.sampled_from(("", "  # before a rule\n", "\n# at the margin\n"))) for _ in rules]
    after = draw(st.sampled_from(("", "  exit_after: 4\n")))
    head = draw(st.sampled_from(("", "# the head\n", "# one\n\n# two\n")))
    sketch = (
        f"{head}apiVersion: exit-policy/v1\nkind: Policy\nmetadata: {{name: p, version: 2.0.1}}   # who\n"
    )
    sketch += f"params:\n  most:   {{type: count, default: {most}}}  # a knob\n"
    sketch += (
        "facts:\n  tasks.done: {from: plan_checklist}\n  tasks.total: {from: plan_checklist}\n"
        "  circuit.state: {from: circuit_breaker}\n"
        "  errors.count: {from: response, using: words}\n  sure: {from: response, using: sounds}\n"
        "extractors:\n  words: {kind: count_words, words: [error]}\n"
        "  sounds: {kind: weighted_phrases, base: 50, add: [{points: 5, words: [sure]}]}\n"
    )
    sketch += "rules:  # in order\n" + "".join(b + r.sketch() for b, r in zip(between, rules, strict=True))
    sketch += "default: {decision: continue, outcome: otherwise}  # else\n"
    today = f"policy: p\nformat: 1\nversion: 2.0.1\nparameters: {{most: {{type: count, default: {most}}}}}\n"
    today += (
        "facts:\n  tasks: {extract: checklist, from: plan}\n"
        "  errors: {extract: error_lines, from: response, words: [error]}\n"
        "  sure: {extract: graded_words, from: response, otherwise: 50, add: [{points: 5, words: [sure]}]}\n"
        "circuit: {from: .ralph/circuit-state.json}\n"
    )
    today += "rules:\n" + "".join(rule.today() for rule in rules) + "otherwise: continue\n"
    if after:
        sketch += f"guards:\n  undetermined:\n  {after}"
        today += f"undetermined:\n{after}"
    return sketch, today


def loaded(text: str, folder: str) -> CompiledPolicy:
    path = Path(folder) / "policy.yaml"
    path.write_text(text, encoding="utf-8")
    return load_policy(str(path))


def kept(old: str, new: str) -> bool:
    """Return whether the comments of the old text stand in the new one, in number."""
    there = [text for _, text in comments(load_yaml(new, "p.yaml"))]
    return all(
        sum(text in line for line in there) >= wanted.count(text)
        for wanted in [[text for _, text in comments(load_yaml(old, "p.yaml"))]]
        for text in wanted
    )


@settings(max_examples=15, deadline=None)
@given(sketches())
def test_a_sketch_means_the_same_afterwards(pair: tuple[str, str]) -> None:
    sketch, today = pair
    migrated = migrate_text(sketch, "p.yaml").text
    with TemporaryDirectory() as folder:
        meant, found = loaded(today, folder), loaded(migrated, folder)
    assert text_changes(Side("meant", meant), Side("found", found)) == ()
    assert meant.rules[0].when == found.rules[0].when
    assert kept(sketch, migrated)
    assert migrate_text(migrated, "p.yaml").text == migrated


@pytest.mark.parametrize("name", some(shipped.policies(), 5))
@settings(max_examples=1, deadline=None)
@given(data=st.data())
def test_a_shipped_policy_without_its_number_gets_it_back_and_nothing_else(
    name: str, data: st.DataObject
) -> None:
    text = Path(shipped.path(name)).read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    tops = [at for at, line in enumerate(lines) if re.match(r"[a-z]", line)]
    for at in sorted(data.draw(st.lists(st.sampled_from(tops), max_size=3)), reverse=True):
        lines.insert(at, f"# a note on line {at}\n")
    old = "".join(line for line in lines if not line.startswith("format:"))
    new = migrate_text(old, "policy.yaml").text
    assert load_yaml(new, "p").data == load_yaml(text, "p").data
    assert new.replace("format: 1\n", "", 1) == old
    assert kept(old, new)
    assert migrate_text(new, "policy.yaml").text == new


@settings(max_examples=50, deadline=None)
@given(st.text(alphabet="policy: v1.0\n#'\"{}[]-&*!|>%\t\r\0é😀", max_size=60), st.booleans())
def test_any_text_is_migrated_or_told_about(text: str, begins: bool) -> None:
    from exitgate.core.model.diagnostic import ExitgateError

    try:
        migrate_text(("apiVersion: exit-policy/v1\n" if begins else "policy: p\n") + text, "p.yaml")
    except ExitgateError as error:
        assert error.exit_code == 65
        assert error.diagnostics
