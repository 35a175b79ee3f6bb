"""What ran of policies' tests, as every form of output reads it."""

from __future__ import annotations

from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.model.diagnostic import Diagnostic
    from exitgate.model.place import Place

CASE, INVARIANT = "case", "invariant"


class Miss(Value):
    """
    One expectation that was not met.

    Args:
        key: What was looked at: ``rule``, ``facts``.
        subject: The fact or rule it is about, or the empty text.
        iteration: 1-based.
        iterations: How many the case has.
        place: Where the expectation is written.
        wanted: What was expected, for people.
        got: What was found, for people.
        why: Lines on how it came about: the condition with values written in, the nearest cause.
    """

    __slots__ = ("got", "iteration", "iterations", "key", "place", "subject", "wanted", "why")

    def __init__(
        self,
        key: str,
        subject: str,
        iteration: int,
        iterations: int,
        place: Place,
        wanted: str,
        got: str,
        why: tuple[str, ...] = (),
    ) -> None:
        self.key = key
        self.subject = subject
        self.iteration = iteration
        self.iterations = iterations
        self.place = place
        self.wanted = wanted
        self.got = got
        self.why = why

    @property
    def what(self) -> str:
        """What was looked at, and at which iteration where there are several."""
        what = f"{self.key} of `{self.subject}`" if self.subject else self.key
        where = f" at iteration {self.iteration} of {self.iterations}" if self.iterations > 1 else ""
        return what + where


class Ran(Value):
    """
    A case or an invariant that was run.

    Args:
        kind: `CASE` or `INVARIANT`.
        name: Of the case, or id of the invariant.
        place: Where it is written, or None.
        note: Why it is there, or the empty text.
        seconds: How long it took.
        misses: Expectations of a case that were not met.
        broken: Lines on an invariant that is broken or was never put to the test.
    """

    __slots__ = ("broken", "kind", "misses", "name", "note", "place", "seconds")

    def __init__(
        self,
        kind: str,
        name: str,
        place: Place | None,
        note: str = "",
        seconds: float = 0.0,
        misses: tuple[Miss, ...] = (),
        broken: tuple[str, ...] = (),
    ) -> None:
        self.kind = kind
        self.name = name
        self.place = place
        self.note = note
        self.seconds = seconds
        self.misses = misses
        self.broken = broken

    @property
    def failed(self) -> bool:
        """Whether something is not as promised."""
        return bool(self.misses or self.broken)

    @property
    def title(self) -> str:
        """Its name, that of an invariant with the word before it."""
        return self.name if self.kind == CASE else f"{INVARIANT} {self.name}"


class RanFile(Value):
    """
    One file of tests.

    Args:
        path: As the user would write it.
        policy: Name of the policy under test, or the empty text for a file that cannot be used.
        version: Of the policy.
        ran: Its cases and the policy's invariants that were run, in order.
        seconds: How long all of it took, reading and compiling included.
        diagnostics: What is wrong with a file that cannot be used.
        code: Exit code that those ask for, or 0.
    """

    __slots__ = ("code", "diagnostics", "path", "policy", "ran", "seconds", "version")

    def __init__(
        self,
        path: str,
        policy: str = "",
        version: str = "",
        ran: tuple[Ran, ...] = (),
        seconds: float = 0.0,
        diagnostics: tuple[Diagnostic, ...] = (),
        code: int = 0,
    ) -> None:
        self.path = path
        self.policy = policy
        self.version = version
        self.ran = ran
        self.seconds = seconds
        self.diagnostics = diagnostics
        self.code = code

    @property
    def failed(self) -> tuple[Ran, ...]:
        """Those that failed."""
        return tuple(one for one in self.ran if one.failed)


class RanAll(Value):
    """
    All files.

    Args:
        files: In the order in which they were run.
        left_out: Cases and invariants that were not selected.
        stopped: Whether it ended at the first failure, with something left to run.
    """

    __slots__ = ("files", "left_out", "stopped")

    def __init__(self, files: tuple[RanFile, ...], left_out: int = 0, stopped: bool = False) -> None:
        self.files = files
        self.left_out = left_out
        self.stopped = stopped

    @property
    def ran(self) -> tuple[Ran, ...]:
        """Everything that was run."""
        return tuple(one for file in self.files for one in file.ran)

    @property
    def failed(self) -> tuple[Ran, ...]:
        """Everything that failed."""
        return tuple(one for one in self.ran if one.failed)

    @property
    def unusable(self) -> tuple[RanFile, ...]:
        """The files that could not be run."""
        return tuple(file for file in self.files if file.code)

    @property
    def seconds(self) -> float:
        """How long all files took."""
        return sum(file.seconds for file in self.files)
