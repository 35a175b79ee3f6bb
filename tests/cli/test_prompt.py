"""`exitgate prompt`: what it prints, that it can be followed, and that repeating it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import each
from cli_policy import write
from cli_program import run
from hypothesis import given, settings
from hypothesis import strategies as st

from exitgate.core.facts import registry
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown
from exitgate.core.policy import shipped
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy, Extraction
from exitgate.report.policy.prompt import prompt_page

HEAD = "policy: asking\nformat: 1\nversion: 1.0.0\ntitle: Asks\n"
POLICY = f"""{HEAD}\
parameters:
  loops: {{type: count, default: 2, min: 1, doc: Loops.}}
facts:
  report:
    extract: status_block
    name: LOOP_REPORT
    fields:
      state: {{type: enum, key: STATE, members: [going, done, stuck, unknown], doc: Of the whole plan.}}
      stop: {{type: bool, key: STOP, unreadable: false, doc: "true only when nothing is left"}}
      ticked: {{type: count, key: TICKED}}
      share: {{type: percent, key: SHARE}}
      note: {{type: text, key: [NOTE, REMARK]}}
  kept: {{extract: promise, text: ALL DONE, tag: vow}}
conditions:
  helpless: report.state is STUCK and report.ticked == 0
rules:
  - {{id: vow, when: kept.emitted, exit: complete, because: kept}}
  - {{id: stop, when: report.stop is true and not (report.state is GOING), exit: complete, because: stop}}
  - {{id: ask, when: "(@helpless) for $loops consecutive iterations", exit: blocked, because: ask}}
  - {{id: said_unknown, when: report.state is NOT_SAID, exit: review, mode: shadow, because: odd}}
otherwise: continue
"""


def policy_at(folder: Path, text: str = POLICY) -> CompiledPolicy:
    path = folder / "asking.yaml"
    path.write_text(text, encoding="utf-8")
    return load_policy(str(path))


def said(policy: CompiledPolicy, text: str) -> dict[str, object]:
    """Return the facts of the policy's blocks and promises on a response."""
    sources = {name: Source(name, text) for name in ("response", "output")}
    found: dict[str, object] = {}
    for entry in policy.extractions:
        if entry.extractor in ("status_block", "promise") and entry.source != "result":
            facts = registry.load(entry.extractor).extract(
                entry.prefix, entry.source, entry.options, Iteration(1, "r#1", 0.0, sources)
            )
            found |= {fact.name: fact.value for fact in facts}
    return found


def form_of(page: str) -> list[str]:
    """Return the lines of the form that the page shows."""
    return page.partition("```text\n")[2].partition("```")[0].splitlines()


def test_the_page(tmp_path: Path) -> None:
    policy_at(tmp_path)
    ran = run("prompt", "asking.yaml", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "## How to report\n\n"
        "End every reply with the `LOOP_REPORT` block, once, filled in. Keep its lines as they are, each "
        "field on a line of its own; where values are offered, write one of them and nothing else.\n\n"
        "```text\n---LOOP_REPORT---\nSTATE: going | done | stuck | unknown\nSTOP: true | false\n"
        "TICKED: <number>\nSHARE: <0 to 100>\nNOTE: <one line>\n---END_LOOP_REPORT---\n```\n\n"
        "- `STATE`: Of the whole plan.\n  - `stuck` can end the run as blocked.\n"
        "- `STOP`: true only when nothing is left.\n  - `true` can end the run as complete.\n"
        "- `TICKED`: a whole number, 0 for none.\n- `SHARE`: a percentage, from 0 to 100.\n"
        "- `NOTE`: one line of text.\n\n"
        "When everything you were asked for is done and checked, say so with `<vow>ALL DONE</vow>` as a line "
        "of its own, not in a code fence and not in quotation marks. It can end the run as complete. Never "
        "write it for any other reason, not even to explain it.\n"
    )


