"""What is written differently in two policies, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from exitgate.analysis.results.answer import PROVED, Answer
from exitgate.core.model.value import Value
from exitgate.core.policy.compiled import CompiledPolicy

Run = Sequence[Mapping[str, object]]


ADDED, REMOVED, CHANGED, MOVED, RENAMED = "added", "removed", "changed", "moved", "renamed"

#: Sections of a policy, in the order of the file.
POLICY, PARAMETERS, PROFILES, LISTS, FACTS, CONDITIONS, CIRCUIT = (
    "policy", "parameters", "profiles", "lists", "facts", "conditions", "circuit",
)  # fmt: skip
RULES, OTHERWISE, UNDETERMINED, INVARIANTS, VIEWS, MASK = (
    "rules", "otherwise", "undetermined", "invariants", "views", "mask",
)  # fmt: skip
SECTIONS = (
    POLICY, PARAMETERS, PROFILES, LISTS, FACTS, CONDITIONS, CIRCUIT, RULES, OTHERWISE, UNDETERMINED,
    INVARIANTS, VIEWS, MASK,
)  # fmt: skip


class Side(Value):
    """
    One of the two policies.

    Args:
        label: What the user called it.
        policy: It, compiled.
        declared: What the file says beside that and no decision rests on by itself, plain data by key:
            ``doc``, ``profiles``, ``lists``; keys that are not written are missing.
    """

    __slots__ = ("declared", "label", "policy")

    def __init__(
        self, label: str, policy: CompiledPolicy, declared: Mapping[str, object] | None = None
    ) -> None:
        self.label = label
        self.policy = policy
        self.declared = declared or {}


class Detail(Struct, frozen=True):
    """One property of a thing: its text in the first and in the second policy, None where it has none."""

    property: str
    before: str | None
    after: str | None


class Change(Value):
    """
    One element that differs between the second policy and the first.

    Args:
        section: One of `SECTIONS`.
        name: Its name there: a parameter, a fact, the id of a rule; the section's own for what is one.
        kind: `ADDED`, `REMOVED`, `CHANGED`, `MOVED` (a rule that may have changed as well) or `RENAMED`.
        details: The differences; the whole element if it was added or removed.
        was: The former name of what was renamed; the place in the chain of what was moved, in words.
        now: For what was moved: its place now.
    """

    __slots__ = ("details", "kind", "name", "now", "section", "was")

    def __init__(
        self,
        section: str,
        name: str,
        kind: str,
        details: tuple[Detail, ...] = (),
        was: str = "",
        now: str = "",
    ) -> None:
        self.section = section
        self.name = name
        self.kind = kind
        self.details = details
        self.was = was
        self.now = now

    def of(self, property: str) -> Detail | None:
        """Return what is different in one property, or None."""
        return next((one for one in self.details if one.property == property), None)


# What is decided differently by two policies, as plain values.


class Result(Struct, frozen=True):
    """What one policy says to an input: the decision, the rule that made it, the warn rules that are true."""

    verdict: str
    exit_class: str | None
    outcome: str
    rule: str | None
    warnings: tuple[str, ...] = ()

    @property
    def decides(self) -> tuple[str, str | None, str]:
        """Verdict, class and outcome: what a loop acts on."""
        return self.verdict, self.exit_class, self.outcome


class Kind(Struct, frozen=True):
    """
    A kind of input on which two policies decide differently.

    Args:
        stage: The stage asked.
        before, after: What the first and the second say to the example.
        run: The example: facts of each iteration, oldest first, unknown ones left out. The engine said
            both results.
        points: How many of the points looked at one by one are of this kind.
    """

    stage: str
    before: Result
    after: Result
    run: Run
    points: int


class Decided(Struct, frozen=True):
    """
    What the walk over both found.

    Args:
        kinds: Where verdict, class or outcome differ, the most frequent first.
        warned: Where only warnings do.
        rest: Of the claim that nothing else is decided differently, on the facts: proved or not decided.
            Its points are those settled by the walk, region by region; 0 where no walk was needed.
        quiet: Of the claim that no other warning differs, likewise.
        points: Points of the stages that were looked at one by one, to count kinds.
        every: Whether these were all there are; else they were drawn, always the same ones.
        only_before, only_after: Facts that decide in one of the two and that the other cannot have.
    """

    kinds: tuple[Kind, ...]
    warned: tuple[Kind, ...]
    rest: Answer
    quiet: Answer
    points: int
    every: bool
    only_before: tuple[str, ...] = ()
    only_after: tuple[str, ...] = ()

    @property
    def differ(self) -> bool | None:
        """Whether some input is decided differently; None where that is not decided."""
        if self.kinds:
            return True
        return False if self.rest.status == PROVED else None


class Unobservable(Struct, frozen=True):
    """
    What may change a decision and cannot be seen from facts.

    Args:
        reading: Entries of facts, by name, that both have and that are read differently.
        breaker: Conditions of the breaker, by name, that differ: when it opens or closes.
        silence: After how many blind decisions a run ends, differs.
    """

    reading: tuple[str, ...]
    breaker: tuple[str, ...]
    silence: bool

    def __bool__(self) -> bool:
        return bool(self.reading or self.breaker or self.silence)


# A reason to raise the version of a policy.

PATCH, MINOR, MAJOR = "patch", "minor", "major"


class Need(Struct, frozen=True):
    """
    A reason to raise a version.

    Args:
        level: `PATCH`, `MINOR` or `MAJOR`.
        why: The reason, a sentence part.
        section, name: What it is about, as in `Change`; both empty for a decision.
        kind: The input that is decided differently, where that is the reason.
    """

    level: str
    why: str
    section: str = ""
    name: str = ""
    kind: Kind | None = None


# What each kind of change asks of a version: the one table behind `release-check`, lint and the docs.

LEVELS = (PATCH, MINOR, MAJOR)


class Asked(Struct, frozen=True):
    """
    What one kind of change asks for.

    Args:
        level: `PATCH`, `MINOR` or `MAJOR`.
        why: The reason, a sentence part, as `release-check` says it.
        what: The kind in a word or two, in the plural, for a summary.
    """

    level: str
    why: str
    what: str


#: Kind of change -> what it asks for.
TABLE = {
    "words": Asked(PATCH, "words changed", "words"),
    "added": Asked(MINOR, "it was added", "additions"),
    "warning": Asked(MINOR, "a warning differs", "warnings"),
    "moved": Asked(MINOR, "it moved", "rewritings that decide the same"),
    "rewritten": Asked(MINOR, "it is written differently", "rewritings that decide the same"),
    "computed": Asked(MINOR, "it is computed differently", "rewritings that decide the same"),
    "wider": Asked(MINOR, "more values are allowed", "wider bounds"),
    "unlocked": Asked(MINOR, "it is not locked", "removed locks"),
    "invariants": Asked(MINOR, "the invariants changed", "invariants"),
    "mask": Asked(MINOR, "what is masked changed", "secrets"),
    "decision": Asked(MAJOR, "an input is decided differently", "decisions"),
    "default": Asked(MAJOR, "its default changed", "defaults"),
    "type": Asked(MAJOR, "it has another type", "types"),
    "tighter": Asked(MAJOR, "values that were allowed are not", "tighter bounds"),
    "removed": Asked(MAJOR, "it was removed, and others may name it", "names that are gone"),
    "setting": Asked(MAJOR, "it was removed, and settings may name it", "names that are gone"),
    "renamed": Asked(MAJOR, "it was called `{}`, and settings may name that", "names that are gone"),
    "fact": Asked(MAJOR, "`{}` is no longer a fact, and others may name it", "names that are gone"),
    "name": Asked(MAJOR, "it has another name", "names that are gone"),
    "locked": Asked(MAJOR, "it is locked, and settings may change it", "locks"),
    "reading": Asked(
        MAJOR, "it is read differently, and what that changes cannot be seen from facts", "what is read"
    ),
    "values": Asked(MAJOR, "its users get something else", "values of profiles and views"),
    "retry": Asked(MAJOR, "a waiting run resumes at another time", "times to wait"),
    "breaker": Asked(
        MAJOR, "the breaker moves differently, which the facts of a rule do not show", "the breaker"
    ),
    "silence": Asked(MAJOR, "silence ends a run after a different number of iterations", "silence"),
}


def summary(level: str) -> str:
    """Return the kinds of change that ask for a level, with commas between them."""
    return ", ".join(dict.fromkeys(asked.what for asked in TABLE.values() if asked.level == level))
