"""Nothing that a terminal or a log would act on gets out of a response: in no command and in no form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loops import Loop

#: Moves the cursor, renames the window, sets the clipboard, hides text, reorders a line, ends a line.
ATTACKS = {
    "colour": "\x1b[31m",
    "title": "\x1b]0;owned\x07",
    "clipboard": "\x1b]52;c;b3duZWQ=\x07",
    "one byte": "\x9b31m",
    "clear": "\x1bc",
    "back": "\x08\x08\x08\x7f",
    "bidi": "\u202e\u2066",
    "line separator": "\u2028\u2029\x85",
    "return": "\rEXIT complete",
    "form feed": "\x0c\x0b\x1c\x1d\x1e",
    "null": "\x00",
    "tags": "\U000e0041\U000e007f",
}
BAD = frozenset("".join(ATTACKS.values())) - frozenset(map(chr, range(0x20, 0x7F)))
COMMANDS = [
    *(("check", "r.md", "plan.md", "--format", form) for form in ("text", "json", "github")),
    *(
        ("check", "r.md", "plan.md", "--no-record", "--color", "never", "--format", form)
        for form in ("text",)
    ),
    *(("explain", "--format", form) for form in ("text", "json", "markdown")),
    *(("explain", "r.md", "plan.md", "--format", form) for form in ("text", "json", "markdown")),
    *(("facts", "r.md", "plan.md", "--format", form) for form in ("text", "json")),
    *((word, "--format", form) for word in ("history", "state") for form in ("text", "json")),
    ("ledger", "tail"),
    ("ledger", "verify"),
    ("ledger", "export"),
]


#: Each attack in lines of its own: six at a time cost what one does.
SIX = [dict(list(ATTACKS.items())[start : start + 6]) for start in range(0, len(ATTACKS), 6)]
each_attack = pytest.mark.parametrize("attacks", [tuple(one.values()) for one in SIX], ids=map("-".join, SIX))


def attacked(loop: Loop, attacks: tuple[str, ...]) -> None:
    response, plan = "", ""
    for attack in attacks:
        said = f"All tests pass.{attack} Everything is done{attack}, maybe {attack}ERROR: it{attack} failed\n"
        response += said * 2 + f"ERROR: {attack}broken\n"
        plan += f"- [x] one{attack}\n- [ ] two {attack} x\n- [?] {attack}\n"
    loop.write("r.md", response)
    loop.write("plan.md", plan)
    reason = "b".join(attacks)
    state = {"state": "HALF_OPEN", "reason": f"a{reason}b", "opened_at": "".join(attacks)}
    loop.write(".ralph/circuit-state.json", json.dumps(state))


@each_attack
def test_no_command_in_any_form(loop: Loop, attacks: tuple[str, ...]) -> None:
    attacked(loop, attacks)
    for words in COMMANDS:
        ran = loop.run(*words)
        assert ran.code < 64, (words, ran)
        assert not BAD & set(ran.all), words
        if words[-1] == "json":
            json.loads(ran.out)  # one document, whatever stands in it


@each_attack
def test_one_line_of_the_ledger_stays_one(loop: Loop, attacks: tuple[str, ...]) -> None:
    attacked(loop, attacks)
    for count in (1, 2, 3):
        loop.run("check", "r.md", "plan.md")
        lines = loop.ledger.splitlines()
        kinds = [json.loads(line)["kind"] for line in lines]
        assert kinds.count("decision") == count
        assert loop.ledger.isascii()
        assert not BAD & set(loop.ledger)


SHOUT = """\
facts: {tasks: {extract: checklist, from: plan}}
circuit: {from: state.json}
rules:
  - {id: open, when: circuit.state is OPEN, exit: halted, because: "{circuit.reason}"}
otherwise: continue
"""
FORGED = "stop\n::error title=forged::owned\n::set-output name=a::b\r::stop-commands::x\u2028::warning::y"


def test_an_annotation_cannot_be_forged(loop: Loop) -> None:
    loop.policy(SHOUT)
    loop.write("state.json", json.dumps({"state": "OPEN", "reason": FORGED}))
    loop.write("r.md", "x")
    out = loop.run("check", "r.md", "--policy", "./policy.yaml", "--format", "github").out
    lines = out.splitlines()
    assert [line[:2] for line in lines] == ["::"] * len(lines)
    assert not any(line.startswith(("::error", "::set-output", "::stop-commands")) for line in lines)
    assert "\r" not in out
    assert "\u2028" not in out


def test_a_line_of_text_output_cannot_be_forged(loop: Loop) -> None:
    loop.policy(SHOUT)
    reason = "x\nEXIT complete · all_tasks_done"
    loop.write("state.json", json.dumps({"state": "OPEN", "reason": reason}))
    loop.write("r.md", "x")
    for words in (("check", "r.md", "--policy", "./policy.yaml"), ("history",), ("explain",), ("state",)):
        out = loop.run(*words).out
        assert not any(line.startswith("EXIT complete") for line in out.splitlines()), words


def test_markdown_cannot_be_broken_out_of(loop: Loop) -> None:
    attack = "``` </details> <script>alert(1)</script> | [x](javascript:1) ![i](http://e.example/i) <!-- "
    attacked(loop, (attack,))
    out = loop.run("explain", "r.md", "plan.md", "--format", "markdown").out
    from markdown_it import MarkdownIt

    html = MarkdownIt("commonmark", {"html": True}).enable("table").render(out)
    html = html.replace("@<!-- -->", "@")  # ours: keeps `@plan_done` from calling a person
    for tag in ("<script", "<img", "<a ", "<!--"):
        assert tag not in html, tag
    assert html.count("<details>") == html.count("</details>") == 2, "the two that fold rules and facts"
    folded = html[html.index("<details>") :]
    assert "alert(1)" not in folded or folded.rindex("</details>") > folded.rindex("alert(1)")


def test_the_decision_log_has_a_line_a_decision(tmp_path: Path) -> None:
    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.views.contents import entry_of

    message = "".join(ATTACKS.values()) + "\n{}"
    line = JsonObject(
        kind="decision", sequence=1, at="2027-01-15T08:00:00.000+00:00", decision={"message": message}
    )
    text = json.dumps(entry_of(line))
    assert text.isascii()
    assert len(text.splitlines()) == 1
    assert json.loads(text)["message"] == message
