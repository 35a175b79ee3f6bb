"""What an agent says comes through every reader letter for letter: blocks, fences, colours, languages."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import cases
from cases import each
from every_sample import TEXT, samples

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import collect

BLOCK = "---RALPH_STATUS---\nSTATUS: COMPLETE\nEXIT_SIGNAL: true\n---END_RALPH_STATUS---"
SAID = {
    "plain": BLOCK,
    "in a fence": f"Here:\n\n```text\n{BLOCK}\n```\n\nThat is all.",
    "as JSON": json.dumps({"RALPH_STATUS": {"STATUS": "COMPLETE", "EXIT_SIGNAL": True}}),
    "in bold": BLOCK.replace("STATUS:", "**STATUS:**"),
    "twice": f"{BLOCK}\n\n{BLOCK.replace('true', 'false')}",
    "a template": BLOCK.replace("COMPLETE", "IN_PROGRESS | COMPLETE | BLOCKED").replace(
        "true", "false | true"
    ),
    "escaped": json.dumps(BLOCK)[1:-1],
    "with carriage returns": BLOCK.replace("\n", "\r\n"),
    "in colours": f"\x1b[1m{BLOCK}\x1b[0m",
    "other languages": f"Alles ist erledigt. 全部完成。 تم. \N{WHITE HEAVY CHECK MARK}\n{BLOCK}",
    "backslashes and quotes": f'C:\\new\\table "x" \\u0041 \\\\n\n{BLOCK}',
    "lines that are marks elsewhere": f"{BLOCK}\n#### no prompt\n> no notice\n# aider chat started at\n## x",
}
with tempfile.TemporaryDirectory() as scratch:
    EVERY = {name: one for name, one in samples(Path(scratch)).items() if one.shape != TEXT}
#: These keep no words of the agent's, or in a form of their own.
SILENT = {"exitgate-ledger", "git-history", "autoresearch", "ralph-orchestrator", "orchestrator-recording"}


def said_in(reader: str, path: Path) -> list[str | None]:
    runs, _ = collect(registry.load(reader).read(Location(str(path)), ALL), reader)
    return [one.response for run in runs for one in run.iterations]


NAMES = [name for name, one in EVERY.items() if one.reader not in SILENT]
#: Each text in each format, written in ASCII or not by turns; the soak takes both.
CASES = [
    (name, how, ascii)
    for n, name in enumerate(NAMES)
    for h, how in enumerate(SAID)
    for ascii in (True, False)
    if cases.EVERY or ascii is bool((n + h) % 2)
]


@each(("name", "how", "ascii"), CASES)
def test_what_was_said_is_what_is_read(tmp_path: Path, name: str, how: str, ascii: bool) -> None:
    sample, text = EVERY[name], SAID[how]
    whole = said_in(sample.reader, sample.at(tmp_path))
    nth, old = next((n, said) for n, said in enumerate(whole) if said and spelled(said) in sample.body)
    body = sample.body.replace(spelled(old), json.dumps(text, ensure_ascii=ascii)[1:-1])
    # The program that writes results escapes some once too often: these are undone, see `escaped`.
    mended = ("claude-result", "claude-stream", "exitgate-run", "iteration-lines")
    undone = how == "escaped" and sample.reader in mended
    assert said_in(sample.reader, sample.at(tmp_path, body))[nth] == (BLOCK if undone else text)


def spelled(text: str) -> str:
    return json.dumps(text)[1:-1]
