"""
The process in which an extractor of another package runs: one question on standard input, one answer.

It imports nothing of the project: no working folder, no variables of Python, no site; the library, then the
folder of the distribution. It is started anew for each question: nothing is left from one to the next.
"""

from __future__ import annotations

import json
import os
import sys

from exitgate.plugins import sources

#: Bytes of the address space.
_MEMORY = 4 << 30
#: Bytes of an answer.
ANSWER_LIMIT = 4_000_000


def serve() -> int:
    """Read the question, ask the extractor, write the answer; what the extractor prints goes nowhere."""
    asked = json.loads(sys.stdin.buffer.read())
    told = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(os.sep)
    _limit()
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    library = [one for one in sys.path if one != own]
    sys.path[:] = [*library, asked["root"]]
    sources.read_alone(asked["root"], library, asked["module"], asked["files"])
    try:
        raw = json.dumps({"answer": _answer(asked)}, allow_nan=False)
        fault = f"its answer has {len(raw)} bytes, more than {ANSWER_LIMIT}"
        fault = fault if len(raw) > ANSWER_LIMIT else ""
    except BaseException as error:
        fault = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    told.write((json.dumps({"fault": fault[:300]}) if fault else raw).encode("ascii"))
    told.flush()
    return 0


def _answer(asked: dict[str, object]) -> object:
    from importlib import import_module

    module = import_module(str(asked["module"]))
    file = os.path.realpath(str(module.__file__))
    if file not in asked["files"]:  # type: ignore[operator]
        raise ImportError(sources.NOT_OF_IT.format(asked["module"], file))
    if asked["ask"] == "options":
        return {"options": module.OPTIONS, "source": module.SOURCE, "contract": module.CONTRACT}
    if asked["ask"] == "facts":
        return module.facts(asked["options"])
    return module.extract(asked["source"], asked["options"])


def _limit() -> None:
    try:
        import resource
    except ImportError:  # Windows has none
        return
    for which, wanted in ((resource.RLIMIT_AS, _MEMORY), (resource.RLIMIT_CORE, 0)):
        hard = resource.getrlimit(which)[1]
        most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(which, (most, most))
        except (
            ValueError,
            OSError,
        ):  # macOS does not bound memory so: time and output are bounded all the same
            continue
