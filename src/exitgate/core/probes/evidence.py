"""What a judge is shown: texts of the iteration, what changed in the working tree, what other probes said."""

from __future__ import annotations

import os
import time
from difflib import unified_diff

from exitgate.core.model.display import counted
from exitgate.core.model.json_object import JsonObject
from exitgate.core.observe.git_command import TIME_LIMIT, GitError, LateError, ask
from exitgate.core.system import safe_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from exitgate.core.model.fact import Source
    from exitgate.core.probes.tree import Tree

#: Files of a diff, bytes and lines of each, that are shown.
FILES, BYTES, LINES = 40, 200_000, 3000


def texts_for(
    sees: tuple[str, ...],
    sources: Mapping[str, Source],
    tree: Tree,
    origin: object,
    answers: Mapping[str, JsonObject],
) -> dict[str, str]:
    """
    Return the texts that a judge asks to see, by their names; what there is none of is left out.

    Args:
        sees: Names: `response`, `task`, `plan`, `diff`, `probes`.
        sources: Of the iteration.
        tree: The working tree.
        origin: The commit that the run began at, or None.
        answers: What other probes said.
    """
    found: dict[str, str] = {}
    for name in sees:
        if name == "diff":
            text: str | None = diff(tree, origin)
        elif name == "probes":
            text = "\n".join(_shown(probe, answer) for probe, answer in answers.items()) or None
        else:
            source = sources.get(name)
            text = source.text if source is not None else None
        if text is not None:
            found[name] = text
    return found


def diff(tree: Tree, origin: object) -> str | None:
    """
    Return what differs from a commit, as a unified diff; None where it cannot be had.

    Files are compared here and not by git, which could run programs that a repository names.
    """
    if not tree.top:
        return None
    deadline = time.monotonic() + 2 * TIME_LIMIT
    try:
        paths = dict.fromkeys(tree.dirty)
        if isinstance(origin, str) and isinstance(tree.head, str) and origin != tree.head:
            words = (
                "diff-tree",
                "-r",
                "--name-only",
                "--no-renames",
                "--no-ext-diff",
                "-z",
                origin,
                tree.head,
            )
            paths.update(dict.fromkeys(filter(None, os.fsdecode(ask(tree.top, words, deadline)).split("\0"))))
        pieces = [piece for path in list(paths)[:FILES] for piece in _of_file(tree, path, origin, deadline)]
    except (GitError, LateError):
        return None
    more = len(paths) - FILES
    return "\n".join(pieces) + (f"\n{counted(more, 'more file')} not shown" if more > 0 else "")


def _of_file(tree: Tree, path: str, origin: object, deadline: float) -> Iterator[str]:
    if time.monotonic() > deadline:  # lines that are nearly those of before take half a second a file
        yield f"--- {path}: not shown"
        return
    try:
        before = (
            ask(tree.top, ("cat-file", "blob", f"{origin}:{path}"), deadline)
            if isinstance(origin, str)
            else b""
        )
    except GitError:
        before = b""
    place = os.path.join(os.path.realpath(tree.top), path)
    above = os.path.dirname(place)
    if os.path.realpath(above) != above:
        yield f"--- {path}: behind a link"  # git lists no file there, but one was there before
        return
    try:
        after = safe_files.content(place, BYTES)
    except FileNotFoundError:
        after = b""
    except OSError as error:
        yield f"--- {path}: {safe_files.trouble(error)}"
        return
    if b"\0" in before[:8000] or b"\0" in after[:8000] or len(before) > BYTES:
        yield f"--- {path}: not shown"
        return
    old, new = (raw.decode("utf-8", "replace").splitlines()[:LINES] for raw in (before, after))
    yield from unified_diff(old, new, f"a/{path}", f"b/{path}", lineterm="")


def _shown(name: str, answer: JsonObject) -> str:
    passed = answer.flag("passed")
    how = "no answer" if passed is None else "passed" if passed else "failed"
    failing = ", ".join(answer.texts("failing"))
    return f"{name}: {how}" + (f": {failing}" if failing else "")
