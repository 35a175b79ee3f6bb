"""A policy ready to decide: plain values and checked trees, JSON as it is."""

from __future__ import annotations

from exitgate.core.model.json_object import as_object
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.language.tree import Node
    from exitgate.core.model.diagnostic import Location
    from exitgate.core.model.fact import FactSpec
    from exitgate.core.model.value import Type

    #: A fact's name or ``$parameter``; or a fact's name and how many of its last values are listed; or a
    #: fact's name, ``""`` and the text that is in its place while it is unknown.
    Slot = tuple[str] | tuple[str, str] | tuple[str, str, str]
    #: A message: texts and slots.
    Template = tuple[str | Slot, ...]


#: The fact that tells a message the numbers of the iterations it lists.
NUMBER = "run.iterations"
#: Most values that a message lists of one fact.
LISTED = 50


def listed(number: str, values: Mapping[str, object]) -> int:
    """Return how many iterations a slot lists, from 1 to `LISTED`: `number` is digits or a ``$parameter``."""
    found = values.get(number[1:]) if number.startswith("$") else int(number) if number.isdecimal() else None
    return min(max(found, 1), LISTED) if isinstance(found, int) else 1


class Parameter(Value):
    """A typed, bounded knob with its effective value and the place that set it."""

    __slots__ = ("default", "doc", "high", "low", "name", "place", "type", "value")

    def __init__(
        self,
        name: str,
        type: Type,
        value: object,
        default: object,
        low: float | None,
        high: float | None,
        doc: str,
        place: Location | None,
    ) -> None:
        self.name = name
        self.type = type
        self.value = value
        self.default = default
        self.low = low
        self.high = high
        self.doc = doc
        self.place = place


class Extraction(Value):
    """
    One entry under `facts:` that an extractor fills.

    `prefix` is the policy's name for it (``tasks``), `extractor` the id in the registry,
    `source` the name of the source, `options` plain JSON with lexicons, guards and parameters
    resolved, `parameters` the names of those that were there, `unasked` the facts behind the prefix
    that are observed only where a policy names them, as this one does not.
    """

    __slots__ = ("extractor", "options", "parameters", "prefix", "source", "unasked")

    def __init__(
        self,
        prefix: str,
        extractor: str,
        source: str,
        options: Mapping[str, object],
        parameters: tuple[str, ...] = (),
        unasked: tuple[str, ...] = (),
    ) -> None:
        self.prefix = prefix
        self.extractor = extractor
        self.source = source
        self.options = as_object(options)
        self.parameters = parameters
        self.unasked = unasked

    def asks(self, name: str) -> bool:
        """Return whether the policy wants the fact of this name behind the prefix."""
        return name not in self.unasked


class PointsRow(Value):
    """A row of a points fact: `add` counts only when `when` is definitely true."""

    __slots__ = ("add", "because", "when")

    def __init__(self, when: Node, add: float, because: str) -> None:
        self.when = when
        self.add = add
        self.because = because


class Derived(Value):
    """
    A fact computed from other facts: `rows` of points within `low`..`high`, a `formula`, or progress.

    `unknown_rows` says what unknown rows of points do: `OPEN` or `ADD_NOTHING` of
    `exitgate.core.policy.points`.

    Progress names its `signals`: the facts whose movement within the run it looks at, and how each
    `moves` (`exitgate.core.facts.extractors.progress.Signal`). Of type bool it says whether any moved, as a
    list which of them did, as a count how many could tell.
    """

    __slots__ = ("formula", "high", "low", "moves", "name", "rows", "signals", "type", "unknown_rows")

    def __init__(
        self,
        name: str,
        type: Type,
        rows: tuple[PointsRow, ...] = (),
        formula: Node | None = None,
        low: float | None = None,
        high: float | None = None,
        signals: tuple[str, ...] = (),
        moves: tuple[str, ...] = (),
        unknown_rows: str = "open",
    ) -> None:
        self.unknown_rows = unknown_rows
        self.name = name
        self.type = type
        self.rows = rows
        self.formula = formula
        self.low = low
        self.high = high
        self.signals = signals
        self.moves = moves or ("",) * len(signals)

    def trees(self) -> tuple[Node, ...]:
        """Return the conditions of its points, or its formula; none of progress."""
        rows = tuple([row.when for row in self.rows])
        return rows if self.formula is None else (*rows, self.formula)


class Opening(Value):
    """One reason for the breaker to open: `id` is what `circuit.reason` says; `text` is canonical."""

    __slots__ = ("id", "place", "text", "when")

    def __init__(self, id: str, when: Node, text: str, place: Location | None = None) -> None:
        self.id = id
        self.when = when
        self.text = text
        self.place = place


class Breaker(Value):
    """
    The breaker of a policy.

    Args:
        openings: Any of them definitely true opens it.
        watch: CLOSED to HALF_OPEN, or None.
        close: HALF_OPEN to CLOSED, or None: then only a reset closes it.
        cooldown: Seconds after which an OPEN breaker lets one iteration through, or None.
    """

    __slots__ = ("close", "cooldown", "openings", "watch")

    def __init__(
        self,
        openings: tuple[Opening, ...],
        watch: Node | None = None,
        close: Node | None = None,
        cooldown: float | None = None,
    ) -> None:
        self.openings = openings
        self.watch = watch
        self.close = close
        self.cooldown = cooldown

    def conditions(self) -> tuple[Node, ...]:
        """Return every condition it has."""
        others = tuple(node for node in (self.watch, self.close) if node is not None)
        return (*(opening.when for opening in self.openings), *others)


