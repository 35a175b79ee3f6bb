"""
What `install` did, kept in the user's own folder, so that `uninstall` can give every byte back.

A receipt holds what was put in and where, digests, and which folders were made: none of the settings
themselves, except the few characters that were replaced. It is a help, not the truth: without one, or with
one that does not match the file any more, our entries are found by their command.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping

from msgspec import Struct

from exitgate.analysis.edits import Edit, apply
from exitgate.core.system import safe_files
from exitgate.core.system.digest import hex_digest

VERSION = 1
#: Bytes of the largest receipt.
LARGEST = 4_000_000


class Receipt(Struct, frozen=True):
    """
    What was done to one file.

    Args:
        path: The file behind all links.
        digest: Of the text that was written, as UTF-8.
        back: Edits that lead back to the text before, the last ones first.
        made: Whether there was no file before.
        folders: Folders that were made, outermost first.
        keep: Paths in the settings that were there before our hook.
    """

    path: str
    digest: str
    back: tuple[tuple[Edit, ...], ...]
    made: bool
    folders: tuple[str, ...]
    keep: tuple[tuple[str, ...], ...]

    def fits(self, text: str) -> bool:
        """Return whether a text is the one that was written."""
        return digest_of(text) == self.digest

    def undone(self, text: str) -> str:
        """Return the text before, from the one that was written."""
        for edits in self.back:
            text = apply(text, edits)
        return text


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return hex_digest(text.encode("utf-8", "surrogatepass"))


def receipt_for(
    path: str,
    change: Change,
    folders: tuple[str, ...],
    keep: tuple[tuple[str, ...], ...],
    before: Receipt | None,
) -> Receipt:
    """Return the receipt of a change that was written; `before` is the one that was kept for its file."""
    target = os.path.realpath(path)
    if before is not None and change.old is not None and before.fits(change.old):
        back = (*change.back, *before.back)
        return Receipt(target, digest_of(change.new), back, before.made, before.folders, before.keep)
    return Receipt(target, digest_of(change.new), change.back, change.old is None, folders, keep)


def receipt_path(path: str, environment: Mapping[str, str]) -> str:
    """Return where the receipt of a file is kept."""
    folder = environment.get("XDG_STATE_HOME", "")
    if not os.path.isabs(folder):
        home = environment.get("HOME", "")
        folder = os.path.join(home if os.path.isabs(home) else os.path.expanduser("~"), ".local", "state")
    own = hex_digest(os.path.realpath(path).encode("utf-8", "surrogateescape"))[:32]
    return os.path.join(folder, "exitgate", "installed", f"{own}.json")


def save_receipt(receipt: Receipt, environment: Mapping[str, str]) -> None:
    """Keep a receipt, for its user only. Raises `OSError` where it cannot be kept."""
    file = receipt_path(receipt.path, environment)
    os.makedirs(os.path.dirname(file), mode=0o700, exist_ok=True)
    safe_files.replace(file, json.dumps(_plain(receipt)).encode())


def load_receipt(path: str, environment: Mapping[str, str]) -> Receipt | None:
    """Return the receipt of a file; None where there is none that can be used."""
    try:
        plain = json.loads(safe_files.content(receipt_path(path, environment), LARGEST))
        receipt = _receipt(plain)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return receipt if receipt.path == os.path.realpath(path) else None


def delete_receipt(path: str, environment: Mapping[str, str]) -> None:
    """Remove the receipt of a file. Raises `OSError` where it cannot be removed."""
    try:
        os.unlink(receipt_path(path, environment))
    except FileNotFoundError:
        return


def _plain(receipt: Receipt) -> dict[str, object]:
    return {
        "version": VERSION,
        "path": receipt.path,
        "digest": receipt.digest,
        "back": [[[one.start, one.end, one.text] for one in edits] for edits in receipt.back],
        "made": receipt.made,
        "folders": list(receipt.folders),
        "keep": [list(path) for path in receipt.keep],
    }


def _receipt(plain: dict[str, object]) -> Receipt:
    if plain["version"] != VERSION:
        raise ValueError("of another version")
    back, folders, kept = plain["back"], plain["folders"], plain["keep"]
    if not isinstance(back, list) or not isinstance(folders, list) or not isinstance(kept, list):
        raise TypeError("no receipt")
    edits = tuple(tuple(Edit(int(s), int(e), str(t)) for s, e, t in step) for step in back)
    paths = tuple(tuple(map(str, path)) for path in kept)
    made = plain["made"] is True
    return Receipt(str(plain["path"]), str(plain["digest"]), edits, made, tuple(map(str, folders)), paths)


# A change of a settings file as text, and how it is taken back.


class Change(Struct, frozen=True):
    """
    A text on its way: what it was, what it is now, and the edits that lead back, the last one first.

    `old` is None for a file that does not exist yet.
    """

    old: str | None
    new: str
    back: tuple[tuple[Edit, ...], ...] = ()

    @property
    def is_none(self) -> bool:
        """Whether nothing changes."""
        return self.old == self.new

    def then(self, edits: Iterable[Edit]) -> Change:
        """Return this change followed by `edits` of its new text."""
        made = tuple(edits)
        return (
            Change(self.old, apply(self.new, made), (inverse(self.new, made), *self.back)) if made else self
        )


def inverse(text: str, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that lead from ``apply(text, edits)`` back to `text`."""
    found: list[Edit] = []
    shift = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        start = edit.start + shift
        found.append(Edit(start, start + len(edit.text), text[edit.start : edit.end]))
        shift += len(edit.text) - (edit.end - edit.start)
    return tuple(found)
