"""From one spread case as plain data to a `Case` with typed values; problems become remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.model.counted import counted
from exitgate.model.value import Unknown
from exitgate.testing import series, values
from exitgate.testing.case import Case
from exitgate.testing.offered import check_offered
from exitgate.testing.wants import read_wants

if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.document import Document
    from exitgate.testing.expand import Written
    from exitgate.testing.recordings import Recordings
    from exitgate.testing.remarks import Remarks

AFTER_FAILURE = "after_failure"
AFTER_ITERATION = "after_iteration"


def read_case(
    written: Written,
    policy: CompiledPolicy,
    document: Document,
    remarks: Remarks,
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
    offered = [*earlier, raw.get("sources") or {}]
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


def _home(written: Written) -> tuple[str | int, ...]:
    """Return the path of the row for a case from a table, else of the case."""
    for path in written.spots.values():
        if path[-3:-2] == ("rows",):
            return path[:-1]
    return written.home


def _mapping(raw: object) -> dict[str, object]:
    return {str(key): value for key, value in raw.items()} if isinstance(raw, dict) else {}


def _facts(written: Written, policy: CompiledPolicy, remarks: Remarks) -> dict[str, object]:
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


def _history(written: Written, policy: CompiledPolicy, remarks: Remarks) -> dict[str, tuple[object, ...]]:
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
    found: dict[str, tuple[object, ...]], written: Written, remarks: Remarks
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
    length: int, moving: dict[str, tuple[object, ...]], written: Written, remarks: Remarks
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


def _settings(written: Written, policy: CompiledPolicy, remarks: Remarks) -> Mapping[str, str]:
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
