"""Everything a policy wants to look at, read once."""

from __future__ import annotations

import os

from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.facts.registry import beside
from exitgate.core.ledger.runs import used_up
from exitgate.core.model.decision import USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.fact import Source
from exitgate.core.model.json_object import JsonObject, texts_of
from exitgate.core.model.value import micro
from exitgate.core.observe.envelope import TAKEN_OUT, unwrapped
from exitgate.core.observe.files import STANDARD_INPUT, given_text, observe, own, read_source
from exitgate.core.observe.ignored_files import left_out
from exitgate.core.state import faults
from exitgate.core.state.discover import circuit_place, places_of_plan, state_dir, text_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.fact import Source
    from exitgate.core.observe.tampering import Look
    from exitgate.core.policy.compiled import CompiledPolicy, Extraction
    from exitgate.core.state.history import Reported
    from exitgate.core.state.request import Request


#: Sources that this program makes itself; no file can be given for them.
MADE = ("clock", "run", "day", "git", "tampering", "probes")

#: Among the totals of a run: the place below the root where its plan was read.
PLAN = "plan"
#: Code -> what it means.
CODES = {"EP812": "a source is given that no fact of the policy uses"}


class Begun:
    """
    What is known of the run before this iteration.

    `started_at` and `last_at` are seconds since the epoch or None; `totals` are those of the run's
    last line; `baseline` is what git said when the iteration began, or None; `elapsed` are the
    seconds of the run so far, or None when its start is not known; `kept` is the digest of what the run
    keeps of its beginning (`exitgate.core.state.began`), empty without.
    """

    __slots__ = ("baseline", "elapsed", "kept", "last_at", "started_at", "totals")

    def __init__(
        self,
        started_at: float | None = None,
        last_at: float | None = None,
        totals: JsonObject | None = None,
        baseline: JsonObject | None = None,
        elapsed: float | None = None,
        kept: str = "",
    ) -> None:
        self.started_at = started_at
        self.last_at = last_at
        self.totals = totals or JsonObject()
        self.baseline = baseline
        self.elapsed = elapsed
        self.kept = kept


def wanted(policy: CompiledPolicy) -> frozenset[str]:
    """Return the names of the sources that some extraction of the policy reads."""
    return frozenset(
        name
        for entry in policy.extractions
        if not keeps(policy, entry) and entry.extractor != GIVEN
        for name in (entry.source, *beside(entry.extractor, entry.options))
    )


def keeps(policy: CompiledPolicy, entry: Extraction) -> bool:
    """Return whether an extraction stands for the breaker that the policy itself keeps: nothing is read."""
    return policy.breaker is not None and entry.prefix == "circuit"


def check_given(request: Request, policy: CompiledPolicy) -> None:
    """Raise ExitgateError (64) for a given source that the policy does not read or that is made here."""
    if not request.sources and not request.texts:
        return
    from exitgate.core.model.spelling import suggestion

    readable = sorted({*wanted(policy), "response", "plan", "task"}.difference(MADE))
    wrong = []
    for name in (*request.sources, *request.texts):
        if name in MADE:
            message = f"source `{name}` cannot be given"
            wrong.append(Diagnostic("EP812", message, help=f"omit it; `{name}` is always observed here"))
        elif name not in readable:
            message = f"no fact of policy `{policy.name}` uses a source `{name}`"
            wrong.append(Diagnostic("EP812", message, help=suggestion(name, readable, "sources")))
    if wrong:
        raise ExitgateError(wrong, USAGE)


