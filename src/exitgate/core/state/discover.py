"""Where things are unless the caller says otherwise: the default paths and the default policy."""

from __future__ import annotations

import os

from exitgate.core.ledger.runs import DEFAULT_NAME, NAME_LIMIT, usable
from exitgate.core.model.decision import CANNOT_READ, CANNOT_WRITE, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import plain_text
from exitgate.core.model.json_object import JsonObject, object_of
from exitgate.core.observe.files import first_existing, read_source
from exitgate.core.system import safe_files
from exitgate.core.system.folders import is_within, leads_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from exitgate.core.facts.plans.tasks import Tasks
    from exitgate.core.policy.compiled import CompiledPolicy
    from exitgate.core.state.request import Request


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


class SourceLocation:
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
    if safe_files.is_link(path):
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


def text_place(request: Request, name: str, policy: CompiledPolicy, kept: str = "") -> SourceLocation:
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
        return SourceLocation(given, named=True)
    tried = _settled_paths(policy, name) or DEFAULT_PATHS.get(name, ())
    for path in _settled_paths(policy, name):
        _refuse_outside(request, path, "settings name", f"`--source {name}=PATH`")
    root = "" if request.root == "." else request.root
    if name == "plan":
        return SourceLocation(*plan_place(root, tried, OTHER_PLANS, policy, kept), root=request.root)
    return SourceLocation(first_existing(root, tried), tried, root=request.root)


def places_of_plan(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return where the plan is looked for below the root, the first first."""
    return _settled_paths(policy, "plan") or DEFAULT_PATHS["plan"]


def circuit_place(request: Request, policy: CompiledPolicy, name: str) -> SourceLocation:
    """Return where the breaker's record is: as named in the request, else as the policy's options say."""
    given = request.sources.get(name)
    if given is not None:
        return SourceLocation(given, named=True)
    for extraction in policy.extractions:
        path = extraction.options.text("path")
        if extraction.source == name and path is not None:
            _refuse_outside(request, path, "policy names", "`--source circuit=PATH`")
            return SourceLocation(_below(request.root, path), named=False)
    return SourceLocation(None, named=False)


def _settled_paths(policy: CompiledPolicy, name: str) -> tuple[str, ...]:
    """Return the paths that the layers of settings name for a source; none where they name none."""
    return object_of(policy.layers.get("sources")).texts(name)


def _refuse_outside(request: Request, path: str, who: str, instead: str) -> None:
    """Raise ExitgateError (74) for a path of the policy or of settings that a link leads out of the root."""
    place = _below(request.root, path)
    if not is_within(place, (os.path.realpath(request.root),)):
        message = f"`{place}`, which the {who}, leads out of the project"
        help = f"remove the link, or name the file yourself: {instead}"
        raise ExitgateError([Diagnostic("EP818", message, help=help)], CANNOT_READ)


def _below(root: str, path: str) -> str:
    return path if root == "." else os.path.join(root, path)


# Which of the places holds the plan of a run.

#: Bytes of the largest file that is looked at before it counts as the plan.
LOOK_LIMIT = 2_000_000
#: Base names, in small letters, of files that are more often prose: they need boxes.
PROSE = ("prd.md",)


def plan_place(
    root: str, places: Sequence[str], others: Collection[str], policy: CompiledPolicy, kept: str
) -> tuple[str | None, tuple[str, ...]]:
    """
    Return the path of the plan, or None, and the places where it was looked for.

    A run stays with the plan that it was read from: while that file is there no other one counts. When it
    is gone, another one takes its place only if it has open tasks; otherwise the plan is lost.

    Args:
        root: Folder of the project; empty for the current one.
        places: Where to look, the first first.
        others: Those of them whose files count only if they list tasks.
        policy: Whose options say how the plan is read.
        kept: The place at which it was read before in this run; empty where it was not.
    """
    stays = kept in places
    if stays and os.path.lexists(os.path.join(root, kept)):
        return os.path.join(root, kept), tuple(places)
    for place in places:
        path = first_existing(root, (place,))
        if path is None:
            continue
        found = _tasks(path, root, policy) if stays or place in others else None
        if found is None:
            if place in others or stays:
                continue
            return path, tuple(places)
        boxes = any(item.mark for item in (*found.items, *found.outside))
        if place in others and not (boxes or (found.total and os.path.basename(place).lower() not in PROSE)):
            continue
        if not stays or any(item.blocking for item in found.items):
            return path, tuple(places)
    return None, (kept,) if stays else tuple(places)


def place_of(path: str | None, root: str, places: Sequence[str]) -> str:
    """Return the one of `places` below the root that `path` is; empty for any other path."""
    root = "" if root == "." else root
    return next((place for place in places if path == os.path.join(root, place)), "")


def _tasks(path: str, root: str, policy: CompiledPolicy) -> Tasks | None:
    """Return the tasks of a file as the policy reads its plan; None for one that cannot be read."""
    from exitgate.core.facts.plans.tasks import tasks

    text = read_source("plan", path, limit=LOOK_LIMIT, root=root or os.curdir).text
    if text is None:
        return None
    reads = (
        one.options for one in policy.extractions if one.source == "plan" and one.extractor == "checklist"
    )
    return tasks(text, next(reads, JsonObject()))