def test_a_policy_that_asks_for_nothing_is_66(tmp_path: Path) -> None:
    write(tmp_path)
    ran = run("prompt", "policy.yaml", cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert ran.err.startswith(
        "error[EP807]: policy `small` reads neither a status block nor a promise\nhelp: "
    )


def test_without_a_name_it_is_the_projects_policy(tmp_path: Path) -> None:
    policy_at(tmp_path)
    (tmp_path / ".bb3").mkdir()
    settings = "exit_decision: {policy: ../asking.yaml}\n"
    (tmp_path / ".bb3" / "config.yaml").write_text(settings, encoding="utf-8")
    ran = run("prompt", cwd=tmp_path)
    assert (ran.code, "LOOP_REPORT" in ran.out) == (0, True), ran.err


def test_an_unknown_policy_is_told(tmp_path: Path) -> None:
    ran = run("prompt", "nosuch", cwd=tmp_path)
    assert (ran.code, ran.out) == (66, "")
    assert "nosuch" in ran.err


@pytest.mark.parametrize("style", ["ruled", "header"])
@pytest.mark.parametrize("scope", ["task", "run"])
def test_a_page_repeated_is_no_signal(style: str, scope: str, tmp_path: Path) -> None:
    text = POLICY.replace("name: LOOP_REPORT", f"name: LOOP_REPORT\n    style: {style}")
    policy = policy_at(tmp_path, text.replace("tag: vow", f"tag: vow, scope: {scope}"))
    page = prompt_page(policy)
    for echo in (page, f"My orders:\n\n{page}\nI begin.\n", page.replace("\n", "\r\n"), f"> {page}"):
        silent(policy, echo)
    quoted = "".join(f"> {line}\n" for line in page.splitlines())
    silent(policy, quoted)


def silent(policy: CompiledPolicy, echo: str) -> None:
    """Assert that nothing is signalled; what stands in for a form not filled in is no signal."""
    found = said(policy, echo)
    assert (found["report.present"], found["report.count"], found["kept.emitted"]) == (False, 0, False)
    assert found["report.stop"] is False or isinstance(found["report.stop"], Unknown)
    others = [found[f"report.{name}"] for name in ("state", "ticked", "share", "note")]
    assert all(isinstance(value, Unknown) for value in others)


@each("name", shipped.policies())
def test_the_pages_of_shipped_policies_repeated_are_no_signals(name: str) -> None:
    policy = load_policy(name)
    page = prompt_page(policy)
    reads = {entry.extractor for entry in policy.extractions} & {"status_block", "promise"}
    assert bool(page) is bool(reads)
    for fact, value in said(policy, page).items():
        if fact.endswith((".present", ".emitted")):
            assert value is False, fact


WORD = st.from_regex(r"[A-Za-z][A-Za-z0-9]{0,6}(_[A-Za-z0-9]{1,6}){0,2}", fullmatch=True)
RESERVED = {"KNOWN", "UNKNOWN", "END"}
MEMBERS = st.lists(WORD, min_size=1, max_size=5, unique_by=lambda w: w.upper().replace("_", "")).filter(
    lambda ws: not {w.upper().replace("_", "") for w in ws} & RESERVED
)
LINE = st.text(
    st.characters(codec="utf-8", categories=("L", "Nd", "Zs", "Po", "Sm")), min_size=1, max_size=40
)


@st.composite
def field(draw: st.DrawFn) -> tuple[dict, str, object]:
    """A field of a form, what an agent writes there, and what that means."""
    kind = draw(st.sampled_from(["bool", "count", "number", "percent", "enum", "text"]))
    entry: dict = {"type": kind, "doc": draw(LINE)}
    if kind == "bool":
        value: object = draw(st.booleans())
        return entry, str(value).lower(), value
    if kind == "enum":
        entry["members"] = draw(MEMBERS)
        word = draw(st.sampled_from(entry["members"]))
        return entry, word, word.upper()
    if kind == "text":
        text = " ".join(draw(st.lists(WORD, min_size=1, max_size=5)))
        return entry, text, text
    value = draw(st.integers(0, 100))
    return entry, str(value), value


KEYS = st.lists(WORD, min_size=1, max_size=6, unique_by=lambda w: w.upper().replace("_", ""))
DRESSED = ("{form}", "Done.\n\n{form}", "```\n{form}```\n", "Done.\r\n{form}")


@settings(max_examples=100, deadline=None)
@given(
    name=WORD.filter(lambda w: len(w) > 3), keys=KEYS, drawn=st.data(),
    style=st.sampled_from(["ruled", "header"]), dress=st.sampled_from(DRESSED),
)  # fmt: skip
def test_a_form_filled_in_says_what_was_filled_in(
    name: str, keys: list[str], drawn: st.DataObject, style: str, dress: str
) -> None:
    filled = {key: drawn.draw(field()) for key in keys if key.upper() != name.upper()}
    fields = {f"f{n}": {**entry, "key": key} for n, (key, (entry, _, _)) in enumerate(filled.items())}
    options = {"name": name, "style": style, "fields": fields}
    page = prompt_page(asking(options))
    lines = form_of(page) if fields else []
    answers = iter(written for _, written, _ in filled.values())
    done = [line.split(":")[0] + ": " + next(answers) if ": " in line else line for line in lines]
    end = "\r\n" if "\r" in dress else "\n"
    found = facts_of(options, dress.format(form="".join(f"{line}{end}" for line in done)))
    if not fields:
        return
    assert found["s.present"] is True
    assert [found[f"s.{fact}"] for fact in fields] == [value for _, _, value in filled.values()]
    assert found["s.unread"] == ()
    assert facts_of(options, page)["s.present"] is False
    assert facts_of(options, "".join(f"> {line}\n" for line in done))["s.present"] is False


def asking(options: dict) -> CompiledPolicy:
    """A policy that reads one status block and has no rules, as far as a page needs it."""
    policy = load_policy("bb3")
    slots = {slot: getattr(policy, slot) for slot in policy.__slots__}
    made = object.__new__(CompiledPolicy)
    for slot, value in {
        **slots,
        "extractions": (Extraction("s", "status_block", "output", options),),
    }.items():
        setattr(made, slot, value)
    return made


def facts_of(options: dict, text: str) -> dict[str, object]:
    sources = {"output": Source("output", text)}
    found = registry.load("status_block").extract(
        "s", "output", JsonObject(options), Iteration(1, "r#1", 0.0, sources)
    )
    return {fact.name: fact.value for fact in found}


CHOSEN = f"""{HEAD}\
parameters:
  way: {{type: enum, members: [BLOCK, VOW], default: BLOCK, doc: What counts.}}
facts:
  report: {{extract: status_block, name: LOOP_REPORT, fields: {{stop: {{type: bool, key: STOP}}}}}}
  kept: {{extract: promise}}
rules:
  - {{id: vow, when: $way is VOW and kept.emitted, exit: complete, because: kept}}
  - {{id: stop, when: $way is BLOCK and report.stop is true, exit: complete, because: stop}}
otherwise: continue
"""


def test_what_a_setting_keeps_from_counting_is_not_asked_for(tmp_path: Path) -> None:
    policy_at(tmp_path, CHOSEN)
    page = run("prompt", "asking.yaml", cwd=tmp_path).out
    assert "<promise>" not in page
    assert "- `STOP`.\n  - `true` can end the run as complete.\n" in page
    page = run("prompt", "asking.yaml", "--set", "way=VOW", cwd=tmp_path).out
    assert "<promise>COMPLETE</promise>" in page
    assert "can end the run as complete" in page.partition("<promise>")[2]
    assert "- `STOP`.\n  - `true`" not in page


def test_fields_of_the_record_that_the_program_writes_are_not_asked_of_the_agent() -> None:
    policy = load_policy("ralph-claude-code")
    assert {e.source for e in policy.extractions if e.extractor == "status_block"} == {"output", "result"}
    assert prompt_page(policy).count("End every reply with") == 1