def read_texts(
    request: Request, policy: CompiledPolicy, plan: str = "", heard: dict[str, Source] | None = None
) -> dict[str, Source]:
    """
    Return the sources that are files: the response, the task where there is one, and what the policy wants.

    The response is taken out of its envelope; what else was in it becomes sources of its own, where no
    file is given for them. `plan` is where the plan was read before in this run (`PLAN` of its totals).
    `heard` keeps what came from standard input, for when all is read once more: it can be read only once.

    Raises:
        ExitgateError: For a named file that is missing (66) or cannot be read (74), and for a
            response that is not of the format the caller says (65).
    """
    circuit = {
        entry.source
        for entry in policy.extractions
        if entry.extractor == "circuit" and not keeps(policy, entry)
    }
    sources: dict[str, Source] = {}
    wants = wanted(policy)
    given_apart = {*request.sources, *request.texts}
    apart = {name for name in TAKEN_OUT if name not in given_apart}
    files = own(policy, request.sources)
    for name in sorted({"response", "task", *wants, *_named(request)}.difference(MADE, apart)):

        def read(name: str = name) -> Source:
            if name in circuit:
                from exitgate.core.observe import breaker_file as breaker

                place = circuit_place(request, policy, name)
                return breaker.read(place.path, named=place.named)
            if name in files:
                return observe(files[name], request.root)
            if name in request.texts:
                given = request.texts[name]
                return (
                    Source(name, reason=f"no {name} was given") if given is None else given_text(name, given)
                )
            place = text_place(request, name, policy, plan)
            if place.path != STANDARD_INPUT or heard is None:
                return read_source(name, place.path, named=place.named, tried=place.tried, root=place.root)
            if name not in heard:
                heard[name] = read_source(name, place.path, named=place.named, tried=place.tried)
            return heard[name]

        sources[name] = faults.source(name, read)
    taken = unwrapped(sources["response"], request.input_format, request.agent_exit, wants)
    sources.update({name: source for name, source in taken.items() if name == "response" or name in apart})
    if "result" in given_apart:
        from exitgate.core.observe.envelope import given_result

        given = sources["result"]
        sources["result"] = faults.source("result", lambda: given_result(given, request.agent_exit))
    if "tool_calls" in sources:
        sources["tool_calls"] = faults.source(
            "tool_calls", lambda: with_written(sources["tool_calls"], policy)
        )
    return with_failure(sources, policy, here=True)


def read_made(
    request: Request,
    policy: CompiledPolicy,
    begun: Begun,
    number: int,
    now: float,
    reported: Reported | None = None,
    again: bool = False,
    plan: Source | None = None,
) -> dict[str, Source]:
    """
    Return the sources made here that the policy wants, at the instant `now`: clock, run, git and tampering.

    `again` says that the agent's calls are not those of a new iteration, `plan` is the plan as it is now.
    """
    names = wanted(policy)
    sources: dict[str, Source] = {}
    if "clock" in names:
        from exitgate.core.observe import clock as counters
        from exitgate.core.observe.local_time import local, zones_of

        shown = local(now, zones_of(policy))
        sources["clock"] = counters.clock(begun.started_at, begun.last_at, begun.elapsed, shown)
    if "run" in names:
        sources["run"] = run_source(request, begun, number, reported)
    if "git" in names or TAMPERING in names:
        sources.update(_of_working_tree(request, policy, begun, number, again, plan))
    return sources


#: Name of the source, of its extractor, and of the total of a run in which its counts are kept.
TAMPERING = "tampering"


def _of_working_tree(
    request: Request, policy: CompiledPolicy, begun: Begun, number: int, again: bool, plan: Source | None
) -> dict[str, Source]:
    """Return the sources that rest on one look at the working tree, those of them that the policy wants."""
    from exitgate.core.observe import git

    names = wanted(policy)
    out = (*left_out(request, policy, begun), *request.left_out)
    passed, asked = ignored(policy), optional_git_facts(policy)
    look = _look(request, policy, begun, number, plan, (out, passed)) if TAMPERING in names else None
    first, also = (None, None) if look is None else (look.head, look.at)
    found = faults.source(
        "git",
        lambda: git.observe(
            request.root, out, begun.baseline, ignore=passed, dated="since_commit" in asked,
            origin=first, look=also,
        ),
    )  # fmt: skip
    # its record is kept in any case, for the next look
    sources = {"git": with_since(found, begun) if "since_change" in asked else found}
    if look is not None:
        made = look.source(found)
        more = {
            "before": begun.totals.object(TAMPERING),
            "again": again,
            "root": os.path.abspath(request.root),
        }
        more["places"] = [os.path.abspath(state_dir(request))]
        # an extractor that gets no record looks at a recording, which has nothing to compare
        known = made.record if made.record is not None else {"reason": made.reason, "uncompared": made.reason}
        sources[TAMPERING] = made.but(record={**known, **more, "watched": list(look.own)})
    return sources


