"""What `doctor` finds of the state: the folder, the ledger, and what a check would do now."""

from __future__ import annotations

import os

from exitgate import system
from exitgate.model.diagnostic import ExitgateError
from exitgate.report.findings import ABSENT, FAILS, FOUND, WARNING, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.request import Request

#: Bits of a mode that let others read or write.
_OTHERS = 0o077


def state_findings(request: Request) -> tuple[Finding, ...]:
    """Return the findings on the state directory and the ledger; nothing is written."""
    from exitgate.gate.discover import state_dir

    directory = state_dir(request)
    return (_directory(directory), _ledger(directory))


def check_finding(request: Request) -> Finding:
    """Return what a check would do now, as one that records nothing does it."""
    from exitgate.gate.check import check
    from exitgate.report.replay import ANSWER, answer_text

    try:
        checked = check(request)
    except ExitgateError as error:
        first = error.diagnostics[0]
        text = f"would stop with {error.exit_code}: {first.message}"
        return Finding("check", FAILS, text, "", first.help or "see `exitgate check`")
    decision, iteration = checked.decision, checked.iteration
    plain = dict(zip(ANSWER, (decision.verdict, decision.exit_class, decision.outcome), strict=True))
    asked = f"{decision.stage} of {checked.policy.name}, {iteration.run} iteration {iteration.number}"
    return Finding("check", FOUND, f"would say {answer_text(plain)}", asked)


def _directory(directory: str) -> Finding:
    there = directory
    while not os.path.lexists(there):
        there = os.path.dirname(os.path.abspath(there))
    if not os.path.isdir(there):
        help = "remove it, or name another folder with `--state-dir`"
        return Finding("state", FAILS, f"`{there}` is not a folder", directory, help)
    if not os.access(there, os.W_OK | os.X_OK):
        help = "make it writable, or name another folder with `--state-dir`"
        return Finding("state", FAILS, f"`{there}` cannot be written", directory, help)
    if there != directory:
        return Finding("state", ABSENT, "not created yet; the first check creates it", directory)
    status = os.stat(directory)
    if system.owner(status) != system.user():
        help = "another user can change the decisions; name a folder of your own with `--state-dir`"
        return Finding("state", WARNING, "belongs to another user", directory, help)
    if system.rights(status) & _OTHERS:
        help = f"other users can read or change it: chmod 700 {directory}"
        return Finding("state", WARNING, f"mode {system.rights(status):o}", directory, help)
    return Finding("state", FOUND, "writable, private", directory)


def _ledger(directory: str) -> Finding:
    from exitgate.ledger.file import path_in
    from exitgate.ledger.verify import verify

    path = path_in(directory)
    try:
        if not os.path.lexists(path):
            return Finding("ledger", ABSENT, "no decisions yet", path)
        found = verify(directory)
    except ExitgateError as error:
        first = error.diagnostics[0]
        return Finding("ledger", FAILS, first.message, path, first.help)
    counted = f"{found.lines} line{'' if found.lines == 1 else 's'}"
    if found.whole:
        return Finding("ledger", FOUND, f"sound, {counted}", path)
    n = len(found.damages)
    text = f"{counted} good, {n} finding{'' if n == 1 else 's'}; damaged lines are skipped"
    return Finding("ledger", WARNING, text, path, "see `exitgate ledger verify`")
