"""
What a recording shows of probes: what a check asked then, or the same command, run by the agent itself.

A dry run asks them as a check does, one after the other and only where the decision hangs on them: how often
a run was sent back, and which facts it had not asked for, come out as they would have.
"""

from __future__ import annotations

import json
import posixpath

from exitgate.core.engine.breaker import OPEN
from exitgate.core.envelopes.edits import PLACES, commands_of, folder_of, goes_on, only_reads, written_by
from exitgate.core.facts.extractors.probe import EVERY_ITERATION
from exitgate.core.facts.extractors.probes import standings
from exitgate.core.facts.registry import ASKING, probes_asked
from exitgate.core.facts.text.secrets import Mask
from exitgate.core.gate.asking import lists_of, needed
from exitgate.core.gate.extract import asked
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject, object_of, objects_of
from exitgate.core.model.value import NOT_ASKED, Unknown
from exitgate.core.probes.answer import ANSWERED, BROKEN
from exitgate.core.probes.definition import Probe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from exitgate.core.engine.evaluation import Evaluation
    from exitgate.core.model.diagnostic import ExitgateError
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.policy.compiled import CompiledPolicy, Extraction

#: The one entry in place of all that ask probes, until it is known which of them a run asks.
NAME = "answers of probes"
SOURCE = "probes"
OPTIONS: dict[str, object] = {}

#: Member of a policy's layers: results that were given for a dry run.
RESULTS = "probe_results"
#: Marks of an answer: the agent ran the command itself; it was given for a dry run.
RECORDED, GIVEN = "recorded", "given"
#: Code -> what it means.
CODES = {"EP588": "results of probes cannot be read"}
_LARGEST = 16_000_000
#: Lines at the end of a result that are evidence.
_LINES = 8
#: Signs that a shell reads in its own way.
_OF_A_SHELL = frozenset(";&|<>$`()*?[]{}~#!\n")
_NO_CALL = "the recording does not show that its command ran after the last change of a file"


def asks(policy: CompiledPolicy) -> bool:
    """Return whether a fact of the policy asks a probe by name."""
    return bool(_named(policy))


def recorded(
    policy: CompiledPolicy,
    calls: Source,
    iteration: int = 0,
    file: str = "",
    asked: JsonObject | None = None,
) -> dict[str, JsonObject]:
    """
    Return what an iteration shows of the probes that facts of a policy ask, each as the ledger keeps it.

    What the probe said then counts if its definition is the same. Else a command of the agent does, if its
    words are the same, it ran to its end in the root, and nothing behind it may have written a file. Its exit
    status decides, and whether it is marked as an error: a failure that only one of them has never passes. No
    report is read. An answer of such a command, or one that was given, has a member `mark`.

    Args:
        policy: Its settings define the probes, and its layers hold results that were given (`with_results`).
        calls: The agent's calls of tools.
        iteration: Its number within the run.
        file: Where it is recorded.
        asked: What probes said to the decision that was made then.
    """
    answers: dict[str, JsonObject] = {}
    told = calls.record.objects("calls") if calls.record is not None else []
    named = _named(policy)
    for name, plain in object_of(policy.layers.get("probes")).items():
        probe = object_of(plain)
        then = JsonObject() if asked is None else asked.object(name)
        if name not in named:
            continue
        if then and then.text("definition") == Probe(name, probe).digest:
            answers[name] = then
        elif "judge" not in probe:
            answers[name] = _answer(Probe(name, probe), told, Mask(policy.mask))
    for one in objects_of(policy.layers.get(RESULTS)):
        name = one.text("probe", "")
        if name in named and one.get("iteration") in (None, iteration) and one.text("file", "") in file:
            answers[name] = JsonObject({"status": ANSWERED, "reason": GIVEN, **one, "mark": GIVEN})
    missing = JsonObject(status=BROKEN, reason="no probe of this name is defined")
    return {**dict.fromkeys(sorted(named), missing), **answers}


def specs(options: JsonObject) -> tuple[FactSpec, ...]:  # noqa: ARG001
    """Return no facts: those of probes depend on which of them a run asks."""
    return ()


