"""What a user wrote is shown as it stands in Markdown: no tag, link, table or heading of its own."""

from __future__ import annotations

from html.parser import HTMLParser

from cases import each
from markdown_it import MarkdownIt
from report_examples import GOING_ON, explained

from exitgate.analysis.results.counterfactual import Ahead, Change, Distance, Nearest, Outlook
from exitgate.core.model.decision import Decision
from exitgate.core.model.fact import Evidence, Fact
from exitgate.report.decision.explanation import Explanation, Rung
from exitgate.report.decision.markdown import explanation_markdown, marked, prose

TRICKS = (
    "<img src=x onerror=alert(1)>",
    "</details><h1>owned</h1>",
    "a | b | c",
    "[click](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "``` `` ` <b>x</b>",
    "`<b>`y`</b>`",
    "# heading",
    "* item",
    "1. item",
    "12) item",
    "ask @someone or @org/team",
    "&lt;script&gt;",
    "https://example.org/<script>",
    "~~gone~~ **bold** _it_",
    "\\",
    "a\\`b` | \\| <i>",
    "x\n\n<script>alert(1)</script>\n\n# y",
)
#: Tags that the document itself has.
OWN = {
    "h2", "h3", "p", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "code", "strong",
    "details", "summary",
}  # fmt: skip


class Tags(HTMLParser):
    """Collects what a browser would make of a page: tags, their nesting, the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(name == "style" and value in ("text-align:left", None) for name, value in attrs), attrs
        self.seen.add(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def rendered(page: str) -> Tags:
    """Return the page as a forge renders it, raw HTML let through."""
    tags = Tags()
    tags.feed(MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(page))
    tags.close()
    assert not tags.open
    return tags


def written_by(text: str) -> Explanation:
    """Return an explanation in which everything that a user can write is `text`."""
    kept = explained(GOING_ON)
    decision = Decision(
        "CONTINUE", None, text, None, text, alternatives=GOING_ON.alternatives, steps=GOING_ON.steps,
        advice=text,
    )  # fmt: skip
    change = Change("words", text, text, decision)
    turns = (Nearest(("EXIT", "stuck"), "found", (change,), 1),)
    far = Distance(("r",), f'words contains "{text}"', 1, 2, None, "of", gap=1, share=0.5)
    seen = Outlook(turns, (), (far,), Ahead(decision, 1, decision, turns))
    found = Evidence("response", 1, 1, 0, len(text), text, text)
    facts = {**kept.facts, "tasks.done": Fact("tasks.done", text, (found,), (found,), text)}
    rungs = tuple(Rung(r.rule, r.step, r.state, f"x is {text}", r.names) for r in kept.rungs)
    return Explanation(kept.policy, decision, rungs, facts, "ralph#1", 1, {}, seen)


@each("text", TRICKS)
def test_nothing_of_a_user_becomes_markup(text: str) -> None:
    seen = rendered(explanation_markdown(written_by(text)))
    assert seen.seen <= OWN, seen.seen - OWN
    plain = rendered(explanation_markdown(written_by("harmless")))
    assert seen.seen == plain.seen
    assert seen.text.count("Facts and evidence") == 1


@each("text", [t for t in TRICKS if "\n" not in t])
def test_it_is_shown_as_it_stands(text: str) -> None:
    assert text in rendered(explanation_markdown(written_by(text))).text


def test_only_names_become_code() -> None:
    assert marked("if `tasks.done` were 4 and `$n` were 2") == "if `tasks.done` were 4 and `$n` were 2"
    assert marked("`a b` `<b>`") == "\\`a b\\` \\`\\<b\\>\\`"


def test_nobody_is_called() -> None:
    assert prose("ask @someone, @ work") == "ask @<!-- -->someone, @ work"
    assert marked("`x` were @org/team") == "`x` were @<!-- -->org/team"
