"""
What a person allowed to run: kept in the user's own state, by project and digest.

`exitgate trust` writes it. It covers the definitions of all probes and the lists of those that have to pass;
once one of them is another, nothing runs until a person looked at it. No project, policy or preset can name
the file.
"""

from __future__ import annotations

import os

from exitgate.core import probes
from exitgate.core.facts.registry import ASKING, probes_asked
from exitgate.core.ledger.runs import DEFAULT_NAME, name_of
from exitgate.core.model.decision import COMPLETE, EXIT, Decision
from exitgate.core.model.json_object import JsonObject, object_of, object_or_none, texts_of
from exitgate.core.model.value import Value
from exitgate.core.observe.sources import TAMPERING
from exitgate.core.probes.definition import Probe
from exitgate.core.settings.files import project_folder
from exitgate.core.system import folders, portable
from exitgate.core.system.digest import digest_of_plain, hex_digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from exitgate.core.language.tree import Node
    from exitgate.core.policy.compiled import CompiledPolicy

FORMAT = 1
#: As a CI job sets it.
VARIABLE = probes.VARIABLE
_LARGEST = 1_000_000
#: Characters of a command that are shown beside what it was.
_COMMAND = 200
#: Whether commands may run: nothing to allow; allowed; never allowed; something changed since.
NOTHING, ALLOWED, MISSING, CHANGED = "nothing", "allowed", "missing", "changed"
#: Variables that programs of agents set for what they run: no person types there.
AGENTS = (
    "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID", "CURSOR_AGENT", "GEMINI_CLI", "QWEN_CODE", "OPENCODE", "AMP_CURRENT_THREAD_ID",
    "CLINE_ACTIVE", "AI_AGENT", "COPILOT_AGENT", "AGENT_ID", "EXITGATE_PROBE",
)  # fmt: skip
_HELP = "`exitgate trust` shows them and allows them"


class Consent(Value):
    """
    Whether the commands of a project may run.

    Args:
        state: `NOTHING`, `ALLOWED`, `MISSING` or `CHANGED`.
        reason: Why they may not, as a sentence part.
        differences: What is another than a person allowed, one line each.
    """

    __slots__ = ("differences", "reason", "state")

    def __init__(self, state: str, reason: str = "", differences: tuple[str, ...] = ()) -> None:
        self.state = state
        self.reason = reason
        self.differences = differences


def covered(policy: CompiledPolicy) -> JsonObject:
    """Return what consent covers: `probes` as they are defined, `verify` with each fact's list of names."""
    verify = {
        entry.prefix: sorted(names)
        for entry in policy.extractions
        if entry.extractor == "probes" and (names := entry.options.texts("of"))
    }
    return JsonObject(probes=object_of(policy.layers.get("probes")), verify=verify)


def digest_of(whole: JsonObject) -> str:
    """Return the digest of what consent covers; `exitgate trust --digest` prints it."""
    return digest_of_plain(whole)


def asks(policy: CompiledPolicy) -> bool:
    """Return whether some fact of the policy asks a probe."""
    return any(probes_asked(entry.extractor, entry.options) for entry in policy.extractions)


def agent_in(environment: Mapping[str, str]) -> str:
    """Return the variable by which an agent's environment is recognised; empty for that of a person."""
    return next((name for name in AGENTS if environment.get(name)), "")


def look(policy: CompiledPolicy, root: str, environment: Mapping[str, str]) -> Consent:
    """
    Return whether the commands of the project that folder `root` is in may run.

    A digest in the environment that is not that of what is here is a change, as a record on disk is: a job
    that was to verify something is not to complete because nothing is left to verify.
    """
    whole = covered(policy)
    try:
        known = read(root, environment)
    except folders.Refused as error:
        known, unread = None, f"what you allowed cannot be read: {error}"
    else:
        unread = ""
    asked = bool(whole.object("probes")) and asks(policy)
    if known is None:
        if not asked and unread and _is_recorded(root, environment):
            return Consent(CHANGED, unread, (unread,))  # it may have been what has to pass
        named = environment.get(VARIABLE)
        if named and named != digest_of(whole):
            said = f"`{VARIABLE}` allows `{named[:40]}`, and what is here has the digest `{digest_of(whole)}`"
            return Consent(CHANGED, f"{said}; `exitgate trust --show` shows it", (said,))
        if not asked:
            return Consent(NOTHING)
        if named:
            return Consent(ALLOWED)
        return Consent(MISSING, unread or f"no person allowed the commands of this project; {_HELP}")
    if known.text("digest") == digest_of(whole) or (asked and environment.get(VARIABLE) == digest_of(whole)):
        return Consent(ALLOWED)
    differences = compare(known.object("covered"), whole)
    return Consent(
        CHANGED, f"it changed since a person allowed it: {'; '.join(differences)}; {_HELP}", differences
    )


