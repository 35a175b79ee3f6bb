"""Coverage as people and programs read it."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import jsonschema

from exitgate.analysis.results.coverage import DECIDES, FALSE, TRUE, UNKNOWN, Aim, Coverage, Leaf, Part, Share
from exitgate.core.model.diagnostic import Diagnostic, Location
from exitgate.core.policy.shipped import schema
from exitgate.report.policy.coverage import below_text, coverage_text, missing
from exitgate.report.policy.coverage_html import coverage_html
from exitgate.report.policy.coverage_output import coverage_json
from exitgate.report.terminal import Style

TEXT = """\
rules:
  - id: first
    when: >-
      (tasks.done > 3) for 2
      consecutive iterations and a.b
  - {id: second, when: <b>&"c\x07\u202e}
"""
EVIL = 'case "><script>alert(1)</script>\x1b[31m\u202e'


def aims(true: str = "", false: str = "", unknown: str = "", excused: str = "") -> tuple[Aim, ...]:
    return Aim(TRUE, true, excused), Aim(FALSE, false), Aim(UNKNOWN, unknown, wanted=False)


def coverage(case: str = "one", evil: str = "second") -> Coverage:
    outer = Leaf(
        "(tasks.done > 3) for 2 consecutive iterations", (Location("p.yaml", 4, 7, 5, 29),), aims(case, "two")
    )
    inner = Leaf("tasks.done > 3", (Location("p.yaml", 4, 8, 4, 22),), aims("", "two"))
    last = Leaf("a.b", (Location("p.yaml", 5, 34, 5, 37),), aims())
    odd = Leaf(
        "a < b", (Location("p.yaml", 6, 24, 6, 33),), aims("", case, case, "impossible,\n  as <i>told</i>")
    )
    parts = (
        Part(
            "rule",
            "first",
            "exit complete",
            Location("p.yaml", 2, 9, 2, 14),
            (outer, inner, last),
            Aim(DECIDES, case),
        ),
        Part("rule", evil, "warn", Location("p.yaml", 6, 10, 6, 16), (odd,), Aim(TRUE)),
        Part("condition", "named", "", None, ()),
    )
    results = {"complete": Aim(TRUE, case), "otherwise": Aim(TRUE)}
    problem = Diagnostic("EP511", "`x` is wrong", Location("t.yaml", 3), "take it out")
    return Coverage("small", "1.2.3", "t.yaml", 2, parts, results, {"p.yaml": TEXT}, (problem,))


def test_text_has_a_table_what_is_missing_what_is_excused_and_the_share() -> None:
    assert (
        coverage_text([coverage()], Style())
        == """\
small 1.2.3, 2 cases of t.yaml

                            shown   true  false  unknown
  first      exit complete    ●     1/3    2/3    0/3
  second     warn             ✗     0/1    1/1    1/1
  @named
  complete   result           ●
  otherwise  result           ✗

not covered by any case:
  p.yaml:4:8 first: never true: tasks.done > 3
  p.yaml:5:34 first: never true or false: a.b
  p.yaml:6:10 second: never true
  no case ends as otherwise

excused:
  second: never true: a < b
    impossible, as <i>told</i>

error[EP511]: `x` is wrong
--> t.yaml:3:1
help: take it out

1 error

small: 54.5% shown, 6 of 11, 1 excused
"""
    )


def test_several_policies_have_a_sum() -> None:
    text = coverage_text([coverage(), coverage()], Style())
    assert text.endswith("\n2 policies: 54.5% shown, 12 of 22, 2 excused\n")
    assert text.count("1.2.3, 2 cases") == 2


def test_colour_only_repeats_glyphs() -> None:
    painted = coverage_text([coverage()], Style(color=True))
    assert "\x1b[" in painted and "\x1b[" not in coverage_text([coverage()], Style())
    assert "✗" in painted


def test_text_of_others_cannot_move_the_cursor() -> None:
    text = coverage_text([coverage(evil=EVIL)], Style())
    assert "\x1b" not in text and "\u202e" not in text


def test_a_share_is_never_rounded_up() -> None:
    assert [Share(999, 1000).percent, Share(1999, 2000).percent, Share(7, 7).percent] == [99.9, 99.9, 100.0]
    assert Share(0, 0).percent == 100.0
    assert not Share(1999, 2000).reaches(100) and Share(1999, 2000).reaches(99.95) and Share(4, 5).reaches(80)
    assert below_text(coverage(), 80, Style()) == "small: 54.5% is less than the required 80%\n"


def test_json_says_which_case_shows_what() -> None:
    plain = json.loads(coverage_json([coverage()]))
    jsonschema.validate(plain, schema("coverage"))
    assert plain["schema"] == "exitgate/coverage@1"
    assert plain["total"] == {"percent": 54.5, "shown": 6, "whole": 11, "excused": 1}
    (policy,) = plain["policies"]
    assert policy["parts"][0]["aim"] == {
        "what": "decides",
        "shown_by": "one",
        "excused": None,
        "wanted": True,
    }
    leaf = policy["parts"][0]["leaves"][1]
    assert leaf["places"] == [{"file": "p.yaml", "line": 4, "column": 8}]
    assert leaf["true"]["shown_by"] is None and leaf["false"]["shown_by"] == "two"
    assert leaf["unknown"] == {"shown_by": None, "excused": None, "wanted": False}
    assert policy["problems"][0]["code"] == "EP511"
    assert policy["results"][1] == {"result": "otherwise", "shown_by": None, "excused": None, "wanted": True}


class Read(HTMLParser):
    """Takes the page apart: the text of each line of the source, and what is said of each span."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.lines: list[str] = []
        self.notes: list[tuple[str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta",):
            self.open.append(tag)
        found = dict(attrs)
        if found.get("class") == "line":
            self.lines.append("")
        if "tabindex" in found:
            self.notes.append((str(found["class"]), str(found["title"])))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "div" in self.open and "code" in self.open:
            self.lines[-1] += data


def read(found: Coverage) -> Read:
    page = Read()
    page.feed(coverage_html([found]))
    page.close()
    assert page.open == []
    return page


def test_the_page_holds_the_text_of_the_policy_with_its_leaves_marked() -> None:
    page = read(coverage())
    assert page.lines == TEXT.replace("\x07", "\\x07").replace("\u202e", "\\u202e").split("\n")
    kinds = [kind for kind, _ in page.notes]
    # The leaf in two lines is marked in both; the one inside it stands within.
    assert kinds == [
        "leaf full",
        "leaf full",
        "leaf half",
        "leaf full",
        "leaf none",
        "leaf none",
        "leaf excused",
    ]
    assert page.notes[2][1].splitlines() == [
        "tasks.done > 3  (rule first)", "true: no case covers it", "false: two", "unknown: not seen",
    ]  # fmt: skip


def test_nothing_on_the_page_is_code() -> None:
    page = read(coverage(case=EVIL, evil=EVIL))
    assert "script" not in page.tags
    text = coverage_html([coverage(case=EVIL, evil=EVIL)])
    assert "<script" not in text and "\x1b" not in text and "\u202e" not in text
    assert "default-src 'none'" in text and "http" not in text.replace("http-equiv", "")
    assert any("alert(1)" in note for _, note in page.notes)


def test_missing_names_places() -> None:
    assert [str(place) for place, _ in missing(coverage())] == [
        "p.yaml:4:8",
        "p.yaml:5:34",
        "p.yaml:6:10",
        "None",
    ]
