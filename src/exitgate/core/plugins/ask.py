"""One question to an extractor of another package, in a process of its own, within a time limit."""

from __future__ import annotations

import json
import os
import tempfile
import time

from exitgate.core.model.json_object import array_of, object_of, objects_of, texts_of
from exitgate.core.plugins.child import ANSWER_LIMIT
from exitgate.core.plugins.permissions import Unfit
from exitgate.core.system import python
from exitgate.core.system.child import AnswerError, LateError, answer_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from exitgate.core.plugins.permissions import Permission


#: Seconds that an answer may take.
SECONDS = 10.0
#: Lists and mappings within each other in an answer.
LEVELS = 32
#: Variables that a process needs to start at all, on one system or another.
_NEEDED = ("SYSTEMROOT", "LD_LIBRARY_PATH")


def ask(permission: Permission, id: str, question: Mapping[str, object]) -> Any:
    """
    Return what an extractor answers, plain JSON.

    Args:
        permission: Of its distribution; the caller has seen to it that it holds (`Permission.why_not`).
        id: Of the extractor.
        question: `ask`, and what belongs to it.

    Raises:
        Unfit: It has no answer: it failed, took too long or ended; the text says why.
    """
    root = permission.root
    asked = {
        **question,
        "module": permission.points[id],
        "root": root,
        "files": [os.path.realpath(os.path.join(root, *one[0].split("/"))) for one in permission.files],
    }
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    environment = {name: os.environ[name] for name in _NEEDED if name in os.environ}
    try:
        words = python.bare("exitgate.core.plugins.child", "serve", [own])
        with tempfile.TemporaryFile() as file:
            file.write(json.dumps(asked).encode("ascii"))
            file.seek(0)
            deadline = time.monotonic() + SECONDS
            _, out, _ = answer_of(words, environment, deadline, 2 * ANSWER_LIMIT, file)
    except LateError as late:
        raise Unfit(f"it took longer than {SECONDS:g} s") from late
    except (AnswerError, OSError, ValueError) as error:
        raise Unfit(f"its process cannot answer: {error}") from error
    return _read(out)


def _read(out: bytes | str) -> Any:
    """Return the answer that a process wrote; any bytes may be there. Raises Unfit."""
    try:
        answer = object_of(json.loads(out, parse_constant=_no_number))
    except (ValueError, RecursionError) as error:
        raise Unfit("its process ended without an answer") from error
    if answer.keys() not in ({"fault"}, {"answer"}):
        raise Unfit("its process ended without an answer")
    fault = _fault(answer)
    if fault:
        raise Unfit(fault)
    if "fault" in answer:
        raise Unfit(str(answer["fault"])[:300])
    return answer["answer"]


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is not JSON")


def _fault(answer: object) -> str:
    """Return what cannot be used in an answer: more levels than `LEVELS`, half a character."""
    level = [answer]
    for _ in range(LEVELS):
        if not level:
            return ""
        if any(not text.isascii() and _is_torn(text) for text in texts_of(level)):
            return "its answer has half of a character"
        objects = objects_of(level)
        below = [*objects, *(one.values() for one in objects), *map(array_of, level)]
        level = [part for parts in below for part in parts]
    return f"its answer has more than {LEVELS} levels"


def _is_torn(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)