def look_at(
    names: Iterable[str], policy: CompiledPolicy, root: str, environment: Mapping[str, str]
) -> Consent:
    """
    Return whether the commands of some probes may run, no matter which have to pass by the settings.

    That is for a run whose list of probes a person typed; each of them is as it was when it was allowed.
    """
    whole = covered(policy)
    if environment.get(VARIABLE) == digest_of(whole):
        return Consent(ALLOWED)
    try:
        known = read(root, environment)
    except folders.Refused as error:
        return Consent(MISSING, f"what you allowed cannot be read: {error}")
    if known is None:
        return Consent(MISSING, f"no person allowed the commands of this project; {_HELP}")
    before, now = (one.object("probes") for one in (known.object("covered"), whole))
    some = [JsonObject(probes={name: one[name] for name in names if name in one}) for one in (before, now)]
    differences = tuple(_compared("probes", *some))
    if not differences:
        return Consent(ALLOWED)
    return Consent(
        CHANGED, f"it changed since a person allowed it: {'; '.join(differences)}; {_HELP}", differences
    )


def read(root: str, environment: Mapping[str, str]) -> JsonObject | None:
    """
    Return what a person allowed for a project: `digest`, `covered`, `at`, `root`; None for nothing.

    Raises:
        exitgate.core.system.folders.Refused: The file is in the project, not the user's alone, or not as it
            was written.
    """
    from exitgate.core.system.quick_json import loads

    path = place(environment)
    if not os.path.lexists(path):
        return None
    _check_outside(path, root)
    folder = folders.open_folder(path)
    try:
        raw = folders.read(folder, _name(root, environment), _LARGEST)
    finally:
        portable.close(folder)
    if raw is None:
        return None
    try:
        found = object_or_none(loads(raw.decode()))
    except (ValueError, RecursionError):
        found = None
    fits = (
        found is not None
        and found.get("format") == FORMAT
        and found.text("root") == project_folder(root, environment)
    )
    if found is None or not fits or found.text("digest") != digest_of(found.object("covered")):
        raise folders.Refused("its record is not as `exitgate trust` wrote it")
    return found


def allow(policy: CompiledPolicy, root: str, environment: Mapping[str, str], now: float) -> str:
    """
    Record that a person allowed the commands of a project; return the path of the record.

    Raises:
        exitgate.core.system.folders.Refused: It cannot be written.
    """
    from exitgate.core.system.quick_json import dumps

    whole, path = covered(policy), place(environment)
    _check_outside(path, root)
    record = {
        "format": FORMAT,
        "root": project_folder(root, environment),
        "digest": digest_of(whole),
        "at": now,
        "covered": whole,
    }
    folder = folders.open_folder(path, make=True)
    try:
        folders.write(folder, _name(root, environment), dumps(record).encode())
    finally:
        portable.close(folder)
    return os.path.join(path, _name(root, environment))


def revoke(root: str, environment: Mapping[str, str]) -> bool:
    """Forget what was allowed for a project; return whether there was anything. Raises as `read`."""
    path = place(environment)
    if not os.path.lexists(os.path.join(path, _name(root, environment))):
        return False
    folder = folders.open_folder(path)
    try:
        folders.remove(folder, _name(root, environment))
    finally:
        portable.close(folder)
    return True


def place(environment: Mapping[str, str]) -> str:
    """Return the folder of the records: below XDG_STATE_HOME or ``~/.local/state``. Raises Refused."""
    try:
        return os.path.join(portable.user_folder(environment, portable.STATES), probes.CONSENTS)
    except LookupError as error:
        raise folders.Refused(str(error)) from error


def _check_outside(path: str, root: str) -> None:
    """Raise Refused for a folder in the project, where a clone could bring a record of its own."""
    from exitgate.core.plugins.permissions import folders_of, is_inside

    if is_inside(path, folders_of(root)):
        raise folders.Refused(f"`{path}` is in the project; what you allowed is kept outside of it")


