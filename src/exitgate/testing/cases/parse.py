"""From one spread case as plain data to a `Case` with typed values; problems become remarks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exitgate.core.facts import registry
from exitgate.core.model.decision import CLASSES, CONTINUE, EXIT
from exitgate.core.model.display import counted
from exitgate.core.model.value import Unknown
from exitgate.core.observe.sources import wanted
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.core.policy.yaml.document import Document
from exitgate.testing.cases import series, values
from exitgate.testing.cases.case import Case, Problems, Want

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.cases.load import Path, WrittenCase
    from exitgate.testing.cases.recordings import Recordings


AFTER_FAILURE = "after_failure"
AFTER_ITERATION = "after_iteration"


def read_case(
    written: WrittenCase,
    policy: CompiledPolicy,
    document: Document,
    remarks: Problems,
    recordings: Recordings,
) -> Case:
    """Return the case; where something in it is wrong, a remark is added and that part left out."""
    raw = written.case
    recording = recordings.of(written, remarks)
    #: The iterations of a recorded run that could not be read are unknown.
    lost = recording is None and "transcript" in raw
    check_offered(written, policy, remarks)
    steady = _facts(written, policy, remarks)
    moving = _history(written, policy, remarks)
    for name in sorted(steady.keys() & moving.keys()):
        remarks.add(
            "EP494",
            f"`{name}` is under `facts` and under `history`",
            written.spot("history", name),
            "keep the series; a fact that never changes belongs under `facts`",
        )
    earlier = raw.get("earlier") or []
    assert isinstance(earlier, list)
    length = max(len(earlier) + 1, *(len(s) for s in moving.values()), 1)
    if recording is not None:
        moving = _of_length(len(recording.iterations), moving, written, remarks)
        length = len(recording.iterations)
    given = tuple(
        {**steady, **{name: samples[i] for name, samples in moving.items()}} if moving else dict(steady)
        for i in range(length)
    )
    offered = [*earlier, {**_mapping(raw.get("sources")), **_probes(raw.get("probes"))}]
    silent: tuple[dict[str, object], ...] = ({},) * (length - len(offered))
    agent_exit = raw.get("agent_exit")
    return Case(
        name=str(raw["name"]),
        place=document.place(_home(written)),
        note=str(raw.get("note") or ""),
        given=given,
        sources=(*silent, *(_mapping(s) for s in offered)),
        settings=_settings(written, policy, remarks),
        stage=str(raw.get("stage") or (AFTER_FAILURE if agent_exit else AFTER_ITERATION)),
        agent_exit=agent_exit if isinstance(agent_exit, int) else None,
        wants=() if lost else read_wants(written, length, policy, document, remarks),
        profile=str(raw["profile"]) if raw.get("profile") else None,
        recording=recording,
        as_checked=recording is not None and "stage" not in raw,
    )


def _home(written: WrittenCase) -> tuple[str | int, ...]:
    """Return the path of the row for a case from a table, else of the case."""
    for path in written.spots.values():
        if path[-3:-2] == ("rows",):
            return path[:-1]
    return written.home


def _mapping(raw: object) -> dict[str, object]:
    return {str(key): value for key, value in raw.items()} if isinstance(raw, dict) else {}


def _probes(raw: object) -> dict[str, object]:
    """Return the source `probes` of a case: what each said, true and false for passed, a text for why not."""
    answers: dict[str, object] = {}
    for name, said in _mapping(raw).items():
        if isinstance(said, bool):
            answers[name] = {"status": "answered", "passed": said}
        elif isinstance(said, str):
            answers[name] = {"status": "broken", "reason": said}
        else:
            answers[name] = {"status": "answered", **_mapping(said)}
    return {"probes": {"answers": answers}} if answers else {}


def _facts(written: WrittenCase, policy: CompiledPolicy, remarks: Problems) -> dict[str, object]:
    found: dict[str, object] = {}
    for name, raw in _mapping(written.case.get("facts")).items():
        spec = policy.facts.get(name)
        if spec is None:
            remarks.no_such("EP490", "fact", name, written.spot("facts", name), policy.facts)
            continue
        try:
            found[name] = values.read_fact(raw, spec)
        except values.MisfitError as error:
            remarks.add("EP491", f"`{name}`: {error}", written.spot("facts", name), f"it is a {spec.type}")
    return found


def _history(
    written: WrittenCase, policy: CompiledPolicy, remarks: Problems
) -> dict[str, tuple[object, ...]]:
    found: dict[str, tuple[object, ...]] = {}
    for name, raw in _mapping(written.case.get("history")).items():
        at = written.spot("history", name)
        spec = policy.facts.get(name)
        if spec is None:
            remarks.no_such("EP490", "fact", name, at, policy.facts)
            continue
        text = str(raw).lower() if isinstance(raw, bool) else str(raw)
        try:
            samples = series.parse(text)
            found[name] = tuple(s if isinstance(s, Unknown) else values.read_fact(s, spec) for s in samples)
        except series.SeriesError as error:
            remarks.add("EP492", f"the series of `{name}`: {error}", at, "for example `1 2 2x3 _ 4`")
        except values.MisfitError as error:
            remarks.add("EP491", f"the series of `{name}`: {error}", at, f"it is a {spec.type}")
    return _of_one_length(found, written, remarks)


def _of_one_length(
    found: dict[str, tuple[object, ...]], written: WrittenCase, remarks: Problems
) -> dict[str, tuple[object, ...]]:
    """Return the series that are as long as the longest, a remark on each other one."""
    longest = max((len(samples) for samples in found.values()), default=0)
    for name, samples in found.items():
        if len(samples) != longest:
            remarks.add(
                "EP492",
                f"the series of `{name}` has {counted(len(samples), 'sample')}, "
                f"the longest of this case {longest}",
                written.spot("history", name),
                "give every iteration a sample, `_` where it is unknown; constants go under `facts`",
            )
    fitting = {name: samples for name, samples in found.items() if len(samples) == longest}
    earlier = written.case.get("earlier")
    if fitting and isinstance(earlier, list) and len(earlier) >= longest:
        remarks.add(
            "EP492",
            f"{counted(len(earlier), 'earlier iteration')} and the current one, but series of "
            f"{counted(longest, 'sample')}",
            written.spot("earlier"),
            "make the series as long as the run",
        )
        return {}
    return fitting


def _of_length(
    length: int, moving: dict[str, tuple[object, ...]], written: WrittenCase, remarks: Problems
) -> dict[str, tuple[object, ...]]:
    """Return the series that are as long as a recorded run, a remark on each other one."""
    for name, samples in moving.items():
        if len(samples) != length:
            remarks.add(
                "EP492",
                f"the series of `{name}` has {counted(len(samples), 'sample')}, the recorded run "
                f"{counted(length, 'iteration')}",
                written.spot("history", name),
                "give every iteration a sample, `_` where it is unknown; constants go under `facts`",
            )
    return {name: samples for name, samples in moving.items() if len(samples) == length}


def _settings(written: WrittenCase, policy: CompiledPolicy, remarks: Problems) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name, raw in _mapping(written.case.get("set")).items():
        at = written.spot("set", name)
        parameter = policy.parameters.get(name)
        if parameter is None:
            remarks.no_such("EP493", "parameter", name, at, policy.parameters)
            continue
        try:
            values.read(raw, parameter.type)
        except values.MisfitError as error:
            remarks.add("EP491", f"`${name}`: {error}", at, f"it is a {parameter.type}")
            continue
        found[name] = str(raw).lower() if isinstance(raw, bool) else str(raw)
    return found


# From `expect:` and `expect_at:` as plain data to single wants; problems become remarks.

#: Keys that hold a mapping, by what their own keys are.
OF_FACTS = ("facts", "evidence", "rejected")
OF_RULES = ("pending",)
#: Keys that name rules.
RULES = ("undetermined", "alternatives", "shadows")
WORDINGS = ("message", "advice", "escalation")
PLAIN = ("verdict", "class", "outcome", "rule", "firm", "blind", "warnings")
KEYS = (*PLAIN, *WORDINGS, *RULES, *OF_FACTS, *OF_RULES)


def read_wants(
    written: WrittenCase, length: int, policy: CompiledPolicy, document: Document, remarks: Problems
) -> tuple[Want, ...]:
    """Return everything a case of `length` iterations expects, in the order written."""
    found: list[Want] = []
    reader = _Reader(written, policy, document, remarks)
    expect_at = written.case.get("expect_at")
    for number, expected in expect_at.items() if isinstance(expect_at, dict) else ():
        at = ("expect_at", number)
        iteration = values.number(number)
        if not isinstance(iteration, int) or not 1 <= iteration <= length:
            remarks.add(
                "EP496",
                f"there is no iteration `{number}` in this case",
                written.spot(*at),
                f"it has {length}, counted from 1",
            )
            continue
        found += reader.wants(expected, iteration, at)
    found += reader.wants(written.case.get("expect") or {}, length, ("expect",))
    if not found and not remarks.any:
        remarks.add("EP496", "this case expects nothing", written.home, "give at least a `verdict`")
    return tuple(found)


class _Reader:
    def __init__(
        self, written: WrittenCase, policy: CompiledPolicy, document: Document, remarks: Problems
    ) -> None:
        self._written = written
        self._policy = policy
        self._document = document
        self._remarks = remarks
        self._rules = {rule.id for rule in policy.rules}

    def wants(self, expected: object, iteration: int, at: Path) -> Iterator[Want]:
        """Yield the wants of one mapping of expectations that is at `at` of the case."""
        for key, value in expected.items() if isinstance(expected, dict) else ():
            path = self._written.spot(*at, key)
            if key not in KEYS:
                self._remarks.no_such("EP495", "expectation", str(key), path, KEYS)
            elif key in OF_FACTS or key in OF_RULES:
                yield from self._mapping(key, value, iteration, (*at, key))
            elif self._fits(key, value, path):
                yield Want(iteration, key, "", value, self._document.place(path))

    def _mapping(self, key: str, entries: object, iteration: int, at: Path) -> Iterator[Want]:
        if not isinstance(entries, dict):
            self._remarks.add("EP495", f"`{key}` needs names and values", self._written.spot(*at))
            return
        for name, raw in entries.items():
            path = self._written.spot(*at, name)
            value = raw
            if key in OF_RULES:
                if not self._is_rule(name, path):
                    continue
            elif name not in self._policy.facts:
                self._remarks.no_such("EP490", "fact", str(name), path, self._policy.facts)
                continue
            if key == "facts":
                spec = self._policy.facts[name]
                try:
                    value = values.read_fact(raw, spec)
                except values.MisfitError as error:
                    self._remarks.add("EP491", f"`{name}`: {error}", path, f"it is a {spec.type}")
                    continue
            yield Want(iteration, key, str(name), value, self._document.place(path))

    def _fits(self, key: str, value: object, path: Path) -> bool:
        """Return whether `value` can be met at all; a remark where not. Cells have no schema of their own."""
        if key == "rule" and value is not None:
            return self._is_rule(value, path)
        if key in RULES:
            bad = (
                [name for name in value if not self._is_rule(name, path)]
                if isinstance(value, list)
                else [value]
            )
            return not bad
        choices: tuple[object, ...] = {
            "verdict": (CONTINUE, EXIT),
            "class": (*CLASSES, None),
            "firm": (True, False),
            "blind": (True, False),
        }.get(key, (value,))
        if value not in choices:
            named = ", ".join(str(c).lower() if isinstance(c, bool) else str(c or "~") for c in choices)
            self._remarks.add("EP495", f"`{key}` cannot be `{value}`", path, f"it is one of {named}")
            return False
        return True

    def _is_rule(self, name: object, path: Path) -> bool:
        if name in self._rules:
            return True
        self._remarks.no_such("EP497", "rule", str(name), path, self._rules)
        return False


# Sources that a case offers: each must be one that the policy, or exitgate itself, reads.

#: Offered by every iteration, no matter what the policy makes of them.
ALWAYS = frozenset(("response", "plan", "task"))


def check_offered(written: WrittenCase, policy: CompiledPolicy, remarks: Problems) -> None:
    """Add a remark on every source of a case that no fact of the policy is read from."""
    built_in = {registry.load(id).SOURCE for id in registry.BUILT_IN.values()}
    known = sorted(ALWAYS | wanted(policy) | built_in)
    for name, at in _named(written):
        if name not in known:
            remarks.no_such("EP447", "source", name, written.spot(*at), known)


def _named(written: WrittenCase) -> Iterator[tuple[str, Path]]:
    """Yield name and path of each source, those of earlier iterations first."""
    earlier = written.case.get("earlier")
    sections: list[tuple[Path, object]] = []
    for number, offered in enumerate(earlier if isinstance(earlier, list) else ()):
        sections.append((("earlier", number), offered))
    sections.append((("sources",), written.case.get("sources")))
    for at, section in sections:
        for name in section if isinstance(section, dict) else ():
            yield str(name), (*at, name)
