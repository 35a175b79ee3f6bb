"""
Protected files as they are on disk, no matter what git takes note of.

Git does not list what it is made to ignore, and takes a file for there that it is made not to look at. So
names are looked for in every folder in which git lists a file, and without git in the upper folders. Folders
that git ignores as a whole are not looked into: they hold installed packages, and what was built.
"""

from __future__ import annotations

import os
import stat

from exitgate.core.facts.file_patterns import FilePatterns, matches
from exitgate.core.model.json_object import object_of
from exitgate.core.observe.git_command import GitError, LateError, digest_files
from exitgate.core.observe.git_index import path_of
from exitgate.core.system import portable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from exitgate.core.observe.git import Tree
    from exitgate.core.policy.compiled import CompiledPolicy


#: Folders that are looked into without git, at most, the upper ones first.
FOLDER_LIMIT = 2_000
#: Protected files that git does not follow, at most, and entries below protected folders.
FILE_LIMIT, ENTRY_LIMIT = 20_000, 100_000
_EXTRACTOR = "tampering"
_GIT = ".git"
#: Tags of files that git does not expect to be there.
_LEFT_OUT = (b"S", b"s")
#: What parts the words of a line of a shell, beside blanks.
_BETWEEN = str.maketrans(dict.fromkeys("\"'`;|&<>(){}$=:,\n\t", " "))
#: The option before the dotted name of a module, and what its file ends in.
_MODULE, _PYTHON = "-m", ".py"


class Protected:
    """
    The files that a policy protects.

    Args:
        patterns: As `protected` of the extractor has them.
        words: Of the commands of probes, as paths from the root of the project.
    """

    def __init__(self, patterns: tuple[str, ...] = (), words: tuple[str, ...] = ()) -> None:
        self.meant = FilePatterns((), patterns)
        self.words = words
        self._paths = [one.rstrip("/") for one in patterns if "/" in one.rstrip("/")]

    def __call__(self, path: str) -> bool:
        """Return whether a file of the working tree is protected by its path."""
        return self.meant(path)

    def aside(self, tree: Tree) -> dict[str, str]:
        """
        Return path -> digest of the protected files of a working tree that git does not follow.

        A file that git takes for there, although it is not, has the digest `ABSENT`.

        Raises:
            GitError: They are too many.
            LateError: It takes too long.
        """
        lines, others = tree.listed
        tracked = {head.partition(b"\t")[2] for head, _ in lines}
        folders = {path.rpartition(b"/")[0] for path in tracked}
        upper = {path_of(one) for one in folders}
        upper.update(path.rpartition("/")[0] for path in others if path[-1:] != "/")  # no repositories within
        known = frozenset(others)
        found = []
        for path in self._found(tree.top, _with_upper(upper), tree):
            listed = path in known or os.fsencode(path) in tracked
            if not tree.places(path) and (not listed or tree.exclude(path)):
                found.append(path)
        gone = (path_of(head.partition(b"\t")[2]) for head, _ in lines if head[:1] in _LEFT_OUT)
        found += [path for path in gone if self.meant(path) and not _is_there(tree.top, path)]
        if len(found) > FILE_LIMIT:
            raise GitError(f"git does not follow more than {FILE_LIMIT} protected files")
        return tree.digests(dict.fromkeys(found))

    def without_git(
        self, root: str, left_out: FilePatterns, known: Iterable[str] | None, deadline: float
    ) -> tuple[dict[str, str], bool]:
        """
        Return path -> digest of the protected files below a folder, and whether all folders were looked into.

        Args:
            root: The folder.
            left_out: What does not count.
            known: Paths that are looked at besides; None for the words of commands.
            deadline: Instant of `time.monotonic`.

        Raises:
            GitError: They are too many.
            LateError: It takes too long.
        """
        folders, whole = _upper(root, left_out, deadline)
        found = [path for path in self._found(root, folders, _Until(deadline)) if not left_out(path)]
        if known is None:
            known = (path for path in self.words if not left_out(path) and _is_there(root, path))
        paths = dict.fromkeys((*found, *known))
        if len(paths) > FILE_LIMIT:
            raise GitError(f"more than {FILE_LIMIT} protected files")
        return digest_files(root, paths, deadline), whole

    def named(self, root: str, top: str) -> list[str]:
        """Return the words of commands as paths from the root of the working tree, but for folders."""
        below = portable.with_slashes(portable.relative(os.path.realpath(root), os.path.realpath(top)))
        paths = (path if below == "." else os.path.normpath(f"{below}/{path}") for path in self.words)
        return [path for path in paths if not path.startswith("..") and not os.path.isdir(f"{top}/{path}")]

    def _found(self, top: str, folders: Iterable[str], until: Tree | _Until) -> Iterator[str]:
        """Yield the protected files in some folders, and those at paths from the root."""
        left = [ENTRY_LIMIT]
        for number, folder in enumerate(folders):
            if number % 256 == 0:
                until.check()
            for name in self.meant.named(_names_in(os.path.join(top, folder))):
                path = f"{folder}/{name}" if folder else name
                yield from (one for one in _below(top, path, left) if self.meant(one))
        for pattern in self._paths:
            until.check()
            for path in _fitting(top, pattern):
                yield from (one for one in _below(top, path, left) if self.meant(one))


