"""What is wrong with a text: the same that `exitgate validate` would say of the file."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from functools import lru_cache

from msgspec import Struct

from exitgate.analysis.edits import Edit
from exitgate.analysis.format import format_text
from exitgate.analysis.lint import registry
from exitgate.analysis.lint.finding import Lint, Placed
from exitgate.analysis.lint.run import chosen, lint
from exitgate.core.language.syntax.pieces import mend
from exitgate.core.language.syntax.scan import scan
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.spelling import nearest
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.library import load_file
from exitgate.core.policy.schema.check import check_schema
from exitgate.core.state.discover import DEFAULT_POLICY
from exitgate.surfaces.lsp.completion.complete import complete
from exitgate.surfaces.lsp.cursor import AT_VALUE, cursor_at, inner
from exitgate.surfaces.lsp.document import Document
from exitgate.surfaces.lsp.schema import CONDITION, LEXICON, POLICY, SETTINGS, TESTS, role_at
from exitgate.surfaces.lsp.workspace import Workspace


def diagnose(kind: str, path: str, text: str, desk: Workspace, quick: bool = False) -> tuple[Diagnostic, ...]:
    """
    Return everything that is wrong with a text, and with what it rests on.

    Args:
        kind: `POLICY`, `LEXICON`, `TESTS` or `SETTINGS`; of anything else nothing is said.
        path: The file, absolute; diagnostics on it name it so.
        text: What the editor shows.
        desk: Other open texts: a parent that is not saved yet counts as it is shown.
        quick: Leave out what takes long : whether the policy is the settings of each case of tests.
    """
    look = _quick_tests if quick and kind == TESTS else _LOOKS.get(kind)
    if look is None:
        return ()

    def ask() -> tuple[Diagnostic, ...]:
        try:
            # What is not a strict YAML is reported alone: the rest would only follow from it.
            load_file(path)
            return look(path, text)
        except ExitgateError as error:
            return error.diagnostics

    return desk.showing(path, text).reading(ask)


def _policy(path: str, text: str) -> tuple[Diagnostic, ...]:
    del text

    policy = load_policy(path, base=os.path.dirname(path))
    return policy.warnings  # type: ignore[return-value]


def _lexicon(path: str, text: str) -> tuple[Diagnostic, ...]:
    del text

    document = load_file(path)
    findings = Findings()
    findings.know(document.lines)
    check_schema(document.root, shipped.schema("lexicon"), findings)
    return findings.sorted()


def _tests(path: str, text: str) -> tuple[Diagnostic, ...]:
    from exitgate.testing.cases.load import load_suite

    load_suite(text, path, os.path.dirname(path))
    return ()


def _quick_tests(path: str, text: str) -> tuple[Diagnostic, ...]:
    from exitgate.testing.cases.load import read_suite

    read_suite(text, path, os.path.dirname(path))
    return ()


def _settings(path: str, text: str) -> tuple[Diagnostic, ...]:
    del text
    from exitgate.core.settings.load import problems_of

    return problems_of(path, DEFAULT_POLICY)


_LOOKS: dict[str, Callable[[str, str], tuple[Diagnostic, ...]]] = {
    POLICY: _policy,
    LEXICON: _lexicon,
    TESTS: _tests,
    SETTINGS: _settings,
}


# Lints of the text that an editor shows: those that take no longer than a moment.

#: Lints that ask for all inputs of a policy: seconds each. `exitgate lint` has them.
DEEP = frozenset((
    "condition-always-true", "contradictory-condition", "exit-on-unknown", "redundant-part",
    "rule-beyond-readers", "shadowed-rule", "unbounded-loop", "vacuous-invariant",
))  # fmt: skip
_KINDS = frozenset((POLICY, LEXICON, SETTINGS))


def lints(page: Document, today: str) -> tuple[Placed, ...]:
    """
    Return what the lints find in a page, suppressed findings left out; nothing where it has errors.

    Args:
        page: The text.
        today: The day, ``2027-03-01``, for exceptions that have ended.
    """
    if page.kind not in _KINDS or not os.path.isdir(page.folder):
        return ()

    def ask() -> tuple[Placed, ...]:
        from exitgate.analysis.lint.loader import open_subject

        opened = open_subject(page.path, DEFAULT_POLICY, today)
        if opened.subject is None or opened.problems:
            return ()
        return tuple(one for one in lint(opened.subject, _quick()) if one.suppression is None)

    return page.desk.reading(ask)


@lru_cache(maxsize=1)
def _quick() -> tuple[Lint, ...]:
    return chosen(ignore=DEEP)


# Quick fixes: the nearest right name where a wrong one is, and the right sign or word of a condition.


class Fix(Struct, frozen=True):
    """A change that fixes a diagnostic: what it does, and its edits of the text."""

    title: str
    edits: tuple[Edit, ...]


def fixes(page: Document, start: int, end: int) -> tuple[Fix, ...]:
    """
    Return what may fix a diagnostic on the text from `start` to `end`.

    What could be there is what completion would offer there, so only names that fit are proposed.
    """
    word = page.text[start:end]
    if not word or "\n" in word:
        return ()
    return (*_mended(page, start, end), *_nearest(page, start, word))


def lint_fixes(page: Document, id: str, start: int, today: str) -> tuple[Fix, ...]:
    """Return what fixes the finding of a lint at an offset; nothing where a person must choose."""
    return tuple(
        Fix(f"Fix: {one.finding.help or one.finding.message}", one.finding.edits)
        for one in (lints(page, today) if id in registry.IDS else ())
        if one.lint == id and one.finding.edits and page.sheet.span(one.finding.place)[0] == start
    )


def _nearest(page: Document, start: int, word: str) -> tuple[Fix, ...]:
    plain = word.strip("'\"")
    first = start + (1 if word[:1] in ("'", '"') and plain else 0)
    offered = [item.label for item in complete(page, first + len(plain)).items if item.label == item.insert or
               item.insert.startswith(item.label)]  # fmt: skip
    right = nearest(plain, [label for label in offered if label != plain])
    if right is None:
        return ()
    return (Fix(f"Replace with `{right}`", (Edit(first, first + len(plain), right),)),)


def _mended(page: Document, start: int, end: int) -> tuple[Fix, ...]:
    """Return the sign, word or quote that the language has instead of what is there."""
    spot = cursor_at(page.text, end)
    if spot is None or spot.role != AT_VALUE or page.kind != POLICY or role_at(spot.path) != CONDITION:
        return ()
    text, offset = inner(page.text, spot.start, spot.end, spot.style)
    for piece in scan(text):
        if (piece.start + offset, piece.end + offset) != (start, end):
            continue
        mended, problems = mend([piece])
        right = mended[0].text if mended and problems else piece.text
        if right != piece.text:
            return (Fix(f"Replace with `{right}`", (Edit(start, end, right),)),)
    return ()


# `exitgate fmt` as edits of the text that an editor shows.


def formatting(page: Document) -> tuple[Edit, ...]:
    """
    Return the edits that put the conditions of a policy into canonical form, line by line.

    None for other files, and for a policy with an error: its diagnostics say what to fix first.
    """
    if page.kind != POLICY:
        return ()
    try:
        new = format_text(page.text, page.path)
    except ExitgateError:
        return ()
    before, after = page.text.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    return tuple(
        Edit(starts[i1], starts[i2], "".join(after[j1:j2]))
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )
