"""Where things are unless the caller says otherwise: the default paths and the default policy."""

from __future__ import annotations

import os

from exitgate import opening
from exitgate.engine.shown import plain_text
from exitgate.gate.observe.files import first_existing
from exitgate.ledger.names import NAME_LIMIT, usable
from exitgate.ledger.runs import DEFAULT_NAME
from exitgate.model.diagnostic import Diagnostic, ExitgateError
from exitgate.model.verdict import CANNOT_READ, CANNOT_WRITE, USAGE
from exitgate.policy.reach import is_within, leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.gate.request import Request
    from exitgate.policy.compiled import CompiledPolicy

#: Code -> what it means.
CODES = {
    "EP813": "the name of a run cannot be used",
    "EP817": "the state directory is a link, or is reached through one that leads out of the project",
    "EP818": "a file named by the policy or settings is reached through a link out of the project",
}

DEFAULT_POLICY = "recommended"
#: What lines of the ledger have for a run that belong to no run: the breaker is the state directory's.
BREAKER_RUN = "(breaker)"

STATE_DIR = ".ralph/exitgate"

#: Where other loops keep a plan; such a file counts only if it lists tasks. (`plan_place`)
OTHER_PLANS = (
    "IMPLEMENTATION_PLAN.md",
    ".ralph/plan.md",
    ".ralph/IMPLEMENTATION_PLAN.md",
    "PLAN.md",
    "plan.md",
    ".agent/tasks.md",
    "PRD.md",
    "prd.md",
)
#: Source -> where it is looked for below the root, first found first.
DEFAULT_PATHS = {
    "response": (".ralph/last-response.md",),
    "plan": (".ralph/@fix_plan.md", ".ralph/fix_plan.md", "fix_plan.md", "@fix_plan.md", *OTHER_PLANS),
    "task": (".ralph/PROMPT.md", "PROMPT.md"),
}


class Place:
    """
    Where one source is.

    `path` is None when nothing is there; `named` says that the user asked for this very file;
    `tried` lists where it was looked for; `root` is the folder that no link may lead out of, None for any.
    """

    __slots__ = ("named", "path", "root", "tried")

    def __init__(
        self, path: str | None, tried: tuple[str, ...] = (), named: bool = False, root: str | None = None
    ) -> None:
        self.path = path
        self.named = named
        self.tried = tried
        self.root = root


def state_dir(request: Request) -> str:
    """
    Return the folder of the ledger.

    Raises:
        ExitgateError: 73 when it is a link, or when it is written as a path below the root and a link on the
            way to it leads out: a repository could have planted it to have files written elsewhere.
    """
    planted = planted_link(request.root, request.state_dir)
    if planted:
        help = "remove the link, or name the folder that it leads to: `--state-dir PATH`"
        raise ExitgateError([Diagnostic("EP817", planted, help=help)], CANNOT_WRITE)
    return _below(request.root, request.state_dir or STATE_DIR)


def planted_link(root: str, named: str | None) -> str:
    """Return why nothing may be written to a state directory, be it named; empty where it may be."""
    path = _below(root, named or STATE_DIR)
    written_below = not named or not (leads_out(named) or os.path.normpath(named) == os.curdir)
    if written_below and not is_within(path, (os.path.realpath(root),)):
        return f"`{path}` leads out of the project, to `{os.path.realpath(path)}`"
    if opening.is_link(path):
        return f"the state directory `{path}` is a link, to `{os.path.realpath(path)}`"
    return ""


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
        message = f"{origin} is not a valid name for a run: {plain_text(name)!r}"
        if name == BREAKER_RUN:
            help = "the ledger keeps moves of the breaker under it; use another"
            raise ExitgateError([Diagnostic("EP813", message, help=help)], USAGE)
        help = f"use 1 to {NAME_LIMIT} printable characters without surrounding spaces"
        raise ExitgateError([Diagnostic("EP813", message, help=help)], USAGE)
    return name


def text_place(request: Request, name: str, policy: CompiledPolicy, kept: str = "") -> Place:
    """
    Return where the text source `name` is: as named in the request, else as in the settings, else by default.

    Args:
        request: Of the caller.
        name: Of the source.
        policy: With the layers of settings.
        kept: Where the plan was read before in this run, below the root; empty where it was not.

    Raises:
        ExitgateError: 74 for a path of the settings that a link leads out of the root.
    """
    given = {"response": request.response, "plan": request.plan, "task": request.task}.get(name)
    given = request.sources.get(name, given)
    if given is not None:
        return Place(given, named=True)
    tried = _settled_paths(policy, name) or DEFAULT_PATHS.get(name, ())
    for path in _settled_paths(policy, name):
        _refuse_outside(request, path, "settings name", f"`--source {name}=PATH`")
    root = "" if request.root == "." else request.root
    if name == "plan":
        from exitgate.gate.observe.plan_place import plan_place

        return Place(*plan_place(root, tried, OTHER_PLANS, policy, kept), root=request.root)
    return Place(first_existing(root, tried), tried, root=request.root)


def places_of_plan(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return where the plan is looked for below the root, the first first."""
    return _settled_paths(policy, "plan") or DEFAULT_PATHS["plan"]


def circuit_place(request: Request, policy: CompiledPolicy, name: str) -> Place:
    """Return where the breaker's record is: as named in the request, else as the policy's options say."""
    given = request.sources.get(name)
    if given is not None:
        return Place(given, named=True)
    for extraction in policy.extractions:
        path = extraction.options.get("path")
        if extraction.source == name and isinstance(path, str):
            _refuse_outside(request, path, "policy names", "`--source circuit=PATH`")
            return Place(_below(request.root, path), named=False)
    return Place(None, named=False)


def _settled_paths(policy: CompiledPolicy, name: str) -> tuple[str, ...]:
    """Return the paths that the layers of settings name for a source; none where they name none."""
    sources = policy.layers.get("sources")
    paths = sources.get(name) if isinstance(sources, dict) else None
    return tuple(str(path) for path in paths) if isinstance(paths, list) else ()


def _refuse_outside(request: Request, path: str, who: str, instead: str) -> None:
    """Raise ExitgateError (74) for a path of the policy or of settings that a link leads out of the root."""
    place = _below(request.root, path)
    if not is_within(place, (os.path.realpath(request.root),)):
        message = f"`{place}`, which the {who}, leads out of the project"
        help = f"remove the link, or name the file yourself: {instead}"
        raise ExitgateError([Diagnostic("EP818", message, help=help)], CANNOT_READ)


def _below(root: str, path: str) -> str:
    return path if root == "." else os.path.join(root, path)
