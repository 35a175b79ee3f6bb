"""`exitgate lint --fix`: what can be fixed without a person, written or shown."""

from __future__ import annotations

from exitgate.cli.replace import replace_text
from exitgate.model.diagnostic import WARNING, Diagnostic, ExitgateError
from exitgate.model.value import Value
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from exitgate.analysis.lint.finding import Lint
    from exitgate.analysis.lint.reading import Opened
    from exitgate.cli.lint_files import Before, Wanted
    from exitgate.cli.terminal import Terminal


class Mended(Value):
    """
    A file that `--fix` looked at.

    Args:
        opened: As it is then.
        refused: Warnings on what was not fixed.
        diff: What changed, painted; empty where nothing did.
        remark: One line for stderr, or the empty text.
    """

    __slots__ = ("diff", "opened", "refused", "remark")

    def __init__(
        self, opened: Opened, refused: tuple[Diagnostic, ...] = (), diff: str = "", remark: str = ""
    ) -> None:
        self.opened = opened
        self.refused = refused
        self.diff = diff
        self.remark = remark


def mend(
    file: Wanted,
    opened: Opened,
    lints: Sequence[Lint],
    before: Before | None,
    today: str,
    only_show: bool,
    terminal: Terminal,
) -> Mended:
    """
    Fix one file and write it, or only show what would change.

    A file with errors is left as it is. Raises `ExitgateError`: 64 for what comes with exitgate, 73 where
    it cannot be written.
    """
    from exitgate.analysis.lint.fixing import fix
    from exitgate.analysis.lint.run import diagnostic
    from exitgate.cli.lint_files import reopen
    from exitgate.report.diff import change_text
    from exitgate.report.safe import safe

    if opened.subject is None or opened.problems:
        return Mended(opened)
    old = opened.subject.document.lines.text
    fixed = fix(opened, lints, lambda text: reopen(file, before, today, text))
    refused = tuple(_refused(diagnostic(placed)) for placed in fixed.refused)
    if fixed.text == old:
        return Mended(opened, refused)
    shown = change_text(file.path, old, fixed.text, "fixed", terminal.out) if only_show else ""
    if not only_show:
        if file.shipped:
            raise _not_ours(file.path)
        replace_text(file.path, fixed.text)
    verb = "would fix" if only_show else "fixed"
    remark = f"{verb} {safe(file.path)} in {fixed.fixed} place{'' if fixed.fixed == 1 else 's'}\n"
    return Mended(reopen(file, before, today, fixed.text), refused, shown, remark)


def _refused(found: Diagnostic) -> Diagnostic:
    message = f"not fixed: {found.message}"
    help = "fix it by hand: the edit would have changed what the file means"
    return Diagnostic("EP522", message, found.place, help, WARNING, found.source)


def _not_ours(path: str) -> ExitgateError:
    help = "copy it first: `exitgate policies eject NAME FOLDER`"
    return ExitgateError([Diagnostic("EP521", f"`{path}` comes with exitgate", help=help)], USAGE)
