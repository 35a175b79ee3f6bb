"""Pages of Markdown on a terminal."""

from __future__ import annotations

from cases import each

from exitgate.report.formats.markdown_text import markdown_text, plain
from exitgate.report.terminal import Style

PAGE = """\
# Title of it

A paragraph with [a link](../x.md#y) that
goes on in the next line.

- one item that is long enough to be wrapped
  and goes on
- another

| word | meaning |
|---|---|
| `a \\| b` | one<br>two |
|  | three |

```text
# no heading, and never wrapped: 0123456789 0123456789
| a |
```
Behind it.
"""
SHOWN = """\
Title of it

A paragraph with a link that goes on in
the next line.

- one item that is long enough to be
  wrapped and goes on
- another

word     meaning
`a | b`  one
         two
         three

    # no heading, and never wrapped: 0123456789 0123456789
    | a |
Behind it.
"""


def test_a_page() -> None:
    assert markdown_text(PAGE, Style(width=40)) == SHOWN


def test_colour_only_adds_to_it() -> None:
    painted = markdown_text(PAGE, Style(True, 40))
    assert "\x1b[1mTitle of it\x1b[0m" in painted
    assert painted.replace("\x1b[1m", "").replace("\x1b[0m", "") == SHOWN


def test_a_wide_table_gives_way_where_it_can() -> None:
    page = "| a | b |\n|---|---|\n| " + "short " * 12 + "| unbreakable_word_in_it |\n"
    lines = markdown_text(page, Style(width=50)).splitlines()
    assert max(map(len, lines)) <= 50
    assert any("unbreakable_word_in_it" in line for line in lines)


@each("page", ["", "\n\n", "```", "```\nnever closed", "|", "| |\n|---|", "#", "- ", "[a](", "]("])
@each("width", [1, 40])
def test_anything_is_shown(page: str, width: int) -> None:
    assert markdown_text(page, Style(width=width)).endswith("\n")


def test_links() -> None:
    assert plain("see [a](b) and [`c`](d#e), **now** [x]") == "see a and `c`, now [x]"
