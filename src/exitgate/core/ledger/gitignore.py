"""
What exitgate writes into a project, left out of git: an agent that commits all there is does not commit that.

A folder of exitgate's alone holds a ``.gitignore``. A file beside others' gets a line in ``info/exclude``
of its repository, which no commit holds. Nothing of git runs, no link is followed, and what is not writable
is left as it is: a file that git sees is a nuisance, never a reason to stop.
"""

from __future__ import annotations

import os
import stat

from exitgate.core.system import portable, safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


#: What a state directory holds, as patterns of git.
OWN = ("ledger.*", "incidents.jsonl*", "policies", "earlier", "views", "hooks", "runs", "loops", ".gitignore")
#: Bytes of a larger `info/exclude` are not looked into, and of a larger pointer of git's neither.
_LARGEST, _POINTER = 1_000_000, 8192
_MARK = b"# Files of exitgate.\n"
_SPECIAL = frozenset("\\*?[]#! ")


def leave_out_folder(directory: str) -> None:
    """
    Leave a state directory out of git: by its own ``.gitignore``, unless it holds files of others.

    Such a folder, which a user named, has its files left out one by one. Never raises `OSError`.
    """
    try:
        found = safe_files.names(directory)
        if ".gitignore" in found:
            return
        if all(_is_own(name) for name in found):
            safe_files.replace_in(directory, ".gitignore", b"*\n")
            return
    except (OSError, ValueError):
        return
    leave_out(directory, OWN[:-1])


def holds_others(directory: str) -> bool:
    """Return whether a state directory holds files that are not exitgate's, or cannot be listed."""
    try:
        return not all(_is_own(name) for name in safe_files.names(directory))
    except (OSError, ValueError):
        return True


def leave_out(folder: str, patterns: Iterable[str]) -> None:
    """
    Leave files in a folder of the project out of git.

    Args:
        folder: Where they are. Its repository is the one that counts. Without one they are left out of a
            repository that may be made later, if the folder is a hidden one or right below it.
        patterns: Their names, in which ``*`` stands for any characters but ``/``. Never raises `OSError`.
    """
    try:
        place = repository_of(folder)
        if place is None:
            _leave_out_later(folder, patterns)
            return
        top, _, shared = place
        below = portable.with_slashes(portable.relative(os.path.realpath(folder), top))
        above = "" if below == "." else f"{_escaped(below)}/"
        _add(shared, [f"/{above}{_escaped(name, but='*')}" for name in patterns])
    except (OSError, ValueError):
        return


def _leave_out_later(folder: str, patterns: Iterable[str]) -> None:
    """Leave files out of git by a ``.gitignore`` beside them that leaves itself out. Raises OSError."""
    place, name = os.path.split(os.path.realpath(folder))
    if not (name.startswith(".") or os.path.basename(place).startswith(".")) or os.path.lexists(
        os.path.join(folder, ".git")
    ):
        return
    try:
        raw = safe_files.content_in(folder, ".gitignore", _POINTER)
    except FileNotFoundError:
        raw = _MARK + b"/.gitignore\n"
    present = raw.splitlines()
    lines = [os.fsencode(f"/{_escaped(one, but='*')}") for one in patterns if "\n" not in one]
    missing = [line for line in lines if line not in present]
    if missing and raw.startswith(_MARK):
        safe_files.replace_in(folder, ".gitignore", raw + b"".join(line + b"\n" for line in missing))


def leave_out_files(paths: Iterable[str]) -> None:
    """Leave files out of git, each in the repository that it is in. Never raises `OSError`."""
    folders: dict[str, list[str]] = {}
    for path in paths:
        folder, name = os.path.split(os.path.abspath(path))
        folders.setdefault(folder, []).append(name)
    for folder, names in folders.items():
        leave_out(folder, names)


def repository_of(path: str) -> tuple[str, str, str] | None:
    """
    Return the root of the working tree that `path` is in, its git folder, and the one worktrees share.

    None where there is none, and where a ``.git`` file names a folder that does not name this tree in turn:
    an author of such a file could have others' repositories written to. Raises OSError.
    """
    at = os.path.realpath(path)
    while True:
        mark = os.path.join(at, ".git")
        kind = os.lstat(mark).st_mode if os.path.lexists(mark) else 0
        if stat.S_ISDIR(kind) and os.path.isfile(os.path.join(mark, "HEAD")):
            return at, mark, mark
        if stat.S_ISREG(kind):
            return _pointed(at, mark)
        if stat.S_ISLNK(kind):
            return None
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def _pointed(top: str, mark: str) -> tuple[str, str, str] | None:
    """Return the same for a tree whose ``.git`` is a file: a worktree, or a repository within another."""
    told = _pointer(mark)
    if not told.startswith("gitdir: "):
        return None
    folder = os.path.realpath(os.path.join(top, told.removeprefix("gitdir: ")))
    back = os.path.join(folder, "gitdir")
    if os.path.lexists(back):
        shared = os.path.dirname(os.path.dirname(folder))
        named = os.path.realpath(os.path.join(folder, _pointer(os.path.join(folder, "commondir"))))
        own = os.path.realpath(os.path.join(folder, _pointer(back))) == os.path.realpath(mark)
        return (top, folder, shared) if own and named == shared else None
    for line in _pointer(os.path.join(folder, "config"), whole=True).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "worktree" and os.path.realpath(os.path.join(folder, value.strip(' \t"'))) == top:
            return top, folder, folder
    return None


def _pointer(path: str, whole: bool = False) -> str:
    """Return the first line of a file of git's, or all of it; empty when there is none."""
    try:
        raw = safe_files.content(path, _POINTER)
    except FileNotFoundError:
        return ""
    text = os.fsdecode(raw)
    return text if whole else text.partition("\n")[0].rstrip("\r")


def _add(shared: str, patterns: list[str]) -> None:
    """Add the lines that are missing to ``info/exclude``. Raises OSError."""
    lines = [os.fsencode(pattern) for pattern in patterns if "\n" not in pattern]
    info = os.path.join(shared, "info")
    safe_files.make_folder(info, 0o777)
    folder = safe_files.open_folder(info)
    try:
        file = safe_files.writing(
            "exclude", append=True, read=True, folder=folder, mode=0o644, limit=_LARGEST
        )
    finally:
        portable.close(folder)
    try:
        # A second name of the file may be anybody's.
        if os.fstat(file).st_nlink != 1:
            return
        portable.lock(file)
        raw = portable.pread(file, _LARGEST, 0)
        present = set(raw.splitlines())
        missing = [line for line in lines if line not in present]
        if missing:
            begin = b"" if not raw or raw.endswith(b"\n") else b"\n"
            os.write(file, begin + b"\n".join(missing) + b"\n")
    finally:
        os.close(file)


def _is_own(name: str) -> bool:
    return any(name == own or (own.endswith("*") and name.startswith(own[:-1])) for own in OWN)


def _escaped(path: str, but: str = "") -> str:
    """Return a path as a pattern of git that fits it alone."""
    return "".join(f"\\{one}" if one in _SPECIAL and one not in but else one for one in path)
