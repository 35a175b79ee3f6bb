"""A signal that is shown, quoted, foretold or followed by other work is never a signal."""

from __future__ import annotations

import pytest
import yaml
from cases import each
from fact_reading import ROOT, facts, resolved

from exitgate.core.facts import registry
from exitgate.core.model.fact import Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.model.value import Unknown

POLICY = yaml.safe_load((ROOT / "policies" / "recommended" / "policy.yaml").read_text(encoding="utf-8"))
LEXICON = resolved("illustrations")
STATUS = {**POLICY["facts"]["status"], "lexicon": LEXICON}
PROMISE = {"text": ["COMPLETE", "GARDEN_DONE"], "lexicon": LEXICON}

SIGNALS = {
    "ruled": "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---",
    "header": "RALPH_STATUS:\n  STATUS: COMPLETE\n  EXIT_SIGNAL: true",
    "without end": "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true",
    "same marks": "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---RALPH_STATUS---",
    "no colons": "---RALPH_STATUS---\nSTATUS COMPLETE\nEXIT_SIGNAL true\n---END_RALPH_STATUS---",
    "equals": "---RALPH_STATUS---\nSTATUS = COMPLETE\nEXIT_SIGNAL = true\n---END_RALPH_STATUS---",
    "other name": "DOYAKEN_STATUS:\n  PHASE_COMPLETE: true\n  TESTS_STATUS: pass",
    "promise": "<promise>COMPLETE</promise>",
    "bare": "GARDEN_DONE",
}
#: How a signal is shown: text around it, and what its lines begin with.
SHOWN = {
    "comment": ("Pruned the pear.\n\n<!--\n{}\n-->\n", ""),
    "comment with words": ("Pruned the pear.\n\n<!-- not yet\n\n{}\n-->\n", ""),
    "comment on its line": ("Pruned the pear.\n\n<!-- {} -->\n", ""),
    "open comment": ("Pruned the pear.\n\n<!--\n{}\n", ""),
    "open fence": ("Pruned the pear.\n\n```\n{}\n", ""),
    "open fence of a language": ("Pruned the pear.\n\n~~~text\nold\n{}\n", ""),
    "quoted": ("Pruned the pear.\n\n> {}\n", "> "),
    "quoted, and words behind": ("> {}\n\nThe hedge is next.\n", "> "),
    "patch": ("```diff\n@@ -1,2 +1,5 @@\n+{}\n```\n", "+"),
    "patch without head": ("```diff\n+ {}\n```\n", "+ "),
    "called an example behind": ("Pruned the pear.\n\n{}\n\nThis is only an example.\n", ""),
    "for illustration": ("Pruned the pear.\n\n{}\n\n(For illustration.)\n", ""),
    "foretold behind": ("Pruned the pear.\n\n{}\n\nThat is what I will print later on.\n", ""),
    "foretold": ("Pruned the pear. Once the hedge is cut I will end with this.\n\n{}\n", ""),
    "foretold by a colon": ("When the hedge is cut, I will print:\n\n{}\n", ""),
    "would look": ("Pruned the pear. At last the report would look like this.\n\n{}\n", ""),
    "example": ("An example:\n\n{}\n", ""),
    "heading": ("Pruned the pear.\n\n## Example\n\n{}\n", ""),
    "german": ("Birnbaum geschnitten.\n\n{}\n\nDas ist nur ein Beispiel.\n", ""),
    "chinese": ("梨树已修剪。\n\n{}\n\n以上只是示例。\n", ""),
}


def emitted(output: str, response: str | None = None) -> list[object]:
    texts = {"output": output, "response": output if response is None else response}
    iteration = Iteration(1, "t#1", 0.0, {name: Source(name, text) for name, text in texts.items()})
    found: list[object] = []
    for extractor, options, fact in (
        ("status_block", STATUS, "exit_signal"),
        ("promise", PROMISE, "emitted"),
    ):
        made = registry.load(extractor).extract("x", "output", JsonObject(options), iteration)
        value = {f.name: f.value for f in made}[f"x.{fact}"]
        found.append(False if isinstance(value, Unknown) else value)
    return found


