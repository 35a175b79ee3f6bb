"""The file that Prometheus' node_exporter reads: replaced whole, shared by every ledger that writes to it."""

from __future__ import annotations

import contextlib
import os

from exitgate import opening, system
from exitgate.surfaces.telemetry.prometheus.exposition import lines_of_others, written
from exitgate.surfaces.telemetry.prometheus.samples import samples

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.system import Folder

#: Bytes of an earlier file that are looked at for lines of other ledgers.
_SIZE = 16 << 20


def write(directory: str, path: str) -> None:
    """
    Write the samples of a ledger, beside those that other ledgers wrote there.

    The folder is locked first and the ledger read then, so that of two processes the later one writes
    what is newer.

    Args:
        directory: The state directory, absolute.
        path: The textfile. A reader sees the old one or the new one.

    Raises:
        OSError: It cannot be written.
        ExitgateError: The ledger cannot be read.
    """
    name = os.path.basename(path)
    folder = opening.open_folder(os.path.dirname(path), links=True)
    try:
        held = folder if isinstance(folder, int) else opening.writing(f".{name}.lock", folder=folder)
        try:
            system.lock(held, wait=True)
            others = lines_of_others(_before(folder, name), directory, _is_gone)
            text = written(samples(directory), others)
            _replace(folder, name, text.encode("utf-8"))
        finally:
            if held is not folder:
                os.close(held)
    finally:
        system.close(folder)


def _is_gone(ledger: str) -> bool:
    """Return whether a state directory is no more; one that may not be looked at is another user's."""
    if "\\udc" in ledger:
        return False  # its name is not text and cannot be read back
    try:
        os.lstat(ledger)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _before(folder: Folder, name: str) -> str:
    try:
        return opening.content(name, _SIZE, folder=folder).decode("utf-8", "replace")
    except FileNotFoundError:
        return ""


def _replace(folder: Folder, name: str, content: bytes) -> None:
    # node_exporter reads every *.prom, so that is not what the unfinished one ends in.
    temporary = f".{name}.part"
    _remove(folder, temporary)  # what a process left that was killed here
    try:
        file = opening.writing(temporary, new=True, folder=folder, mode=0o644)
        try:
            opening.write_all(file, content)
            os.fsync(file)
        finally:
            os.close(file)
        system.replace_at(temporary, name, folder)
    except OSError:
        _remove(folder, temporary)
        raise


def _remove(folder: Folder, name: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        system.remove_at(name, folder)
