"""What completion offers inside of a condition, and what it does not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from cases import each
from workspace import MARK, cut

from exitgate.core.language.syntax.parse import accepted
from exitgate.surfaces.lsp.completion.condition import complete_condition
from exitgate.surfaces.lsp.completion.item import Item, plain_of
from exitgate.surfaces.lsp.document import Document, DocumentCache
from exitgate.surfaces.lsp.policy_index import PolicyIndex
from exitgate.surfaces.lsp.workspace import Workspace

POLICY = Path(__file__).parents[3] / "policies" / "recommended" / "policy.yaml"


@pytest.fixture(scope="module")
def known() -> PolicyIndex:
    page = Document(
        os.path.realpath(POLICY), POLICY.read_text(encoding="utf-8"), Workspace({}), DocumentCache()
    )
    found = page.known()
    assert found is not None
    return found


def offered(marked: str, known: PolicyIndex | None) -> dict[str, Item]:
    text, at = cut(marked)
    return {item.label: item for item in complete_condition(text, at, known).items}


TABLE = [
    # cursor, offered, not offered
    ("│", "tasks.done $min_completion not circuit.state streak", "and or is >= consecutive"),
    ("tas│", "tasks.done tasks.percent", "and is"),
    ("tasks.done │", "and or is", "tasks.done $min_completion true"),
    ("tasks.done >= │", "$max_errors tasks.total", "and is nothing"),
    ("circuit.state is │", "OPEN CLOSED HALF_OPEN known unknown not", "tasks.done true count"),
    ("circuit.state is not │", "OPEN CLOSED HALF_OPEN known", "not tasks.done"),
    ("circuit.state in [│", "OPEN HALF_OPEN", "tasks.done known"),
    ("circuit.state in [OPEN, │", "HALF_OPEN", "tasks.done"),
    ("last(circuit.state, last 3) is │", "OPEN", "tasks.done"),
    ("progress.made is │", "true false known unknown", "OPEN $max_errors"),
    ("not progress.made and circuit.state == │", "OPEN", "tasks.done"),
    ("(not progress.made) │", "and or", "tasks.done"),
    ("count(progress.made, │", "last tasks.done", ""),
    ("$│", "$max_errors $min_confidence", "tasks.done not"),
    ("tasks.done >= $mi│", "$min_completion", "tasks.done"),
    ("= = oops and circuit.state is │", "OPEN", "tasks.done"),
    ("(tasks.done > 3 or │", "tasks.done not", "and"),
    ("│ >= 3", "tasks.done", ""),
    ("tasks.done > 3 and │ and progress.made", "tasks.percent not", "and"),
    ("any of │", "last tests.names length", "and item"),
    ("any of tests.names where (│", "item tasks.done not", "and"),
    ("count of tests.names where (tasks.done > 3 and (│", "item", "and"),
    ("any of last 3 where (│", "tasks.done", "item"),
    ("any of tests.names where (item is known) and │", "tasks.done", "item"),
]


@pytest.mark.parametrize(("marked", "there", "absent"), TABLE)
def test_names_and_keywords(marked: str, there: str, absent: str, known: PolicyIndex) -> None:
    labels = set(offered(marked, known))
    assert set(there.split()) <= labels
    assert not set(absent.split()) & labels


FORMS = [
    ("tasks.done │", "unchanged for … iterations", "unchanged for 3 iterations"),
    ("tasks.done │", "repeats … times within last …", "repeats 3 times within last 5"),
    ("tasks.done │", "declined by … over last …", "declined by 70% over last 3"),
    ("tasks.done │", "between … and …", "between 50 and 70"),
    ("(progress.made) │", "for … consecutive iterations", "for 3 consecutive iterations"),
    ("│", "at least … of last … where (…)", "at least 3 of last 5 where (progress.made)"),
    ("│", "any of last … where (…)", "any of last 3 where (progress.made)"),
    ("│", "(…) for … consecutive iterations", "(progress.made) for 3 consecutive iterations"),
    ("│", "nothing is known", "nothing is known"),
    ("streak(progress.made) │", "skipping (…)", "skipping (progress.made)"),
    ("status.exit_signal │", "is unknown", "is unknown"),
]


@pytest.mark.parametrize(("marked", "label", "text"), FORMS)
def test_forms_are_offered_whole_and_parse_as_they_are_put_in(
    marked: str, label: str, text: str, known: PolicyIndex
) -> None:
    from exitgate.core.language.syntax.parse import parse

    item = offered(marked, known)[label]
    put_in = plain_of(item.insert).replace("condition", "progress.made")
    assert put_in == text
    whole = marked.replace(MARK, put_in)
    parse(whole if not whole.startswith("streak") else f"{whole} >= 2")


def test_what_fits_the_comparison_comes_first(known: PolicyIndex) -> None:
    found = offered("tasks.percent >= │", known)
    assert found["$min_completion"].rank < found["circuit.state"].rank
    assert found["tasks.percent"].rank < found["progress.made"].rank


def test_only_the_word_around_the_cursor_is_replaced(known: PolicyIndex) -> None:
    text, at = cut("not tasks.do│ne and x")
    found = complete_condition(text, at, known)
    assert text[found.start : found.end] == "tasks.done"
    text, at = cut("a >= $mi│n or b")
    found = complete_condition(text, at, known)
    assert text[found.start : found.end] == "$min"


def test_without_a_policy_the_language_itself_is_offered() -> None:
    found = offered("│", None)
    assert "nothing is known" in found
    assert "tasks.done" not in found


def test_items_say_what_they_are(known: PolicyIndex) -> None:
    found = offered("│", known)
    assert found["tasks.percent"].detail == "percent"
    assert "Extractor `checklist`, from `plan`." in found["tasks.percent"].doc
    assert "Default `100%`, at least `1%`." in found["$min_completion"].doc
    assert found["count"].detail == "count(bool, last N) → count"
    assert plain_of(found["count"].insert) == "count(, last 5)"


STRANGE = ["", "'", '"x', "((((", "a " * 500, "\x00", "😀 is", "in in in", "$", "or else or else"]


@each("text", STRANGE)
def test_nothing_is_refused(text: str) -> None:
    accepted(text)
    complete_condition(text, len(text), None)