def _look(
    request: Request,
    policy: CompiledPolicy,
    begun: Begun,
    number: int,
    plan: Source | None,
    passed: tuple[tuple[str, ...], tuple[str, ...]],
) -> Look:
    from exitgate.core.facts.file_patterns import FilePatterns
    from exitgate.core.observe.git import relative
    from exitgate.core.observe.masking import kept_text
    from exitgate.core.observe.own_files import own_files
    from exitgate.core.observe.protected_files import protected_of
    from exitgate.core.observe.tampering import Look
    from exitgate.core.state.began import kept

    known = kept(state_dir(request), begun.kept)
    lost, now = bool(begun.kept) and known is None, kept_text(plan, policy)
    places, patterns = passed
    left = FilePatterns(relative(request.root, request.root, places), patterns)
    own = own_files(request, policy)
    return Look(
        known, own, number, policy.digest, now, lost, protected_of(policy), request.root, left
    )  # fmt: skip


def optional_git_facts(policy: CompiledPolicy) -> frozenset[str]:
    """Return the facts of git that are observed only where a policy names them, as this one does."""
    from exitgate.core.facts.extractors.git import NAME, WHEN_ASKED

    entries = [entry for entry in policy.extractions if entry.extractor == NAME]
    return frozenset(name for name in WHEN_ASKED if any(entry.asks(name) for entry in entries))


def ignored(policy: CompiledPolicy) -> tuple[str, ...]:
    """Return the patterns of files that git facts of the policy pass over."""
    from exitgate.core.facts.extractors.git import IGNORED, NAME

    found = [entry.options.get("ignore") for entry in policy.extractions if entry.extractor == NAME]
    named = next((one for one in found if one is not None), None)
    return IGNORED if named is None else texts_of(named)


def run_source(request: Request, begun: Begun, number: int, reported: Reported | None = None) -> Source:
    """
    Return the source `run`: what the run has used up with this iteration.

    What the caller says of cost and tokens counts before what the agent's result reports.
    """
    from exitgate.core.observe import clock as counters

    cost, tokens, is_error = request.cost, request.tokens, None
    if reported is not None:
        cost = reported.cost if cost is None else cost
        tokens = reported.tokens if tokens is None else tokens
        is_error = reported.is_error
    return counters.run(
        number,
        begun.totals,
        begun.started_at,
        request.agent_exit,
        cost,
        tokens,
        begun.elapsed,
        is_error,
    )


def plan_location(request: Request, policy: CompiledPolicy, begun: Begun, plan: Source | None) -> str:
    """Return where the plan of the run is from now on, below the root; empty if it was never seen."""
    from exitgate.core.state.discover import place_of

    before = str(begun.totals.get(PLAN, ""))
    if plan is None or plan.text is None or request.plan is not None or "plan" in request.sources:
        return before
    return place_of(plan.path, request.root, places_of_plan(policy)) or before


def _named(request: Request) -> set[str]:
    given = {"response": request.response, "plan": request.plan, "task": request.task}
    return {name for name, path in given.items() if path is not None} | {*request.sources, *request.texts}


# An answer that is nothing but the own error of the agent's program: a failure, no matter what the exit
# status.

#: Extractor whose lexicon knows what programs print.
_KNOWS = "infrastructure"


