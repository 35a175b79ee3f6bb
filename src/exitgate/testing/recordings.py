"""The recorded runs that cases name: read once for each file, problems reported where they are named."""

from __future__ import annotations

import os

from exitgate.model.diagnostic import ExitgateError
from exitgate.testing.recorded import Recording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.testing.expand import Written
    from exitgate.testing.remarks import Remarks
    from exitgate.transcripts.run import Run

#: Ids of runs that are listed where none is meant for sure.
LISTED = 8
#: Tests never reach for the network.
URL = "://"
#: What a case may not give beside a recorded run.
APART = ("sources", "earlier", "agent_exit")


class Recordings:
    """The recorded runs that one file of tests names, each transcript read once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._runs: dict[tuple[str, str | None], tuple[Run, ...] | str] = {}

    def of(self, written: Written, remarks: Remarks) -> Recording | None:
        """Return the recorded run that a case names; None where it names none, or a remark was added."""
        raw = written.case.get("transcript")
        if raw is None:
            if "iteration" in written.case:
                spot = written.spot("iteration")
                remarks.add(
                    "EP504",
                    "`iteration` selects an iteration of a recorded run",
                    spot,
                    "name its `transcript`",
                )
            return None
        for key in APART:
            if key in written.case:
                message = f"`{key}` is given beside `transcript`, which already contains it"
                remarks.add("EP504", message, written.spot(key), "give `facts` instead, which override it")
        asked = raw if isinstance(raw, dict) else {"file": raw}
        file, id, reader = str(asked["file"]), asked.get("run"), asked.get("reader")
        if URL in file:
            help = "download it first, and keep it beside the tests"
            remarks.add("EP503", f"`{file}` is not a file of this machine", written.spot("transcript"), help)
            return None
        runs = self._read(os.path.join(self._folder, file), str(reader) if reader else None)
        if isinstance(runs, str):
            remarks.add("EP503", f"`{file}` cannot be used: {runs}", written.spot("transcript"))
            return None
        run = self._run(runs, None if id is None else str(id), written, remarks)
        return None if run is None else self._cut(run, file, written, remarks)

    def _read(self, path: str, reader: str | None) -> tuple[Run, ...] | str:
        """Return the runs of a transcript that are not sub-agent's, or why there are none."""
        key = path, reader
        if key not in self._runs:
            self._runs[key] = _read(path, reader)
        return self._runs[key]

    def _run(self, runs: tuple[Run, ...], id: str | None, written: Written, remarks: Remarks) -> Run | None:
        spot = written.spot("transcript")
        names = [run.begin.id for run in runs]
        if id is not None and id not in names:
            remarks.no_such("EP503", "recorded run", id, spot, names)
            return None
        if id is None and len(runs) > 1:
            listed = ", ".join(f"`{name}`" for name in names[:LISTED]) + (
                ", …" if len(names) > LISTED else ""
            )
            help = f"say which: `transcript: {{file: …, run: {names[0]}}}`"
            remarks.add("EP503", f"there are {len(runs)} recorded runs in it: {listed}", spot, help)
            return None
        return next(run for run in runs if id is None or run.begin.id == id)

    def _cut(self, run: Run, file: str, written: Written, remarks: Remarks) -> Recording | None:
        count = len(run.iterations)
        number = written.case.get("iteration", count)
        if count == 0 or not isinstance(number, int) or not 1 <= number <= count:
            spot = written.spot("iteration") if "iteration" in written.case else written.spot("transcript")
            remarks.add("EP503", f"the recorded run has no iteration `{number}`", spot, f"it has {count}")
            return None
        return Recording(file, run.begin, run.iterations[:number])


def _read(path: str, reader: str | None) -> tuple[Run, ...] | str:
    from exitgate.transcripts.reading import parts_of, readable
    from exitgate.transcripts.run import collect
    from exitgate.transcripts.unread import Unread

    unread = Unread()
    runs: list[Run] = []
    try:
        for found in readable((path,), reader, unread):
            assert found.reader is not None
            read, _ = collect(parts_of(found, unread), found.reader)
            runs += [run for run in read if run.begin.parent is None]
    except ExitgateError as error:
        return error.diagnostics[0].message
    if unread.diagnostics:
        return unread.diagnostics[0].message
    return tuple(runs) or "there is no recorded run in it"
