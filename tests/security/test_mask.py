"""Secrets in responses are hidden wherever they would be kept or shown."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from cases import each
from hypothesis import given, settings
from hypothesis import strategies as st
from loops import Loop

from exitgate.core.facts.text.secrets import OVERLAP, WINDOW, Mask
from exitgate.core.facts.text.secrets_folded import folded
from exitgate.core.gate.check import check
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.state.request import Request

ENTRIES = yaml.safe_load(Path(shipped.lexicon_path("secrets")).read_text(encoding="utf-8"))["entries"]
MASK = Mask(ENTRIES)
TOKEN = "ghp_EXAMPLEexampleEXAMPLEexample00000000"
LEAK = "EXAMPLEexample"
RESPONSE = (
    f"All tests pass. Everything is done, I pushed with {TOKEN} to the remote.\nERROR: {TOKEN} refused\n"
)
FORMATS = ("text", "json", "github")


def examples_of(key: str) -> list[object]:
    return [pytest.param(e, t, id=f"{e['id']}-{t[:30]}") for e in ENTRIES for t in e.get(key, ())]


@each(("entry", "text"), examples_of("examples"))
def test_an_example_is_hidden(entry: dict[str, str], text: str) -> None:
    for mask in (MASK, Mask([entry])):
        masked = mask.mask(f"before {text} after")
        assert f"[masked: {entry['id']}]" in masked
        assert masked.startswith("before ")
        assert masked.endswith(" after") or entry["id"] == "private-key"


@each(("entry", "text"), examples_of("counterexamples"))
def test_a_counterexample_stays(entry: dict[str, str], text: str) -> None:
    assert MASK.mask(text) == text


def test_every_entry_has_both() -> None:
    assert all(entry["examples"] and entry["counterexamples"] and entry["markers"] for entry in ENTRIES)
    assert len(ENTRIES) >= 15


WORDS = st.sampled_from(
    [*(e["examples"][0] for e in ENTRIES), *(e["markers"][0] for e in ENTRIES), "done", "\n", " "]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(WORDS, st.text(max_size=6)), max_size=12).map("".join))
def test_offsets_stay(text: str) -> None:
    covered = MASK.cover(text)
    assert len(covered) == len(text)
    assert covered.count("\n") == text.count("\n")
    hidden = {at for start, end, _ in MASK.spans(text) for at in range(start, end)}
    assert all(covered[at] == text[at] for at in range(len(text)) if at not in hidden)


@pytest.mark.parametrize("before", [0, 40, WINDOW - OVERLAP - 20, WINDOW - 20, 3 * WINDOW])
def test_a_secret_anywhere_in_a_long_text(before: int) -> None:
    key = "-----BEGIN EXAMPLE PRIVATE KEY-----\n" + "RVhBTVBMRQ\n" * 300 + "-----END EXAMPLE PRIVATE KEY-----"
    for secret in (TOKEN, key):
        covered = MASK.cover("x" * before + " " + secret + " " + "y" * WINDOW)
        assert "EXAMPLE" not in covered
        assert "RVhB" not in covered


def test_a_secret_cut_by_the_end_of_an_excerpt() -> None:
    text = f"a {TOKEN} b"
    suspects = MASK.suspects(text)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            assert "EXAMPLE" not in MASK.part(text, start, end, suspects).replace(
                "[masked: github-token]", ""
            )


def everything_shown(loop: Loop) -> str:
    shown = [loop.run("check", "r.md", "plan.md", "--format", form).all for form in FORMATS]
    shown += [loop.run("explain", "--format", form).all for form in ("text", "json", "markdown")]
    shown += [
        loop.run("explain", "r.md", "plan.md", "--format", form).all for form in ("text", "json", "markdown")
    ]
    shown += [loop.run("facts", "r.md", "plan.md", "--format", form).all for form in ("text", "json")]
    shown += [
        loop.run(word, "--format", form).all for word in ("history", "state") for form in ("text", "json")
    ]
    return "\n".join(shown)


def test_no_command_and_no_file_holds_a_secret_of_a_response(loop: Loop) -> None:
    loop.write("r.md", RESPONSE)
    loop.write("plan.md", f"- [x] one\n- [ ] two, with {TOKEN}\n")
    shown = everything_shown(loop)
    assert "[masked: github-token]" in shown
    assert "[masked: github-token]" in loop.ledger
    assert LEAK not in shown + loop.kept()


PATTERNS = """\
policy: p
format: 1
version: 1.0.0
title: Errors that come again
facts: {errors: {extract: error_lines, lexicon: errors}}
rules:
  - {id: again, when: "occurrences(errors.patterns, last 3) >= 3", exit: stuck, because: again}
