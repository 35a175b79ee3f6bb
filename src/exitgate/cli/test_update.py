"""`exitgate test --update`: expectations rewritten to what was found, shown first."""

from __future__ import annotations

import os

from exitgate.cli.answer import Answer
from exitgate.cli.asking import agreed, can_ask
from exitgate.cli.usage import usage_error
from exitgate.model.verdict import FINDINGS, OK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.report.tests_ran import RanAll
    from exitgate.testing.sitting import Sitting
    from exitgate.testing.update import Updated


def check_own(given: Given) -> None:
    """Raise `ExitgateError` (64) for the tests of a shipped policy that is named."""
    from exitgate.policy import shipped

    for path in given.texts("path"):
        if not os.path.exists(path) and path in shipped.policies():
            message = f"`{path}` comes with exitgate: its tests are not updated"
            raise usage_error(message, f"copy it first: `exitgate policies eject {path}`")


def update(sitting: Sitting, found: RanAll, terminal: Terminal, given: Given) -> Answer:
    """
    Return the diff of what would change, and write it where the user says so.

    The code is that of files that cannot be used; else 69 where something stays as it was: not written,
    expectations that cannot be updated, broken invariants.
    """
    from exitgate.cli.main import write
    from exitgate.report.diagnostics import diagnostics_text
    from exitgate.testing.update import update as updated_of

    yes = given.flag("yes")
    updates = [updated_of(suite, results) for suite, results in sitting.by_file()]
    changed = [one for one in updates if one.count]
    diff = "".join(_diff(one, terminal) for one in changed)
    refused = [d for one in updates for d in one.refused]
    trouble = [d for file in found.unusable for d in file.diagnostics]
    told = diagnostics_text([*trouble, *refused], terminal.err) + _broken(found)
    codes = [file.code for file in found.unusable]
    left = FINDINGS if refused or any(one.broken for one in found.failed) else OK
    if not changed:
        nothing = "" if told else "every expectation already holds\n"
        return Answer(err=told + nothing, code=max(codes) if codes else left)
    if not yes and can_ask():
        write(Answer(diff, told))
        diff = told = ""
        yes = agreed(f"write {_counted(changed)}? [y/N] ")
    if not yes:
        hint = f"nothing is written: {_counted(changed)} would change; `--yes` writes it\n"
        return Answer(diff, told + hint, max(codes) if codes else FINDINGS)
    _write(changed)
    return Answer(diff, f"{told}wrote {_counted(changed)}\n", max(codes) if codes else left)


def _diff(one: Updated, terminal: Terminal) -> str:
    from exitgate.report.diff import change_text

    return change_text(one.path, one.old, one.new, "as it was found", terminal.out)


def _write(changed: Sequence[Updated]) -> None:
    from exitgate.cli.replace import replace_text

    for one in changed:
        replace_text(one.path, one.new)


def _broken(found: RanAll) -> str:
    from exitgate.report.safe import safe_block

    lines = [line for one in found.failed for line in one.broken]
    return safe_block("".join(f"{line}\n" for line in lines))


def _counted(changed: Sequence[Updated]) -> str:
    from exitgate.report.safe import safe

    count = sum(one.count for one in changed)
    files = ", ".join(safe(one.path) for one in changed)
    return f"{count} expectation{'' if count == 1 else 's'} in {files}"