class Rule(Value):
    """
    One rule of the priority chain.

    Args:
        id: Its id within the policy.
        effect: ``exit``, ``continue`` or ``warn``.
        exit_class: For ``exit``: the class.
        outcome: Reason code of a decision it makes.
        mode: ``enforce``, ``warn`` or ``shadow``.
        stage: One of `exitgate.core.model.decision.STAGES`.
        when: Checked condition, with `@conditions` still named.
        text: Canonical text of the condition.
        because, advice, escalation: Message templates.
        locked: No later layer may change it or put a deciding rule before it.
        place: Where it is.
        retry_after: For class ``wait``: checked expression of type duration, how long after the
            decision the run may go on, or None.
        on_silence: True where the author allows it to exit on silence, with a reason.
    """

    __slots__ = (
        "advice", "because", "effect", "escalation", "exit_class", "id", "locked", "mode",
        "on_silence", "outcome", "place", "retry_after", "stage", "text", "when",
    )  # fmt: skip

    def __init__(
        self,
        id: str,
        effect: str,
        exit_class: str | None,
        outcome: str,
        when: Node,
        text: str,
        because: Template = (),
        mode: str = "enforce",
        stage: str = "after_iteration",
        advice: Template = (),
        escalation: Template = (),
        locked: bool = False,
        on_silence: bool = False,
        place: Location | None = None,
        retry_after: Node | None = None,
    ) -> None:
        self.id = id
        self.effect = effect
        self.exit_class = exit_class
        self.outcome = outcome
        self.when = when
        self.text = text
        self.because = because
        self.mode = mode
        self.stage = stage
        self.advice = advice
        self.escalation = escalation
        self.locked = locked
        self.on_silence = on_silence
        self.place = place
        self.retry_after = retry_after


class Invariant(Value):
    """A promise of the policy for one stage: `claim` is ``always`` or ``never``, `verdict` what of."""

    __slots__ = ("claim", "given", "id", "place", "stage", "text", "verdict")

    def __init__(
        self,
        id: str,
        given: Node,
        text: str,
        claim: str,
        verdict: str,
        place: Location | None = None,
        stage: str = "after_iteration",
    ) -> None:
        self.id = id
        self.given = given
        self.text = text
        self.claim = claim
        self.verdict = verdict
        self.place = place
        self.stage = stage


class CompiledPolicy(Value):
    """
    Everything a decision needs, resolved and checked.

    Args:
        name, format, version, title: As in the document.
        digest: Hex BLAKE2b over all that was read to make it.
        path: File it came from, as the user named it, or ``shipped:NAME``.
        parameters: By name, in order.
        extractions: In order; built-in ones (`clock`, `run`, `output`, `git`, `circuit`) included
            where a condition or message uses them.
        derived: Points, formulas and progress, in an order in which each only uses earlier facts.
        facts: Full name -> spec, every fact a condition of this policy could name.
        conditions: Checked trees of `conditions:`, by name.
        rules: In chain order, disabled rules left out.
        otherwise_message: Template for a decision no rule made.
        exit_after_blind: `undetermined.exit_after`, or None.
        unreadable: Fact -> value it takes instead of being unknown, as the policy declares.
        invariants: As written.
        lookback: How many earlier iterations any condition or message can read.
        warnings: Diagnostics of severity warning or note found while compiling.
        breaker: The breaker the policy keeps itself, or None.
        layers: Plain JSON: ``read`` has ``[layer, file, digest]`` of each file of settings that says
            something, ``until`` has ``[rule, last day, mode, place]`` of each exception with a date,
            ``fetched`` has ``[source, what is pinned, digest]`` of each package and repository.
        views: View -> its place and fields, plain JSON; see `exitgate.core.policy.sections.views`.
        mask: Shapes of secrets to hide: `id`, `markers`, `pattern`.
    """

    __slots__ = (
        "breaker", "conditions", "derived", "digest", "exit_after_blind", "extractions", "facts", "format",
        "invariants", "layers", "lookback", "mask", "name", "otherwise_message", "parameters", "path",
        "rules", "title", "unreadable", "version", "views", "warnings",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        format: int,
        version: str,
        title: str,
        digest: str,
        path: str,
        parameters: Mapping[str, Parameter],
        extractions: tuple[Extraction, ...],
        derived: tuple[Derived, ...],
        facts: Mapping[str, FactSpec],
        conditions: Mapping[str, Node],
        rules: tuple[Rule, ...],
        otherwise_message: Template,
        exit_after_blind: int | None,
        unreadable: Mapping[str, object],
        invariants: tuple[Invariant, ...],
        lookback: int,
        warnings: tuple[object, ...] = (),
        breaker: Breaker | None = None,
        layers: Mapping[str, object] | None = None,
        mask: tuple[Mapping[str, object], ...] = (),
        views: Mapping[str, Mapping[str, str]] | None = None,
    ) -> None:
        self.name = name
        self.format = format
        self.version = version
        self.title = title
        self.digest = digest
        self.path = path
        self.parameters = parameters
        self.extractions = extractions
        self.derived = derived
        self.facts = facts
        self.conditions = conditions
        self.rules = rules
        self.otherwise_message = otherwise_message
        self.exit_after_blind = exit_after_blind
        self.unreadable = unreadable
        self.invariants = invariants
        self.lookback = lookback
        self.warnings = warnings
        self.breaker = breaker
        self.layers = layers or {}
        self.mask = mask
        self.views = views or {}

    def values(self) -> dict[str, object]:
        """Return the effective value of every parameter by name."""
        return {name: parameter.value for name, parameter in self.parameters.items()}