"""


def test_a_signature_that_rests_on_a_secret_is_a_digest(loop: Loop) -> None:
    many = "".join(f"ERROR: step {n} failed\n" for n in range(40))
    loop.write("patterns.yaml", PATTERNS)
    for text in (f"ERROR: {TOKEN} refused", "ERROR: AKIAEXAMPLEEXAMPLE00 refused", f"{many}ERROR: {TOKEN} x"):
        loop.write("r.md", text)
        values = {
            check(Request(response="r.md", policy="bb3", record=False)).facts["errors.signature"].value
            for _ in range(2)
        }
        (value,) = values
        assert str(value).startswith("masked-")
        patterns = check(Request(response="r.md", policy="./patterns.yaml", record=False)).facts[
            "errors.patterns"
        ]
        assert patterns.value
        assert all(str(one).startswith("masked-") for one in patterns.value)
    loop.write("r.md", many)
    plain = check(Request(response="r.md", policy="bb3", record=False)).facts["errors.signature"].value
    assert not str(plain).startswith("masked-")


SAYING = """\
facts: {said: {extract: phrases, from: response, phrases: [all tests pass]}}
circuit: {from: state.json}
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: "open: {circuit.reason}"}
"""


def test_a_message_made_of_a_fact_holds_none(loop: Loop) -> None:
    loop.policy(SAYING)
    loop.write("state.json", f'{{"state": "OPEN", "reason": "push with {TOKEN} failed"}}')
    loop.write("r.md", "working")
    ran = loop.run("check", "r.md", "--policy", "./policy.yaml")
    assert (ran.code, "open: push with [masked: github-token] failed" in ran.out) == (13, True)
    assert LEAK not in ran.all + loop.kept().replace((loop.root / "state.json").read_text(), "")


def test_spans_and_decision_are_those_of_the_unmasked(loop: Loop) -> None:
    loop.write("r.md", RESPONSE)
    facts = {}
    for name, section in (("on", ""), ("off", "mask: {lexicon: []}\n")):
        loop.write(f"{name}.yaml", f"policy: p\nformat: 1\nversion: 1.0.0\nextends: bb3\n{section}")
        facts[name] = check(Request(response="r.md", policy=f"./{name}.yaml", record=False)).facts
    assert LEAK in str(facts["off"])
    assert LEAK not in str(facts["on"])
    for name, fact in facts["off"].items():
        other = facts["on"][name]
        assert other.value == fact.value or name in ("errors.signature", "errors.patterns")
        spans = [(e.start, e.end, e.line, e.column) for e in (*fact.evidence, *fact.rejected)]
        assert [(e.start, e.end, e.line, e.column) for e in (*other.evidence, *other.rejected)] == spans


OURS = """\
lexicon: ours
format: 1
title: Badges
uses: []
entries:
  - {id: badge, markers: [badge-], pattern: 'badge-\\d{4}', examples: [badge-0000]}
"""


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ("", ["badge-1234", "[masked: github-token]"]),
        ("mask: {lexicon: [secrets, ./ours.yaml]}\n", ["[masked: badge]", "[masked: github-token]"]),
        ("mask: {lexicon: ./ours.yaml}\n", ["[masked: badge]", TOKEN]),
        ("mask: {except: [github-token]}\n", ["badge-1234", TOKEN]),
        ("mask: {lexicon: []}\n", ["badge-1234", TOKEN]),
    ],
)
def test_a_policy_adds_and_leaves_out(loop: Loop, section: str, expected: list[str]) -> None:
    loop.write("ours.yaml", OURS)
    loop.policy("extends: bb3\n" + section)
    loop.write("r.md", f"All tests pass, maybe, with badge-1234 and {TOKEN}.")
    out = loop.run("check", "r.md", "--policy", "./policy.yaml", "--format", "json").out
    assert all(text in out for text in expected)


QUIET = """
import sys
from exitgate.core.observe.masking import masked
from exitgate.core.model.fact import Evidence, Fact
from exitgate.core.model.fact import Source
import yaml
class Policy:
    mask = tuple(yaml.safe_load(open(sys.argv[1]))["entries"])
    facts = {}
text = sys.argv[2]
fact = Fact("a.b", text, (Evidence("response", 1, 1, 0, len(text), text),))
masked({"a.b": fact}, {"response": Source("response", text=text)}, Policy)
print("re2" in sys.modules)
"""


@pytest.mark.parametrize(
    ("text", "loaded"), [("All 12 tests pass; see the task-list.", "False"), (TOKEN, "True")]
)
def test_re2_is_loaded_only_where_a_marker_stands(text: str, loaded: str) -> None:
    words = [sys.executable, "-c", QUIET, shipped.lexicon_path("secrets"), text]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() == loaded


def test_the_shipped_policies_mask(loop: Loop) -> None:
    for name in shipped.policies():
        assert [shape["id"] for shape in load_policy(name).mask] == [entry["id"] for entry in ENTRIES]


SPLITS = {
    "colour": "\x1b[31m", "reset": "\x1b[0m", "title": "\x1b]0;x\x07", "no width": "\u200b",
    "soft hyphen": "\u00ad", "mark": "\ufeff", "wrapped": "\n", "wrapped and indented": "\r\n    ",
}  # fmt: skip


@each(("split", "at"), [(name, at) for name in SPLITS for at in (2, 4, 5, 20, len(TOKEN) - 5)])
def test_a_secret_that_is_divided_is_hidden(split: str, at: int) -> None:
    sign = SPLITS[split]
    if "\n" in sign and at < 5:
        return  # no marker is left on either line: nobody could say that it is one
    text = f"I pushed with {TOKEN[:at]}{sign}{TOKEN[at:]}\nand went on with the next step"
    masked = MASK.mask(text)
    assert masked == "I pushed with [masked: github-token]\nand went on with the next step"
    assert len(MASK.cover(text)) == len(text)
    lines = text.split("\n")
    start = len("\n".join(lines[: len(lines) - 2])) if len(lines) > 2 else 0
    part = MASK.part(text, start, len(text), MASK.suspects(text) or MASK.secrets)
    assert LEAK not in part


def test_lines_that_set_variables_stay_apart() -> None:
    text = "API_KEY=EXAMPLEexample00\nDEBUG=true\nNAME=otter\n"
    assert MASK.mask(text) == "API_KEY=[masked: assigned-secret]\nDEBUG=true\nNAME=otter\n"


@given(st.text(st.sampled_from("gh p_AZ09\n\x1b[m\u200b=.-"), max_size=80))
def test_what_is_folded_can_be_found_again(text: str) -> None:
    found = folded(text)
    if found is None:
        return
    for start in range(len(found.text)):
        here, end = found.span(start, start + 1)
        assert text[here:end] == found.text[start]