def _is_recorded(root: str, environment: Mapping[str, str]) -> bool:
    """Return whether there is a record for a project, be it one that cannot be read."""
    try:
        return os.path.lexists(os.path.join(place(environment), _name(root, environment)))
    except folders.Refused:
        return False


def compare(before: JsonObject, now: JsonObject) -> tuple[str, ...]:
    """Return how what is covered differs from what was, one line for each difference."""
    return (*_compared("verify", before, now), *_compared("probes", before, now))


def _compared(section: str, before: JsonObject, now: JsonObject) -> Iterable[str]:
    old, new = before.object(section), now.object(section)
    for name in sorted({*old, *new}):
        was, is_ = old.get(name), new.get(name)
        if was == is_:
            continue
        if section == "verify":
            yield f"what has to pass for `{name}` was {_listed(was)}, now {_listed(is_)}"
        elif is_ is None:
            yield f"the probe `{name}` is gone"
        elif was is None:
            yield f"the probe `{name}` is new"
        else:
            one, other = object_of(was), object_of(is_)
            keys = sorted(key for key in {*one, *other} if one.get(key) != other.get(key))
            first, second = (Probe(name, each).shown()[:_COMMAND] for each in (one, other))
            ran = f": `{first}`, now `{second}`" if "command" in keys or "shell" in keys else ""
            yield f"the probe `{name}` has another {', '.join(f'`{key}`' for key in keys)}{ran}"


def _listed(names: object) -> str:
    return ", ".join(f"`{name}`" for name in texts_of(names)) or "nothing"


def _name(root: str, environment: Mapping[str, str]) -> str:
    return hex_digest(project_folder(root, environment).encode("utf-8", "surrogateescape")) + ".json"


#: Outcome of a run that does not complete because what guards it changed.
OUTCOME = "gate_changed"


def for_review(decision: Decision, said: str, run: str) -> Decision:
    """Return the decision of run id `run`, of which what guards it changed, `said`: it ends for review."""
    if not said:
        return decision
    import shlex

    name = name_of(run)
    begin = "exitgate new-run" + (f" {shlex.quote(name)}" if name != DEFAULT_NAME else "")
    return Decision(
        EXIT, "review", OUTCOME, None, f"What guards this run changed: {said}", decision.stage,
        True, decision.blind, (), decision.warnings, decision.shadows, decision.steps, "",
        f"Nothing was run: {said}. If the change is yours, `exitgate trust`, then `{begin}`.",
    )  # fmt: skip


# What of a policy could let a run complete that has not earned it.


def strength(policy: CompiledPolicy) -> str:
    """
    Return the digest of all that decides whether a run completes where probes have to pass.

    That is what consent covers, the rules that complete and those that ask a probe, what these rest on, and
    what says which signs of tampering count, such as the files that are protected.
    """
    found = [policy.name, digest_of(covered(policy))]
    trees: list[Node] = []
    names = {entry.prefix for entry in policy.extractions if entry.extractor in ASKING}
    for rule in policy.rules:
        uses = {name.partition(".")[0] for name in _used("fact", [rule.when], policy)}
        if (rule.effect == EXIT.lower() and rule.exit_class == COMPLETE) or uses & names:
            found.append(
                "|".join((rule.id, rule.effect, rule.exit_class or "", rule.mode, rule.stage, rule.text))
            )
            trees.append(rule.when)
    found += [
        f"{entry.prefix}={digest_of_plain(entry.options)}"
        for entry in policy.extractions
        if entry.extractor == TAMPERING
    ]
    values = policy.values()
    found += [f"${name}={values.get(name)!r}" for name in sorted(_used("parameter", trees, policy))]
    found += [
        f"@{name}={policy.conditions[name].to_json()}" for name in sorted(_used("condition", trees, policy))
    ]
    return hex_digest("\n".join(found).encode("utf-8", "surrogateescape"))


def _used(kind: str, trees: Iterable[Node], policy: CompiledPolicy) -> set[str]:
    """Return the names of one kind in trees, also by way of named conditions."""
    found: set[str] = set()
    seen: set[str] = set()
    todo = list(trees)
    while todo:
        uses = todo.pop().uses()
        found.update(uses.get(kind, ()))
        fresh = set(uses.get("condition", ())) - seen
        seen |= fresh
        todo += [policy.conditions[name] for name in fresh]
    return found