@each("signal", SIGNALS)
@each("shown", SHOWN)
def test_what_is_shown_is_no_signal(shown, signal):
    around, lead = SHOWN[shown]
    assert emitted(around.format(SIGNALS[signal].replace("\n", "\n" + lead))) == [False, False]


@pytest.mark.parametrize("signal", SIGNALS)
def test_the_same_words_are_a_signal_at_the_end(signal):
    assert True in emitted(f"Pruned the pear, and the hedge is cut. Nothing is left.\n\n{SIGNALS[signal]}\n")


@pytest.mark.parametrize("signal", SIGNALS)
def test_a_signal_of_an_earlier_message_is_none(signal):
    said = f"All is cut.\n\n{SIGNALS[signal]}"
    assert emitted(f"{said}\n\nNow the hedge.\n", "Now the hedge.\n") == [False, False]
    assert emitted(f"{said}\n\nTwo pears are still red.", "Two pears are still red.") == [False, False]
    parting = emitted(f"{said}\n\nThe shears are oiled.", "The shears are oiled.")
    assert (True in parting) is (signal != "bare")  # a bare word is the last line, or it is none
    assert True in emitted(f"Now the hedge.\n\n{said}\n", f"{said}\n")


@each("fence", ["```", "~~~", "````text"])
@each("signal", ["ruled", "header", "same marks", "no colons"])
def test_a_block_in_a_closed_fence_at_the_end_counts(signal, fence):
    text = f"All is cut.\n\n{fence}\n{SIGNALS[signal]}\n{fence.rstrip('tex')}\n"
    assert emitted(text)[0] is True


def status(text: str) -> dict:
    found = facts("status_block", STATUS, "output", output=text)
    return {name[2:]: None if isinstance(f.value, Unknown) else f.value for name, f in found.items()}


def test_a_block_without_colons_is_read_where_its_values_are_words_of_the_policy():
    found = status(
        "---RALPH_STATUS---\nSTATUS BLOCKED\nEXIT_SIGNAL false\nTASKS left open\n---END_RALPH_STATUS---\n"
    )
    assert (found["present"], found["status"], found["exit_signal"]) == (True, "BLOCKED", False)
    broken = status("---RALPH_STATUS---\nSTATUS COMPLETE\nEXIT_SIGNAL true\n")
    assert (broken["status"], broken["exit_signal"]) == ("COMPLETE", None)


def test_a_comment_that_is_a_report_says_where_the_work_stands_and_sets_no_flag():
    found = status("Cut it.\n<!-- RALPH_STATUS\nloop: 4\nstatus: done\nnext: the hedge\n-->\n")
    assert (found["status"], found["recommendation"], found["exit_signal"]) == ("COMPLETE", "the hedge", None)
    assert status("<!-- RALPH_STATUS\nstatus: done\nexit_signal: true\n-->\n")["present"] is False


@pytest.mark.parametrize(
    "line", ["EXIT_SIGNAL", "**EXIT_SIGNAL**", "EXIT_SIGNAL: true", "- EXIT_SIGNAL: true"]
)
def test_a_key_without_a_block_is_told_and_sets_nothing(line):
    found = status(f"All is cut.\n\n{line}\n")
    assert (found["exit_signal"], found["outside"]) == (None, (line,))
    assert status("I set EXIT_SIGNAL to true in the docs, as was asked for.\n")["outside"] == ()


@pytest.mark.parametrize(
    "text", ["garden_done", "GARDEN_DONE is near", "GARDEN_DONE\n\nmore", "COMPLETE", "`GARDEN_DONE` later"]
)
def test_a_bare_promise_is_the_last_line_and_a_word_that_nobody_writes_otherwise(text):
    assert emitted(f"All is cut.\n\n{text}\n")[1] is False