class _Until:
    """A deadline, as a `Tree` has one."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline

    def check(self) -> None:
        """Raise LateError once the time is over."""
        import time

        if time.monotonic() > self._deadline:
            raise LateError


def protected_of(policy: CompiledPolicy) -> Protected:
    """Return the files that the facts of a policy protect."""
    entries = [entry for entry in policy.extractions if entry.extractor == _EXTRACTOR]
    patterns = dict.fromkeys(one for entry in entries for one in entry.options.texts("protected"))
    return Protected(tuple(patterns), words_of(policy))


def words_of(policy: CompiledPolicy) -> tuple[str, ...]:
    """
    Return the words of the commands of all probes that may be paths below the root of the project.

    A name alone counts in all places but the first, where it is a program of `PATH`; behind `-m` a dotted
    name is a module.
    """
    found: dict[str, None] = {}
    for plain in object_of(policy.layers.get("probes")).values():
        probe = object_of(plain)
        shell = probe.text("shell", "")
        words = shell.translate(_BETWEEN).split() if shell else _pieces(probe.texts("command"))
        for before, given in zip(("", *words), words, strict=False):
            word = given.replace(".", "/") + _PYTHON if before == _MODULE else given
            path = portable.with_slashes(os.path.normpath(word))
            if word[:1] not in ("-", "~") and path != "." and not path.startswith(("/", "..")):
                found[path] = None
    return tuple(found)


def _pieces(words: Sequence[str]) -> list[str]:
    """Return the words of a command that is a list, each with its parts."""
    first = [word for word in words[:1] if "/" in word]
    return [*first, *(one for word in words[1:] for one in (word, *_parts(word)))]


def _parts(word: str) -> list[str]:
    parts = word.translate(_BETWEEN).split()
    return [] if parts == [word] else parts


def _with_upper(folders: set[str]) -> set[str]:
    """Return folders, those that they are in, and the root."""
    found = {""}
    for folder in folders:
        one = folder
        while one not in found:
            found.add(one)
            one = one.rpartition("/")[0]
    return found


def _upper(root: str, left_out: FilePatterns, deadline: float) -> tuple[list[str], bool]:
    """Return the upper folders below one, by depth and name, and whether these are all."""
    found, at, until = [""], 0, _Until(deadline)
    while at < len(found):
        until.check()
        folder = found[at]
        at += 1
        for name in _folders_in(os.path.join(root, folder)):
            path = f"{folder}/{name}" if folder else name
            if left_out(path) or left_out(f"{path}/") or left_out(f"{path}/x"):
                continue
            if len(found) >= FOLDER_LIMIT:
                return found, False
            found.append(path)
    return found, True


def _names_in(place: str) -> list[str]:
    """Return the names in a folder; none where it is gone by now, as its files then are."""
    try:
        with os.scandir(place) as entries:
            return [one.name for one in entries]
    except (OSError, ValueError):
        return []


def _folders_in(place: str) -> list[str]:
    try:
        with os.scandir(place) as entries:
            return sorted(
                one.name for one in entries if one.name != _GIT and one.is_dir(follow_symlinks=False)
            )
    except OSError:
        return []  # nobody can say what is in it


def _fitting(top: str, pattern: str) -> Iterator[str]:
    """Yield what is at the paths that a pattern fits."""
    found = [""]
    for part in pattern.split("/"):
        into: list[str] = []
        for folder in found:
            names = [part]
            if "*" in part:
                names = [one for one in _names_in(os.path.join(top, folder)) if matches(part, one)]
            into += [f"{folder}/{name}" if folder else name for name in names]
        found = into
    yield from (path for path in found if _is_there(top, path))


def _below(top: str, path: str, left: list[int]) -> Iterator[str]:
    """Yield a file, or the files below a folder; `left` is how many entries may be looked at."""
    todo = [path]
    while todo:
        one = todo.pop()
        left[0] -= 1
        if left[0] < 0:
            raise GitError(f"the protected folders hold more than {ENTRY_LIMIT} files")
        try:
            is_folder = stat.S_ISDIR(os.lstat(os.path.join(top, one)).st_mode)
            names = _names_in(os.path.join(top, one)) if is_folder else []
        except (OSError, ValueError):
            continue  # removed meanwhile
        if is_folder:
            todo += [f"{one}/{name}" for name in names if name != _GIT]
        else:
            yield one


def _is_there(top: str, path: str) -> bool:
    return os.path.lexists(os.path.join(top, path))
