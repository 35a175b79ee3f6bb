"""Nothing that a transcript or a policy says becomes markup, script, a link, or plays tricks by a character."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from page_reading import Reading
from page_runs import POLICY, iteration, plan, played, written

from exitgate.dryrun.page.assemble import page
from exitgate.dryrun.page.render import html
from exitgate.transcripts.recorded import FileChange, Provenance, ToolCall

ATTACKS = (
    "</script><script>alert(1)</script>",
    "</style><style>*{display:none}</style>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)' x='",
    "<svg/onload=alert(1)>",
    "<a href='javascript:alert(1)'>here</a>",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% for x in (1, 2) %}x{% endfor %}",
    "<!--", "]]>", "<![CDATA[", "&lt;b&gt;", "&#60;script&#62;",
    "<base href=//evil.example><meta http-equiv=refresh content=0>",
    "\x1b[2J\x1b]0;title\x07\x1b[31m",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200f",
    "a\x00b\x0bc\x7f", "lone \ud800 and \udfff", "\ufeff\u2028\u2029", "x" * 200_000,
)  # fmt: skip
#: Characters that must not be in the file at all.
TRICKS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff]")


def hostile_page(folder: Path, text: str) -> str:
    """Return a page on which `text` stands wherever a transcript or a policy can put one."""
    short = text[:300]
    one = iteration(
        1, f"{text}\nError: {text}\n", plan=f"- [ ] {short}\n- [x] {short}\n", error_kind=short,
        tool_calls=(ToolCall(short, {"x": text}, text),), files_changed=(FileChange(short),),
        record={"cost": 0.1, "error": short, "is_error": True}, prompt=text,
        not_known={"git": short, "circuit": short},
    ).but(provenance=Provenance(short, 1))  # fmt: skip
    runs = {
        short or "r": [
            one,
            iteration(2, None, not_known={"response": short}),
            iteration(3, text, plan=plan(1, 2)),
        ]
    }
    found, policies = played(runs, ["recommended"], title=short, how="failed", why=short)
    quoted = "".join(c if c.isprintable() and c not in '"\\{}' else " " for c in text)[:200]
    bad = POLICY.replace("title: Four rules", f'title: "{quoted}"').replace(
        '"{errors.count} errors"', f'"{quoted}"'
    )
    more, loaded = played(runs, [written(folder, bad)], title=short)
    policies |= loaded
    return html(page(type(found)((*found.results, *more.results), notes=(short,)), policies))


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_an_attack_is_text(tmp_path: Path, attack: str) -> None:
    quiet = Reading(hostile_page(tmp_path, "quiet"))
    text = hostile_page(tmp_path, attack)
    text.encode("utf-8")
    found = Reading(text)
    assert found.faults == []
    assert TRICKS.search(text) is None
    # Beside how many stretches texts are cut into, the elements are those of a quiet page.
    assert {tag for tag, _ in found.elements} <= {tag for tag, _ in quiet.elements} | {
        "mark",
        "sup",
        "q",
        "b",
    }
    for tag in ("script", "style", "svg", "meta"):
        assert found.of(tag)[:1] != [] or tag == "svg"
        assert len(found.of(tag)) <= len(quiet.of(tag)) + 2 * (tag == "svg")
    names = {name for _, attributes in found.elements for name in attributes}
    assert not [name for name in names if name.startswith("on")]
    assert all(href.startswith("#run-") or href.startswith("#rule-") for href in found.values("href"))


@settings(max_examples=25, deadline=None)
@given(st.text(st.characters(), max_size=120))
def test_any_text_can_be_read_again(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    made = hostile_page(tmp_path_factory.mktemp("any"), text)
    assert TRICKS.search(made) is None
    assert Reading(made).faults == []
    printable = "".join(c for c in text if c.isprintable())
    if printable == text and text.strip():
        assert text in Reading(made).text()


def test_long_texts_are_bounded_with_a_note(tmp_path: Path) -> None:
    text = hostile_page(tmp_path, "word " * 2_000_000)
    assert len(text.encode()) < 400_000
    assert "characters left out" in text
