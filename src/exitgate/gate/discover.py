"""Where things are when nobody says: the default paths and the default policy."""

from __future__ import annotations

import os

from exitgate.engine.shown import plain_text
from exitgate.gate.observe.files import first_existing
from exitgate.ledger.names import NAME_LIMIT, usable
from exitgate.ledger.runs import DEFAULT_NAME
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import USAGE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.request import Request
    from exitgate.policy.compiled import CompiledPolicy

#: Code -> what it means.
CODES = {"EP813": "the name of a run cannot be used"}

DEFAULT_POLICY = "bb3"
#: What lines of the ledger have for a run that belong to no run: the breaker is the state directory's.
BREAKER_RUN = "(breaker)"

STATE_DIR = ".ralph/exitgate"

#: Source -> where it is looked for below the root, first found first.
DEFAULT_PATHS = {
    "response": (".ralph/last-response.md",),
    "plan": (".ralph/@fix_plan.md", ".ralph/fix_plan.md", "fix_plan.md"),
    "task": (".ralph/PROMPT.md", "PROMPT.md"),
}


class Place:
    """
    Where one source is.

    `path` is None when nothing is there; `named` says that the user asked for this very file;
    `tried` lists where it was looked for.
    """

    __slots__ = ("named", "path", "tried")

    def __init__(self, path: str | None, named: bool, tried: tuple[str, ...] = ()) -> None:
        self.path = path
        self.named = named
        self.tried = tried


def state_dir(request: Request) -> str:
    """Return the folder of the ledger."""
    return _below(request.root, request.state_dir or STATE_DIR)


def run_name(request: Request) -> str:
    """
    Return the name of the run: as asked, else `EXITGATE_RUN`, else the default.

    Raises:
        ExitgateError: 64 for a name that is empty, too long or not printable.
    """
    from_environment = os.environ.get("EXITGATE_RUN", "")
    name = request.run if request.run is not None else from_environment or DEFAULT_NAME
    if name == BREAKER_RUN or not usable(name):
        origin = "`--run`" if request.run is not None else "`EXITGATE_RUN`"
        message = f"{origin} is no name for a run: {plain_text(name)!r}"
        if name == BREAKER_RUN:
            help = "the ledger keeps moves of the breaker under it; use another"
            raise ExitgateError([Diagnostic("EP813", message, help=help)], USAGE)
        help = f"use 1 to {NAME_LIMIT} printable characters without blanks around them"
        raise ExitgateError([Diagnostic("EP813", message, help=help)], USAGE)
    return name


def text_place(request: Request, name: str) -> Place:
    """Return where the text source `name` is: as named in the request, else at a default path."""
    given = {"response": request.response, "plan": request.plan, "task": request.task}.get(name)
    given = request.sources.get(name, given)
    if given is not None:
        return Place(given, named=True)
    tried = DEFAULT_PATHS.get(name, ())
    root = "" if request.root == "." else request.root
    return Place(first_existing(root, tried), named=False, tried=tried)


def circuit_place(request: Request, policy: CompiledPolicy, name: str) -> Place:
    """Return where the breaker's record is: as named in the request, else as the policy's options say."""
    given = request.sources.get(name)
    if given is not None:
        return Place(given, named=True)
    for extraction in policy.extractions:
        path = extraction.options.get("path")
        if extraction.source == name and isinstance(path, str):
            return Place(_below(request.root, path), named=False)
    return Place(None, named=False)


def _below(root: str, path: str) -> str:
    return path if root == "." else os.path.join(root, path)
