"""Reading small transcripts, and what must hold for any bytes: shared by the readers of steps."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from exitgate.core.model.capabilities import ALL
from exitgate.recordings import registry
from exitgate.recordings.location import Location
from exitgate.recordings.model import Problem, Run, collect
from exitgate.recordings.probe import probe_of


def written(folder: Path, name: str, value: Any) -> Path:
    """Write bytes, a text, or a value as JSON; return the path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8", newline="")
    return path


def lines(values: list[Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def runs_of(reader: str, path: Path) -> tuple[tuple[Run, ...], tuple[Problem, ...]]:
    module = registry.load(reader)
    return collect(module.read(Location(str(path), path.is_dir()), ALL), reader)


def one_run(reader: str, path: Path) -> Run:
    """Return the one run of a transcript with which nothing is wrong."""
    runs, problems = runs_of(reader, path)
    assert problems == ()
    assert len(runs) == 1
    return runs[0]


def sniffed(path: Path) -> str | None:
    return registry.sniff(probe_of(Location(str(path), path.is_dir())))


def any_bytes(reader: str, name: str, content: bytes) -> None:
    """Sniff and read what need not be anything."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), name, content)
        registry.load(reader).fits(probe_of(Location(str(path))))
        runs_of(reader, path)


def cut_anywhere(reader: str, name: str, content: bytes, every: int) -> None:
    """Cut a transcript off at each `every` bytes: all steps but the last that is there are as they were."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(Path(folder), name, content)
        whole = [_said(one) for run in runs_of(reader, path)[0] for one in run.iterations]
        most = 0
        for end in range(0, len(content), every):
            path = written(Path(folder), name, content[:end])
            registry.load(reader).fits(probe_of(Location(str(path))))
            found = [_said(one) for run in runs_of(reader, path)[0] for one in run.iterations]
            most = max(most, len(found))
            assert found[:-1] == whole[: max(0, len(found) - 1)]
        assert most >= len(whole) - 1  # what is there counts, it is not thrown away with the end


def _said(one: Any) -> tuple[Any, ...]:
    calls = tuple((call.name, json.dumps(call.input)) for call in one.tool_calls or ())
    return (one.index, one.response, calls, one.tool_results)
