"""Reading and writing settings of hosts: whole or not at all, never what is not text."""

from __future__ import annotations

import errno
import json
import os
import stat

from exitgate.core.model.decision import BAD_POLICY, CANNOT_READ, CANNOT_WRITE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError, Location
from exitgate.core.policy.yaml.lines import Lines
from exitgate.core.system import safe_files
from exitgate.core.system.output import write_over
from exitgate.hosts.install.host import EntrySpec, Host
from exitgate.hosts.install.json_edit import NotJsonError
from exitgate.hosts.install.settings_text import WrongKindError

BYTES_LIMIT = 4 * 1024 * 1024
_WRITERS = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def read_text(path: str, shown: str) -> str | None:
    """
    Return what a file of settings holds, line ends and byte-order mark included; None where there is none.

    Raises:
        ExitgateError: EP567 (74) for a folder, a device, a broken link, too many bytes, no UTF-8.
    """
    try:
        raw = safe_files.content(path, BYTES_LIMIT, links=True)
    except FileNotFoundError:
        if os.path.islink(path):
            raise unusable(shown, "is a broken link", "remove it or fix it") from None
        return None
    except NotADirectoryError:
        raise unusable(shown, "is below a file", "remove that file, or fix it") from None
    except OSError as error:
        if error.errno == errno.EFBIG:
            raise unusable(
                shown, f"has more than {BYTES_LIMIT} bytes", "write the hook there by hand"
            ) from error
        if error.errno in (errno.EINVAL, errno.EISDIR, errno.ENXIO):
            raise unusable(shown, "is not a file", "remove it or move it away") from error
        raise unusable(shown, f"cannot be read: {error.strerror}", "check its rights") from error
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise unusable(shown, f"is not UTF-8: byte {error.start + 1}", "save it as UTF-8") from error


def may_write(path: str, shown: str) -> None:
    """Raise `ExitgateError` (73) for a file that its owner made read-only: a rename would go over that."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return  # not there: writing will tell
    if not mode & _WRITERS:
        raise unusable(shown, "is read-only", f"chmod u+w {shown}", writing=True)


def write_text(path: str, shown: str, old: str | None, new: str) -> tuple[str, ...]:
    """
    Put `new` instead of `old`; return the folders that had to be made, outermost first.

    The mode of the file stays, a link keeps pointing.

    Raises:
        ExitgateError: EP569 (73) where the file does not hold `old` any more; EP805 (73) where it cannot
            be written.
    """
    may_write(path, shown)
    if read_text(path, shown) != old:
        raise changed_meanwhile(shown)
    target = os.path.realpath(path)
    folders = _missing(os.path.dirname(target))
    try:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write_over(target, new, _mode(target))
    except OSError as error:
        problem = Diagnostic(
            "EP805", f"cannot write `{shown}`: {error.strerror}", help="check its folder's rights"
        )
        raise ExitgateError([problem], CANNOT_WRITE) from error
    return folders


def remove(path: str, shown: str, folders: tuple[str, ...]) -> None:
    """Remove a file and, innermost first, those of `folders` that are empty then. Raises as `write_text`."""
    may_write(path, shown)
    try:
        os.unlink(path)
        for folder in reversed(folders):
            if os.path.isdir(folder) and not safe_files.names(folder):
                os.rmdir(folder)
    except OSError as error:
        problem = Diagnostic(
            "EP805", f"cannot remove `{shown}`: {error.strerror}", help="check its folder's rights"
        )
        raise ExitgateError([problem], CANNOT_WRITE) from error


def _missing(folder: str) -> tuple[str, ...]:
    found: list[str] = []
    while folder and not os.path.lexists(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return tuple(found)


def _mode(target: str) -> int:
    """Return the permission bits of the file, or those that a new one gets."""
    return os.stat(target).st_mode & 0o7777 if os.path.exists(target) else 0o666 & ~_umask()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


# What is reported about settings that cannot be read or edited, with the snippet to paste by hand.

#: Code -> what it means.
CODES = {
    "EP565": "the settings of a host are not JSON",
    "EP566": "the settings of a host have another value in the place for hooks",
    "EP567": "the settings of a host cannot be read as text, or cannot be written",
    "EP568": "the settings of exitgate are written in a way that cannot be edited",
    "EP569": "the settings of a host were changed by another program in the meantime",
}


def not_json(file: str, text: str, error: NotJsonError, by_hand: str = "") -> ExitgateError:
    """Return what is reported about a file that is not JSON; `by_hand` is what its reader could put there."""
    place, source = _at(file, text, error.offset)
    message = f"`{file}` is not JSON: {error.message}"
    help = f"fix it{_paste(by_hand)}; nothing was written"
    return ExitgateError([Diagnostic("EP565", message, place, help, source=source)], BAD_POLICY)


def wrong_kind(file: str, text: str, error: WrongKindError, by_hand: str = "") -> ExitgateError:
    """Return what is reported about settings whose hooks are not hooks."""
    place, source = _at(file, text, error.node.start)
    name = f"`{'.'.join(error.path)}`" if error.path else f"`{file}`"
    message = f"{name} should be an {error.wanted}, and is {_kind(error.node.plain())}"
    help = f"fix it{_paste(by_hand)}; nothing was written"
    return ExitgateError([Diagnostic("EP566", message, place, help, source=source)], BAD_POLICY)


def unusable(file: str, why: str, help: str, *, writing: bool = False) -> ExitgateError:
    """Return what is reported about a file that is not text, or that may not be written."""
    code = CANNOT_WRITE if writing else CANNOT_READ
    return ExitgateError([Diagnostic("EP567", f"`{file}` {why}", help=help)], code)


def changed_meanwhile(file: str) -> ExitgateError:
    """Return what is reported about a file that is not any more what the diff was made from."""
    message = f"`{file}` was changed by another program in the meantime"
    help = "nothing was written to it; look at the new diff and try again"
    return ExitgateError([Diagnostic("EP569", message, help=help)], CANNOT_WRITE)


def snippet(host: Host, wanted: EntrySpec) -> str:
    """Return what a person would paste into settings, on one line."""
    return json.dumps(host.document(wanted), ensure_ascii=False)


def _paste(by_hand: str) -> str:
    return f", or add this by hand: `{by_hand}`" if by_hand else ""


def _at(file: str, text: str, offset: int) -> tuple[Location, str]:
    lines = Lines(file, text)
    place = lines.place(offset)
    return place, lines.line(place.line)


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    return f"`{json.dumps(value, ensure_ascii=False)[:40]}`"