def extract(prefix: str, source: str, options: JsonObject, iteration: Iteration) -> tuple[Fact, ...]:  # noqa: ARG001
    """Return all answers as one fact, JSON."""
    record = iteration.source(source).record or JsonObject()
    return (Fact(NAME, json.dumps(record.object("answers"))),)


class Asking:
    """
    The probes that one recorded run asks, iteration after iteration.

    Args:
        policy: Who asks.
    """

    def __init__(self, policy: CompiledPolicy) -> None:
        self._policy = policy
        self._entries = [entry for entry in policy.extractions if entry.extractor in ASKING]
        self._always = [e for e in self._entries if e.options.get("asked") == EVERY_ITERATION]
        self._before = JsonObject()

    def asked(
        self, facts: Mapping[str, Fact], evaluation: Evaluation, now: float, stages: Sequence[str]
    ) -> dict[str, Fact]:
        """
        Return the facts of an iteration with those of probes, as far as its decision hangs on them.

        Args:
            facts: All others, and the entry `NAME`.
            evaluation: Of the run up to the iteration before.
            now: Time of the check, seconds since the epoch.
            stages: That are due.
        """
        told = facts.get(NAME)
        answers = {} if told is None else {k: object_of(v) for k, v in json.loads(str(told.value)).items()}
        others = {name: fact for name, fact in facts.items() if name != NAME}
        known = {name: answers[name] for name in _of(self._always) if name in answers}
        breaker = evaluation.before.breaker
        while True:
            found = {**self._facts(known, answers), **others}
            trial = evaluation.copy()
            trial.observe(found.values(), now)
            needs = () if breaker.by_hand and breaker.state == OPEN else trial.unasked(stages)[1]
            wanted = needed(needs, self._entries)
            name = next((name for name in answers if name in wanted and name not in known), None)
            if name is None:
                break
            known[name] = answers[name]
        self._before = JsonObject(standings(lists_of(self._entries), self._before, known))
        return found

    def _facts(self, known: Mapping[str, JsonObject], answers: Mapping[str, JsonObject]) -> dict[str, Fact]:
        pending = [name for name in answers if name not in known]
        record = JsonObject(answers=dict(known), pending=pending, before=self._before)
        return asked(self._policy, Iteration(0, "", 0.0, {SOURCE: Source(SOURCE, record=record)}))


def told(recorded: Mapping[str, object]) -> dict[str, object]:
    """Return the facts that were recorded themselves without those that no probe had been asked for."""
    return {name: value for name, value in recorded.items() if not _is_not_asked(value)}


def _is_not_asked(value: object) -> bool:
    found = value.value if isinstance(value, Fact) else value
    return isinstance(found, Unknown) and found.reason == NOT_ASKED


def with_results(policy: CompiledPolicy, given: Sequence[JsonObject]) -> CompiledPolicy:
    """Return a policy that takes results of probes for a dry run: the last that fits an iteration counts."""
    return policy.but(layers={**policy.layers, RESULTS: list(given)}) if given else policy


def read_results(path: str) -> list[JsonObject]:
    """
    Return results of probes from a JSON file, a list.

    Each has `probe`, `passed` (true, false, or null with a `reason`), and may have `iteration`, a part of the
    name of a `file`, `total`, `failed`, `failing`, `skipped`, `coverage`, `exit_status`.

    Raises:
        ExitgateError: 66 or 74 when it cannot be read, 65 when it is not such a list.
    """
    from exitgate.core.model.decision import code_of
    from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
    from exitgate.core.probes.reports.document import DECODER
    from exitgate.core.system import safe_files

    try:
        found = DECODER.decode(safe_files.content(path, _LARGEST, links=True).decode())
    except OSError as error:
        message = f"`{path}` cannot be read: {safe_files.trouble(error)}"
        raise ExitgateError([Diagnostic("EP588", message, help="name a file")], code_of(error)) from error
    except (ValueError, RecursionError) as error:
        raise _not_results(path, str(error)[:80]) from error
    results = objects_of(found)
    if not isinstance(found, list) or len(results) != len(found):
        raise _not_results(path, "it is not a list of results")
    for number, one in enumerate(results, 1):
        if not one.text("probe") or not isinstance(one.get("passed"), bool | None) or "passed" not in one:
            raise _not_results(path, f"entry {number} has no `probe` and `passed`")
    return results


