"""What a tests.yaml says, ready to run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from exitgate.core.engine.program import Program
from exitgate.core.model.diagnostic import Location
from exitgate.core.model.spelling import suggestion
from exitgate.core.model.value import Value
from exitgate.core.policy.compile import load_policy
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.findings import Findings
from exitgate.core.policy.yaml.document import Document

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.cases.load import Path
    from exitgate.testing.cases.recordings import Recording
    from exitgate.testing.compare import View


@dataclass(frozen=True, slots=True)
class Want:
    """
    One thing a case expects of one iteration.

    Args:
        iteration: 1-based.
        key: Key of `expect:`, for example ``verdict`` or ``facts``.
        subject: The fact or rule it is about, for keys that hold a mapping; else the empty text.
        value: What is wanted: a value of the fact's type for ``facts``, plain YAML data for the rest.
        place: Where it is written.
    """

    iteration: int
    key: str
    subject: str
    value: object
    place: Location


@dataclass(frozen=True, slots=True)
class Case:
    """
    One case, its table and grid spread, its values of the types of their facts.

    Args:
        name: Unique in its file.
        place: Where it is written; for a row of a table, the row.
        note: Why it is there, or the empty text.
        given: For each iteration, oldest first, the values of facts that were given.
        sources: For each iteration its sources, as texts or records.
        settings: Texts for the policy's parameters.
        stage: The stage to decide.
        agent_exit: Exit status of the agent in the last iteration, or None.
        wants: What is expected.
        profile: The profile of the policy that the case asks for, or None.
        recording: The recorded run that is given, instead of sources; or None.
        as_checked: Whether the stages are asked that a check after each recorded iteration would ask.
    """

    name: str
    place: Location
    note: str
    given: tuple[Mapping[str, object], ...]
    sources: tuple[Mapping[str, object], ...]
    settings: Mapping[str, str]
    stage: str
    agent_exit: int | None
    wants: tuple[Want, ...]
    profile: str | None = None
    recording: Recording | None = None
    as_checked: bool = False

    def stages(self, iteration: int, *, is_error: bool) -> tuple[str, ...]:
        """
        Return the stages to decide at an iteration, from 1; each where those before it say CONTINUE.

        `is_error` is that of the iteration as it was observed.
        """
        if self.recording is not None and self.as_checked:
            return self.recording.stages(iteration, is_error=is_error)
        return (self.stage,)


@dataclass(frozen=True, slots=True)
class Failure:
    """
    One expectation that was not met.

    `wanted` and `got` are for people; `detail` holds further lines: the condition of the rule in
    question with values written in, and the nearest cause.
    """

    want: Want
    wanted: str
    got: str
    detail: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """
    A case that was run; it passed when there are no failures.

    `views` are the decided iterations by number, from 1.
    """

    case: Case
    failures: tuple[Failure, ...]
    views: Mapping[int, View] = field(default_factory=dict, compare=False, repr=False)


# The cases of one file together with the policy they are for.


class Under(Value):
    """Name of a profile, or None, and texts for parameters, by name."""

    __slots__ = ("profile", "settings")

    def __init__(self, profile: str | None = None, settings: Mapping[str, str] | None = None) -> None:
        self.profile = profile
        self.settings = settings or {}


NOTHING = Under()


class Suite:
    """
    The cases of one file with the policy they are for; programs are compiled once for each setting.

    Args:
        reference: Path or name of the policy.
        policy: It, compiled under `under`.
        cases: In the order written, tables and grids spread.
        document: The file.
        under: Profile and settings that hold where a case says nothing else.
    """

    def __init__(
        self,
        reference: str,
        policy: CompiledPolicy,
        cases: tuple[Case, ...],
        document: Document,
        under: Under,
    ) -> None:
        self.policy = policy
        self.cases = cases
        self.document = document
        self.under = under
        self.reference = reference
        self._programs: dict[object, Program] = {_key(under): Program(policy)}

    @property
    def unset(self) -> Program:
        """The policy's program without settings of a case."""
        return self._programs[_key(self.under)]

    def program(self, case: Case) -> Program:
        """Return the policy's program under the case's profile and settings. Raises `ExitgateError`."""
        under = Under(case.profile or self.under.profile, {**self.under.settings, **case.settings})
        key = _key(under)
        found = self._programs.get(key)
        if found is None:
            policy = load_policy(self.reference, settings=under.settings, profile=under.profile)
            found = self._programs[key] = Program(policy)
        return found


def _key(under: Under) -> object:
    return under.profile, tuple(sorted(under.settings.items()))


# Problems in one tests.yaml, named by the path in the document where they are.

#: What each code stands for, one line each.
CODES = {
    "EP447": "a test gives a source that no fact of the policy uses",
    "EP490": "a test names a fact the policy does not have",
    "EP491": "a value does not match its fact or parameter",
    "EP492": "a series cannot be read or has another length",
    "EP493": "a test sets a parameter the policy does not have",
    "EP494": "a fact is given twice",
    "EP495": "an expectation that no decision can meet",
    "EP496": "an iteration the case does not have",
    "EP497": "a test names a rule the policy does not have",
    "EP498": "a table or grid cannot be expanded",
    "EP499": "two cases with the same name",
    "EP500": "the selection of tests cannot be read",
    "EP501": "no tests were found",
    "EP502": "no test is selected",
    "EP503": "a recorded run of a test cannot be used",
    "EP504": "a test gives texts beside its recorded run",
    "EP505": "an expectation that cannot be updated",
}


class Problems:
    """Adds problems of one document to the findings, each once."""

    def __init__(self, document: Document, findings: Findings) -> None:
        self._document = document
        self._findings = findings

    def add(self, code: str, message: str, path: Path, advice: str = "") -> None:
        """Add a problem with what is at `path` of the document."""
        self._findings.error(code, message, self._document.place(path), advice)

    def no_such(self, code: str, noun: str, name: str, path: Path, names: Iterable[str]) -> None:
        """Add that the policy has no `noun` called `name`; the help says the nearest of `names`."""
        self.add(code, f"there is no {noun} `{name}`", path, suggestion(name, names, f"{noun}s"))

    @property
    def any(self) -> bool:
        """Whether anything was found."""
        return self._findings.errors() > 0
