"""Files that a command wants to write or remove: shown first, asked about, then done."""

from __future__ import annotations

from exitgate.cli.answer import Answer, Event
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from exitgate.cli.terminal import Terminal


class Planned(Value):
    """
    One file.

    Args:
        path, shown: Where it is, and how a person writes that.
        old: What it holds; None where it does not exist yet.
        new: What it is to hold; None where it is to go.
        note: A word on the change, behind its path.
        folders: Folders that go with the file when they are empty then, outermost first.
        done: Called afterwards with the folders that were made; returns a remark, or the empty text.
        by_program: Whether the text is a program's, and only counted in the diff.
    """

    __slots__ = ("by_program", "done", "folders", "new", "note", "old", "path", "shown")

    def __init__(
        self,
        path: str,
        shown: str,
        old: str | None,
        new: str | None,
        note: str,
        done: Callable[[tuple[str, ...]], str],
        folders: tuple[str, ...] = (),
        by_program: str = "",
    ) -> None:
        self.path = path
        self.shown = shown
        self.old = old
        self.new = new
        self.note = note
        self.done = done
        self.folders = folders
        self.by_program = by_program


def carry_out(
    planned: Sequence[Planned], terminal: Terminal, *, yes: bool, again: str, remarks: str
) -> Answer:
    """
    Show the diffs, ask where there is a terminal, and do what was agreed to.

    Args:
        planned: What to do, in order.
        terminal: Where it is shown.
        yes: Whether it was agreed to beforehand.
        again: The command line that does it without asking.
        remarks: Lines for stderr that are shown in any case.

    Raises:
        ExitgateError: A file cannot be written; those before it are.
    """
    from exitgate.cli.asking import agreed, can_ask
    from exitgate.cli.main import write

    shown = "\n".join(_diff(one, terminal) for one in planned)
    if not yes:
        if not can_ask():
            return Answer(shown, f"{remarks}nothing was written; `{again}` writes it\n")
        write(Answer(shown, remarks))
        if not agreed(f"write {'this' if len(planned) == 1 else f'these {len(planned)} files'}? [y/N] "):
            return Answer(err="nothing was written\n")
        shown, remarks = "", ""
    done = [_do(one) for one in planned]
    out = "".join(line for line, _ in done)
    remarks += "".join(remark for _, remark in done)
    name = {True: "file_removed", False: "file_written"}
    events = tuple(Event("info", name[one.new is None], {"path": one.path}) for one in planned)
    return Answer(shown + ("\n" if shown else "") + out, remarks, events=events)


def _do(one: Planned) -> tuple[str, str]:
    from exitgate.hosts.install.files import remove, write_text
    from exitgate.report.safe import safe

    if one.new is None:
        remove(one.path, one.shown, one.folders)
        return f"removed {safe(one.shown)}\n", one.done(())
    made = write_text(one.path, one.shown, one.old, one.new)
    return f"wrote {safe(one.shown)}\n", one.done(made)


def _diff(one: Planned, terminal: Terminal) -> str:
    from exitgate.report.diff import change_text, new_file_text
    from exitgate.report.safe import safe_line

    if one.new is None and one.by_program:
        head = terminal.out.paint("strong", f"--- {safe_line(one.shown)}\n+++ /dev/null")
        return f"{head}\n@@ -1,{len((one.old or '').splitlines())} +0,0 @@ {one.by_program}\n"
    if one.old is None:
        return new_file_text(one.shown, one.new or "", terminal.out, one.by_program)
    return change_text(one.shown, one.old, one.new or "", one.note, terminal.out)
