"""should_exit_gracefully on plans alone: what counts as an item, and which open ones do not matter."""

from __future__ import annotations

import pytest
from shim_rows import AS_IT_IS, Row, play

EXIT = 'echo "[$(should_exit_gracefully 2>/dev/null)]"'
DONE = "[plan_complete]"
ON = "[]"
NO_BOXES = (
    "- [2026-01-29] a\n- [NOTE] b\n- [TODO] c\n- [FIXME] d\n- [WIP] e\n- [v1.0] f\n- [#141] g\n- [PR#155] h\n"
    "  - [2026-01-30] indented\n"
)
OPTIONAL = "# Plan\n## Core\n- [x] a\n"


def row(name: str, plan: str | None, expected: str, before: str = "") -> Row:
    return Row(name, {} if plan is None else {"fix_plan.md": plan}, f"{before}\n{EXIT}", expected)


ROWS = [
    row("three-of-three", "- [x] a\n- [x] b\n- [x] c\n", DONE),
    row("one-of-three", "- [x] a\n- [ ] b\n- [ ] c\n", ON),
    row("missing", None, ON),
    row("no-boxes-at-all", "# Plan\nJust words.\n", ON),
    row("empty-brackets-are-none", "- [x] a\n- [ ] b\n- [X] c\n- [] d\n", ON),
    row("empty-brackets-do-not-block", "- [x] a\n- [X] c\n- [] d\n", DONE),
    row("marks-of-other-kinds", NO_BOXES, ON),
    row("marks-of-other-kinds-beside-done", f"- [x] a\n{NO_BOXES}", DONE),
    row("two-blanks", "- [x] a\n- [  ] b\n", DONE),
    row("two-blanks-alone", "- [  ] b\n", ON),
    row("both-cases", "- [x] a\n- [X] b\n", DONE),
    *(
        row(f"optional-{number}", f"{OPTIONAL}## {title}\n- [ ] b\n### Later\n- [ ] c\n", DONE)
        for number, title in enumerate(("Optional", "FUTURE", "Future Enhancements", "nice to have"))
    ),
    row("required-after-optional", f"{OPTIONAL}## Optional\n- [ ] b\n## Must\n- [ ] c\n", ON),
    row("own-sections", f"{OPTIONAL}## Backlog\n- [ ] b\n", DONE, "OPTIONAL_SECTIONS=Backlog"),
    row("own-sections-replace", f"{OPTIONAL}## Optional\n- [ ] b\n", ON, "OPTIONAL_SECTIONS=Backlog"),
    row("crlf-done", "- [x] a\r\n- [x] b\r\n", DONE),
    row("crlf-open", "- [x] a\r\n- [ ] b\r\n", ON),
    # The loop sees no other bullets; neither do we, as it is.
    row("stars-are-invisible", "- [x] a\n* [ ] b\n", DONE),
    Row(
        "ticked-between-two-questions",
        {"fix_plan.md": "- [x] a\n- [ ] b\n"},
        f"""{EXIT}
printf -- '- [x] a\\n- [x] b\\n' > "$RALPH_DIR/fix_plan.md"
{EXIT}
printf -- '- [x] a\\n- [ ] b\\n' > "$RALPH_DIR/fix_plan.md"
{EXIT}""",
        f"{ON}\n{DONE}\n{ON}",
    ),
]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return play(tmp_path_factory.mktemp("shim"), ROWS, AS_IT_IS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_plans(played: dict[str, str], row: Row) -> None:
    assert played[row.id] == row.expected
