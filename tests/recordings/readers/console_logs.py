"""Console logs of loops in many forms, made for tests: one run in other separators, words and times."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Form(NamedTuple):
    """How a loop writes the header of an iteration; `{n}`, `{m}`, `{at}` are its number, its limit, time."""

    name: str
    header: str
    footer: str = ""
    start: str = ""


RULE = "=" * 60
DOUBLE = "\u2550" * 55
AT = "2026-02-03 10:{minute:02}:00"

_BAR = "\u2550" * 30
_BOX = f"\u2554{_BAR}\u2557\n\u2551  Iteration {{n}} / {{m}}  \u2551\n\u255a{_BAR}\u255d"
_STARTS = "Starting Ralph - Tool: claude - Max iterations: {m}\n"
_GOES_ON = "Iteration {n} complete. Continuing..."

FORMS = (
    Form("snarktank", f"\n{RULE}\n  Ralph Iteration {{n}} of {{m}} (claude)\n{RULE}", _GOES_ON, _STARTS),
    Form("snarktank-amp", f"\n{DOUBLE}\n  Ralph Iteration {{n}} of {{m}}\n{DOUBLE}", _GOES_ON),
    Form("dated", f"\n{DOUBLE}\n  Iteration {{n}} of {{m}} - {{at}}\n{DOUBLE}"),
    Form("equals", "=== Iteration {n} ==="),
    Form("equals-date", "\n=== Iteration {n} === {at}"),
    Form("dashes", "--- iteration {n} ---"),
    Form("dashes-of", "----- Iteration {n} of {m} -----"),
    Form("hashes", "##### LOOP {n} #####"),
    Form("stars", "*** Iteration {n}/{m} ***"),
    Form("tildes", "~~~~~ Round {n} of {m} ~~~~~"),
    Form("box", _BOX),
    Form("emoji", "\U0001f504 Iteration {n}/{m}"),
    Form("arrow", ">>> Starting iteration {n}/{m}"),
    Form("loop-number", "=== Loop #{n} ===", "=== Loop #{n} finished ==="),
    Form("cycle", "===== CYCLE {n} of {m} =====", "Sleeping 5s"),
    Form("bracketed", "[{at}] Iteration {n}/{m}", "[{at}] Iteration {n} finished (exit code: 0)"),
    Form("bracketed-frame", "[{at}] === Iteration {n} ===", "[{at}] Waiting 10 seconds..."),
    Form("level", "[{at}] [INFO] Starting iteration {n} of {m}", "[{at}] [OK] Claude finished"),
    Form("python", "{at},123 - INFO - Iteration {n}/{m}", "{at},456 - INFO - Iteration {n} done"),
    Form("tag", "[ralph] iteration {n}/{m}", "[ralph] done in 12s"),
    Form("fields", '{at}Z level=info msg="iteration {n} of {m}"'),
    Form("ends", "*** Starting round {n}/{m} ***", "*** End of round {n} ***"),
    Form("sections", "=== Iteration {n} ===", "=== Tests ===\n3 failed, 1 passed"),
    Form("german", "=== Durchlauf {n} von {m} ==="),
    Form("spanish", "--- Iteraci\u00f3n {n} de {m} ---", "Esperando 10s..."),
    Form("french", "=== It\u00e9ration {n} sur {m} ==="),
    Form("portuguese", "### Itera\u00e7\u00e3o {n} de {m} ###"),
    Form("italian", "=== Iterazione {n} di {m} ==="),
    Form("chinese", "=== \u8fed\u4ee3 {n} / {m} ==="),
    Form("with-title", "=== ITERATION {n} - Part {n} of the bridge ==="),
    Form("with-story", "== Iteration {n}/{m}: [T-{n}] the bridge =="),
    Form("brackets", "[LOOP {n}/{m}]"),
    Form("brackets-date", "[iter {n} of {m}] {at}"),
    Form("github", "::group::Iteration {n}", "::endgroup::"),
    Form("github-raw", "##[group]Iteration {n} of {m}", "##[endgroup]"),
    Form("word-before", "=== Walling: iteration {n} of {m} ==="),
    Form("python-basic", "INFO:ralph:iteration {n}", "INFO:ralph:slept"),
    Form("begun", "Iteration {n} started"),
    Form("begun-date", "Run #{n} started at {at}", "Run #{n} ended at {at}, exit 0"),
    Form("begins", "loop iteration {n} begins"),
    Form("equals-sign", "{at}Z iteration={n} max={m}"),
    Form("element", '<iteration n="{n}">', "</iteration>"),
    Form("japanese", "=== \u53cd\u5fa9 {n} ==="),
)  # fmt: skip


def header(form: Form, number: int, limit: int, minute: int) -> str:
    """Return the header of an iteration."""
    return form.header.format(n=number, m=limit, at=AT.format(minute=minute))


def log_of(
    form: Form, texts: Sequence[str], limit: int = 20, first: int = 1, minute: int = 0, start: bool = True
) -> str:
    """Return the log of one launch whose iterations print `texts`."""
    lines = [form.start.format(m=limit)] if form.start else []
    for nth, text in enumerate(texts):
        at = minute + 2 * nth
        lines.append(header(form, first + nth, limit, at))
        lines.append(text)
        if form.footer:
            lines.append(form.footer.format(n=first + nth, m=limit, at=AT.format(minute=at + 1)))
    return "\n".join(lines) + "\n"