def _not_results(path: str, why: str) -> ExitgateError:
    from exitgate.core.model.decision import BAD_POLICY
    from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

    help = 'write `[{"probe": "tests", "iteration": 3, "passed": false, "failing": ["test_login"]}]`'
    message = f"`{path}` has no results of probes: {why}"
    return ExitgateError([Diagnostic("EP588", message, help=help)], BAD_POLICY)


def _named(policy: CompiledPolicy) -> set[str]:
    """Return the probes that facts of the policy ask."""
    return _of(policy.extractions)


def _of(entries: Iterable[Extraction]) -> set[str]:
    return {name for entry in entries for name in probes_asked(entry.extractor, entry.options)}


def _answer(probe: Probe, calls: Sequence[JsonObject], mask: Mask) -> JsonObject:
    for at in reversed(range(len(calls))):
        call = calls[at]
        input = call.object("input")
        if written_by(call.get("input")):
            break
        ran = commands_of(input)
        if ran is None:
            continue
        if not _is_same(probe, ran):
            if only_reads(ran):
                continue
            break  # it may have changed what the probe would say
        status = call.whole("exit_status")
        error = call.flag("error")
        if goes_on(input) or (status is None and error is None) or not _is_in_root(calls, at):
            break
        passed = status in (0, None) and error is not True
        found = JsonObject(status=ANSWERED, passed=passed, reason=RECORDED, mark=RECORDED)
        if status is not None:
            found["exit_status"] = status
        lines = [line for line in str(call.get("result", "")).splitlines() if line.strip()][-_LINES:]
        found["evidence"] = [["output", at, mask.mask(line)[:200]] for at, line in enumerate(lines, 1)]
        return found
    return JsonObject(status=BROKEN, reason=_NO_CALL)


def _is_same(probe: Probe, ran: str) -> bool:
    """Return whether a line runs what a probe runs; it may show its errors among its output."""
    import shlex

    line = " ".join(word for word in ran.split() if word != "2>&1")
    if line == " ".join(probe.shown().split()):
        return True
    if probe.words[:2] == ("sh", "-c") or set(line) & _OF_A_SHELL:
        return False
    try:
        return tuple(shlex.split(line)) == probe.words
    except ValueError:  # a quote without an end
        return False


def _is_in_root(calls: Sequence[JsonObject], at: int) -> bool:
    """
    Return whether a call ran in the root of the project, as far as the calls show where that is.

    A shell stays in the folder that it went to. A folder that is named by its whole path counts if all other
    places that calls name by theirs are below it.
    """
    folder = folder_of(calls[at].object("input"))
    for call in reversed(calls[:at]):
        folder = _went_to(call.object("input")) if folder is None else folder
    if folder is None or posixpath.normpath(folder) == posixpath.curdir:
        return True
    if not posixpath.isabs(folder):
        return False
    root = posixpath.normpath(folder)
    places = (place for call in calls for place in _places(call.object("input")))
    return all(posixpath.normpath(one) == root or one.startswith(f"{root}/") for one in places)


def _went_to(input: JsonObject) -> str | None:
    """Return the folder to which a call's line goes at first, None where it goes nowhere."""
    words = (commands_of(input) or "").split()
    return words[words.index("cd") + 1].strip(";\"'") if "cd" in words[:-1] else None


def _places(input: JsonObject) -> list[str]:
    named = (folder_of(input), _went_to(input), *(input.text(name) for name in PLACES))
    return [one for one in named if one is not None and posixpath.isabs(one)]


def definitions(policy: CompiledPolicy) -> Mapping[str, object]:
    """Return what the facts of probes in a recording depend on beside the recording."""
    return {name: policy.layers.get(name) for name in ("probes", RESULTS)}
