"""What a command found in a file of the user's choice: written whole or not at all, over nothing it read."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from stat import S_IMODE

from msgspec import Struct

from exitgate.cli.command import Answer, Event
from exitgate.cli.parsing.usage import failure
from exitgate.cli.terminal import Terminal, write
from exitgate.core.model.decision import CANNOT_WRITE, USAGE
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.system import portable
from exitgate.core.system.output import write_over
from exitgate.report.terminal import safe, safe_line

STDOUT = "-"
YAML = (".yaml", ".yml")
#: Below these are devices and what is open, by name: never replaced, only written to.
_OPEN = ("/dev/", "/proc/")


def is_stdout(path: str) -> bool:
    """Return whether `path` is ``-``, or another name of what stdout writes to, such as ``/dev/stdout``."""
    if path == STDOUT:
        return True
    try:
        return os.path.samestat(os.stat(path), os.fstat(1))
    except (OSError, ValueError):
        return False


def check_output(path: str, read: Iterable[str]) -> None:
    """
    Raise `ExitgateError` where `path` is one of the files that are `read` (64), or cannot be written (73).

    A file in YAML that is there counts as read: it is a policy, or one that policies are made of, and no
    result is in YAML. To be asked before anything takes long.
    """
    if os.path.isdir(path):
        raise failure("EP862", f"`{path}` is a folder", "name a file in it: `-o FOLDER/FILE`", CANNOT_WRITE)
    if not path:
        raise failure("EP862", "`-o` names no file", "`-` is stdout", CANNOT_WRITE)
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise failure("EP862", f"there is no folder `{folder}`", "create it first", CANNOT_WRITE)
    for other in read:
        if os.path.isfile(other) and os.path.exists(path) and os.path.samefile(other, path):
            message = f"`-o {path}` would overwrite `{other}`, which is an input"
            raise failure("EP861", message, "name another file", USAGE)
    if os.path.isfile(path) and os.path.realpath(path).lower().endswith(YAML):
        message = f"`-o {path}` would overwrite a YAML file with output that is not YAML"
        raise failure("EP861", message, "name another file", USAGE)
    target = path if _is_open(path) else os.path.dirname(os.path.realpath(path))
    if os.path.exists(target) and not os.access(target, os.W_OK):
        message = f"cannot write `{path}`: `{target}` is not writable"
        raise failure("EP862", message, "name another place", CANNOT_WRITE)


def write_output(path: str, content: bytes) -> None:
    """
    Write a file, with the mode of the one whose place it takes; a link keeps pointing.

    Raises `ExitgateError` (73).
    """
    try:
        if _is_open(path):
            with open(path, "wb") as file:
                file.write(content)
        else:
            _replace(os.path.realpath(path), content)
    except OSError as error:
        message = f"cannot write `{path}`: {error.strerror}"
        raise failure("EP862", message, "check its folder and the room on the disk", CANNOT_WRITE) from error


def written(path: str | None, text: str) -> bool:
    """Write `text` to a file if `path` names one and not stdout, and return whether. Raises as above."""
    if path is None or is_stdout(path):
        return False
    write_output(path, text.encode("utf-8", "backslashreplace"))
    return True


def _is_open(path: str) -> bool:
    """Return whether a pipe or a device takes what is written to it, or something that is open already."""
    return os.path.exists(path) and (not os.path.isfile(path) or os.path.abspath(path).startswith(_OPEN))


def _replace(path: str, content: bytes) -> None:
    import tempfile

    mode = S_IMODE(os.stat(path).st_mode) if os.path.exists(path) else 0o666 & ~_umask()
    descriptor, new = tempfile.mkstemp(prefix=".exitgate-", dir=os.path.dirname(path))
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.chmod(new, mode)
        portable.replace(new, path)
    except BaseException:
        os.unlink(new)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# Writing files: a new text instead of an old one, whole or not at all; a file not there yet.

RIGHTS = "check its folder's rights"


def replace_text(path: str, text: str) -> None:
    """
    Write `text` to a new file beside `path` and move it there, with the mode of the old one.

    A link keeps pointing: the file behind it is replaced. Raises `ExitgateError` (73).
    """
    target = os.path.realpath(path)
    try:
        mode = os.stat(target).st_mode
        write_over(target, text, mode & 0o7777)
    except OSError as error:
        raise _not_written(path, error, RIGHTS) from error


def write_new(path: str, text: str, help: str = RIGHTS) -> None:
    """Write a file that does not exist yet, with its folders. Raises `ExitgateError` (73) with `help`."""
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except OSError as error:
        raise _not_written(path, error, help) from error


def _not_written(path: str, error: OSError, help: str) -> ExitgateError:
    return failure("EP805", f"cannot write `{path}`: {error.strerror}", help, CANNOT_WRITE)


# Files that a command wants to write or remove: shown first, asked about, then done.


class FileChange(Struct, frozen=True):
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

    path: str
    shown: str
    old: str | None
    new: str | None
    note: str
    done: Callable[[tuple[str, ...]], str]
    folders: tuple[str, ...] = ()
    by_program: str = ""


def apply_changes(
    planned: Sequence[FileChange], terminal: Terminal, *, yes: bool, again: str, remarks: str
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
    shown = "\n".join(_diff(one, terminal) for one in planned)
    if not yes:
        if not can_ask():
            return Answer(shown, f"{remarks}nothing was written; `{again}` writes it\n")
        write(Answer(shown, remarks))
        if not confirmed(f"write {'this' if len(planned) == 1 else f'these {len(planned)} files'}? [y/N] "):
            return Answer(err="nothing was written\n")
        shown, remarks = "", ""
    done = [_do(one) for one in planned]
    out = "".join(line for line, _ in done)
    remarks += "".join(remark for _, remark in done)
    name = {True: "file_removed", False: "file_written"}
    events = tuple(Event("info", name[one.new is None], {"path": one.path}) for one in planned)
    return Answer(shown + ("\n" if shown else "") + out, remarks, events=events)


def _do(one: FileChange) -> tuple[str, str]:
    from exitgate.hosts.install.files import remove, write_text

    if one.new is None:
        remove(one.path, one.shown, one.folders)
        return f"removed {safe(one.shown)}\n", one.done(())
    made = write_text(one.path, one.shown, one.old, one.new)
    return f"wrote {safe(one.shown)}\n", one.done(made)


def _diff(one: FileChange, terminal: Terminal) -> str:
    from exitgate.report.formats.unified_diff import change_text, new_file_text

    if one.new is None and one.by_program:
        head = terminal.out.paint("strong", f"--- {safe_line(one.shown)}\n+++ /dev/null")
        return f"{head}\n@@ -1,{len((one.old or '').splitlines())} +0,0 @@ {one.by_program}\n"
    if one.old is None:
        return new_file_text(one.shown, one.new or "", terminal.out, one.by_program)
    return change_text(one.shown, one.old, one.new or "", one.note, terminal.out)


# Asking the user before something is written.


def can_ask() -> bool:
    """Return whether somebody can be asked: stdin and stderr are a terminal."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))


def confirmed(question: str) -> bool:
    """Ask on stderr and return whether the answer begins with y; no answer is no."""
    write(Answer(err=question))
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