def with_failure(
    sources: Mapping[str, Source], policy: CompiledPolicy, *, here: bool = False
) -> dict[str, Source]:
    """
    Return the sources, the result an error where the response is nothing but the program's own error.

    Only a policy that asks about the agent's program has it looked at. What the result says itself of an
    error stays; an exit status of 0 says nothing against it. `here` says that local times in it are those
    of this machine.
    """
    found = dict(sources)
    asking = [entry for entry in policy.extractions if entry.extractor == _KNOWS]
    response, result = found.get("response"), found.get("result")
    text = response.text if response is not None else None
    if not asking or not text or result is None or result.record is None:
        return found
    from exitgate.core.facts.extractors.infrastructure import ALONE, TIMEOUTS
    from exitgate.core.facts.extractors.run import INTERRUPTED
    from exitgate.core.facts.turn.trouble import watch

    record = result.record
    # some exit statuses say themselves how the turn ended
    if record.flag("is_error") or record.get("agent_exit") in (*TIMEOUTS, *INTERRUPTED):
        return found
    if any(watch(entry.options).alone(text) for entry in asking):
        from exitgate.core.envelopes.plain import tail_of
        from exitgate.core.facts.text.structure import strip_escapes

        told = {**record, "is_error": True, ALONE: True, "tail": tail_of(strip_escapes(text))}
        found["result"] = Source("result", record=_with_offset(told) if here else told, path=result.path)
    return found


def _with_offset(record: dict[str, object]) -> dict[str, object]:
    import time

    # extractors know no clock: how far it is ahead of UTC here and now, in seconds
    return {"utc_offset": time.localtime().tm_gmtoff, **record}


# Files that the agent's own tools wrote: added to the source `tool_calls` if a policy asks for them.

#: The extractor that reads them, its fact, and the field of the record.
TOOLS, WRITTEN = "tools", "written"


def with_written(source: Source, policy: CompiledPolicy) -> Source:
    """
    Return the source `tool_calls` with `written`: paths as the calls name them, each once, in order.

    A call that failed wrote nothing.
    """
    if source.record is None or not any(
        entry.extractor == TAMPERING or (entry.extractor == TOOLS and entry.asks(WRITTEN))
        for entry in policy.extractions
    ):
        return source
    from exitgate.core.envelopes.edits import written_by

    done = (one for one in source.record.objects("calls") if not one.flag("error"))
    paths = dict.fromkeys(path for call in done for path in written_by(call.get("input")))
    return source.but(record={**source.record, WRITTEN: list(paths)})


# Since when no check of a run has found that files changed: a total of the run, in seconds of it.

#: Among the totals of a run: how old it was when a check last found that files had changed.
CHANGED_AT = "changed_at"
_NOT_KNOWN = "it is not known when files changed before this check"


def with_since(source: Source, begun: Begun) -> Source:
    """
    Return the source `git` with `since_change`, the seconds since a check found a change, or the reason.

    A run that has only begun has seen none; from its beginning on the time counts.
    """
    record = source.record
    if record is None:
        return source
    since, reason = _since(record, begun)
    if since is not None:
        return source.but(record={**record, "since_change": since})
    return source.but(record={**record, "reasons": {**record.object("reasons"), "since_change": reason}})


def _since(record: JsonObject, begun: Begun) -> tuple[float | None, str]:
    elapsed, files = begun.elapsed, record.whole("files_changed")
    changed = files > 0 if files is not None else record.get("changed")
    if elapsed is None:
        return None, "the start of the run is not known"
    if changed is True or not elapsed:
        return 0, ""
    if changed is not False:
        return None, record.object("reasons").text("changed", _NOT_KNOWN)
    before = used_up(begun.totals.get(CHANGED_AT)) if begun.totals else 0
    return (None, _NOT_KNOWN) if before is None else (micro(max(0, elapsed - before)), "")


def changed_at(source: Source | None, begun: Begun) -> dict[str, object]:
    """Return the total that the check's line keeps, nothing where it is not known."""
    since = None if source is None or source.record is None else used_up(source.record.get("since_change"))
    return {} if since is None or begun.elapsed is None else {CHANGED_AT: micro(begun.elapsed - since)}
