"""What a probe is: a named question to the world, as the settings define it."""

from __future__ import annotations

from exitgate.core.model.json_object import object_of, whole_of
from exitgate.core.model.value import Value
from exitgate.core.system.digest import digest_of_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.core.model.json_object import JsonObject
    from exitgate.core.policy.compiled import CompiledPolicy


#: How long a result counts: while the working tree is the same, in its iteration; or so many seconds.
TREE, ITERATION = "tree", "iteration"
#: What is read by default, and the name of standard output among reports.
EXIT_STATUS, STANDARD_OUTPUT = "exit_status", "-"
#: Seconds that a command may take by default.
TIMEOUT = 300.0
#: What a judge is shown by default.
SEEN = ("response", "plan", "diff", "probes")
_SECONDS = {"s": 1, "m": 60, "h": 3600}


class Probe(Value):
    """
    A question to the world.

    Args:
        name: Of the settings.
        words: Program and arguments.
        timeout: Seconds that it may take.
        format: `EXIT_STATUS`, or the format of the report that it writes.
        report: Where that is: a path below the root, or `STANDARD_OUTPUT`; empty for the exit status.
        expect: JSON pointer -> what has to be there.
        writes: Paths below the root that it writes.
        valid_for: `TREE`, `ITERATION` or seconds.
        environment: Names of variables that it gets beside the usual ones.
        judge: The condition in words; empty for a command.
        sees: What a judge is shown.
        judges: How often a judge is asked.
        digest: Of its definition.
    """

    __slots__ = (
        "_shell", "digest", "environment", "expect", "format", "judge", "judges", "name", "report", "sees",
        "timeout", "valid_for", "words", "writes",
    )  # fmt: skip

    def __init__(self, name: str, plain: JsonObject) -> None:
        self.name = name
        self._shell = plain.text("shell", "")
        self.words = ("sh", "-c", self._shell) if self._shell else plain.texts("command")
        self.timeout = seconds_of(plain.get("timeout"), TIMEOUT)
        reads = object_of(plain.get("reads"))
        self.format, report = next(iter(reads.items()), (EXIT_STATUS, ""))
        self.report = str(report)
        self.expect: Mapping[str, object] = object_of(plain.get("expect"))
        self.writes = plain.texts("writes")
        valid = plain.get("valid_for", TREE)
        self.valid_for: str | float = valid if valid in (TREE, ITERATION) else seconds_of(valid, 0.0)
        self.environment = plain.texts("environment")
        self.judge = plain.text("judge", "")
        self.sees = plain.texts("sees") if "sees" in plain else SEEN
        self.judges = whole_of(plain.get("judges")) or 1
        self.digest = digest_of_plain({"name": name, **plain})

    def shown(self) -> str:
        """Return the line of `shell:`, or every word of the command, quoted as a person would for a shell."""
        import shlex

        return self._shell or shlex.join(self.words)


def definitions(policy: CompiledPolicy) -> dict[str, Probe]:
    """Return the probes that the layers of a policy define, by name."""
    found = object_of(policy.layers.get("probes"))
    return {name: Probe(name, object_of(plain)) for name, plain in found.items()}


def longest(policy: CompiledPolicy) -> float:
    """Return the seconds that all probes of a policy's settings may take together, one after the other."""
    return sum(probe.timeout * probe.judges for probe in definitions(policy).values())


def seconds_of(value: object, otherwise: float) -> float:
    """Return a duration of the settings, such as `90s` or a number, in seconds."""
    if isinstance(value, str) and value[-1:] in _SECONDS and value[:-1].isdecimal():
        return float(int(value[:-1]) * _SECONDS[value[-1]])
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else otherwise
