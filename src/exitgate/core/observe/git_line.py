"""
The command line of every question to git, and its environment: nothing of a repository's choosing runs.

Only commands that read git's own files are asked for: one that read a file of the working tree would pass
it through the filters that the repository names (`docs/decisions/0930-git-facts-run-nothing.md`).
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


#: Settings that would start programs or answer from elsewhere, switched off; each command line has them all.
_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={os.devnull}",
    f"core.attributesFile={os.devnull}",
    "core.untrackedCache=false",
    "core.quotePath=false",
    "core.pager=cat",
    "core.sshCommand=false",
    "credential.helper=",
    "diff.external=",
    f"diff.orderFile={os.devnull}",
    "diff.autoRefreshIndex=false",
    "log.showSignature=false",
    "protocol.allow=never",
    "submodule.recurse=false",
    "maintenance.auto=false",
    "gc.auto=0",
)
_SWITCHES = ("--no-pager", "--no-optional-locks", "--no-replace-objects")
_LITERAL = "--literal-pathspecs"


def line_of(program: str, words: Sequence[str], *, literal: bool = True) -> list[str]:
    """
    Return the command line for `words`, a command of git that reads nothing but git's own files.

    Args:
        program: Path of git.
        words: The command.
        literal: Whether paths among them are taken as they are written, or are git's patterns.
    """
    settings = [part for setting in _SETTINGS for part in ("-c", setting)]
    return [program, *_SWITCHES, *([_LITERAL] if literal else ()), *settings, *words]


def environment_of(around: Mapping[str, str]) -> dict[str, str]:
    """Return an environment without what steers git, with no transport and English answers."""
    kept = {name: value for name, value in around.items() if not name.startswith("GIT_")}
    kept.update(
        GIT_ALLOW_PROTOCOL="",
        GIT_ATTR_NOSYSTEM="1",
        GIT_NO_LAZY_FETCH="1",
        GIT_OPTIONAL_LOCKS="0",
        GIT_PAGER="cat",
        GIT_TERMINAL_PROMPT="0",
        LC_ALL="C",
    )
    return kept


# What a check asks of git, word for word: a client runs nothing else for the resident process.

#: In place of the id of a commit, of two of them, of an id and paths behind `--`.
_ID, _SPAN, _PATHS = "<id>", "<id>..<id>", "<paths>"
_WHERE = ("rev-parse", "--show-toplevel", "--git-path", "index")
#: Every path of the index with what git knows of its file, and the files that are not in it.
LIST = ("ls-files", "-z", "-v", "--stage", "--debug", "--cached", "--others", "--exclude-standard")
#: Paths that differ between two trees, or between a tree and the index: no file is read for either.
CONDITIONS = ("diff-tree", "-r", "--name-only", "--no-renames", "--no-ext-diff", "-z")
INDEX = ("diff-index", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "-z")
_SHAPES = (
    _WHERE,
    (*_WHERE, "HEAD", "--symbolic-full-name", "HEAD"),
    ("rev-parse", "HEAD"),
    ("symbolic-ref", "HEAD"),
    LIST,
    (*INDEX, _ID),
    (*CONDITIONS, _ID, _ID),
    ("ls-tree", "-r", "--name-only", "--full-tree", "-z", _ID),
    ("ls-tree", "-r", "-l", "-z", "--full-tree", _ID, "--", _PATHS),
    ("rev-list", "--count", _ID),
    ("rev-list", "--count", _SPAN),
    ("rev-list", "--max-count=1", "--timestamp", _ID),
    ("config", "--type=bool", "core.fileMode"),
    ("cat-file", "--batch"),
    ("ls-files", "-z", "--", _PATHS),
)
_DIGITS = frozenset("0123456789abcdef")
#: Hex digits of an id.
ID_LENGTHS = (40, 64)


def is_question(line: Sequence[str], path: str) -> bool:
    """
    Return whether a command line is one of those that a check asks of git.

    Args:
        line: All of it; the program is a file `git` in an absolute folder of `path`.
        path: As the variable PATH.
    """
    if not line:
        return False
    folder, name = os.path.split(line[0])
    start = line_of(line[0], ("-C",))
    at = len(start)
    begins = list(line[:at]) == start and len(line) > at + 1
    if not begins or name != "git" or not os.path.isabs(folder) or folder not in path.split(os.pathsep):
        return False
    words = line[at + 1 :]
    return any(_fits(words, shape) for shape in _SHAPES)


def _fits(words: Sequence[str], shape: Sequence[str]) -> bool:
    if shape[-1] == _PATHS:
        return len(words) >= len(shape) and _fits(words[: len(shape) - 1], shape[:-1])
    if len(words) != len(shape):
        return False
    return all(
        _is_id(word)
        if wanted == _ID
        else (word.count("..") == 1 and all(map(_is_id, word.split(".."))))
        if wanted == _SPAN
        else word == wanted
        for word, wanted in zip(words, shape, strict=True)
    )


def _is_id(word: str) -> bool:
    return len(word) in ID_LENGTHS and _DIGITS.issuperset(word)
