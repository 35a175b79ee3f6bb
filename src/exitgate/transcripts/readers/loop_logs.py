"""
The console of a loop kept in a file, no matter what loop it is, and files of one iteration each.

Headers of iterations are known from their form and their numbers, see `exitgate.transcripts.loops.series`:
the console of snarktank/ralph and its kin, `=== Iteration N ===` of home-made loops, lines with times at
their heads, in several languages. A number that goes back, or a line that starts the loop, begins a launch,
which is a run. What the loop's own tests and reviewers print is not the agent's. The lists of tasks in the
folder are those of a later time; `prd.json` counts at the end of the last run only, and only where the loop
says that all is done and the list says it, too.
"""

from __future__ import annotations

from exitgate.transcripts.loops.files import Piece, file_runs, pieces
from exitgate.transcripts.loops.joined import joined
from exitgate.transcripts.loops.log import Stretch, stretches
from exitgate.transcripts.loops.marks import header_of, line_of
from exitgate.transcripts.loops.parts import GIVES as _GIVES
from exitgate.transcripts.loops.parts import end_of, run_of
from exitgate.transcripts.loops.project import claimed, is_about, project_of
from exitgate.transcripts.loops.series import surveyed
from exitgate.transcripts.loops.settle import settle
from exitgate.transcripts.loops.text import encoding_problem, lines_in, plain, sample
from exitgate.transcripts.loops.whole import stories_done
from exitgate.transcripts.run import Problem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from exitgate.transcripts.look import Look
    from exitgate.transcripts.loops.project import Project
    from exitgate.transcripts.place import Place
    from exitgate.transcripts.recorded import RecordedIteration
    from exitgate.transcripts.run import Part

ID = "loop-logs"
TITLE = "console of a loop (snarktank/ralph, home-made ones), a file for each iteration"
FOLDER = True
GIVES = _GIVES

#: Ends of names of files that are not a console: programs, data, pages.
_NO_LOGS = (
    ".py", ".js", ".ts", ".tsx", ".jsx", ".sh", ".bash", ".ps1", ".go", ".rs", ".java", ".c", ".h", ".cpp",
    ".rb", ".json", ".jsonl", ".yaml", ".yml", ".toml", ".html", ".css", ".xml", ".csv", ".sql", ".rst",
)  # fmt: skip
_UNCOUNTED = (
    "the log of a loop whose iterations cannot be separated: no line marks their beginnings; "
    "let the loop write a line before each, such as `=== Iteration 3 ===`"
)


def fits(look: Look) -> bool:
    """Return whether a folder has such logs or files, or a file is such a log."""
    if look.place.is_folder:
        return bool(project_of(look))
    name = look.place.name
    if is_about(name) or name.lower().endswith(_NO_LOGS):
        return False
    try:
        head = look.head if b"\0" not in look.head else sample(look.place)
    except OSError:
        return False
    if head.lstrip()[:1] == b"{" or (
        head.lstrip()[:1] == b"<" and not _is_header(lines_in(head.lstrip())[0])
    ):
        return False
    return bool(surveyed(lines_in(head)).launches())


def _is_header(text: str) -> bool:
    """Return whether a line may begin an iteration: the first of a page of HTML or XML may not."""
    return header_of(line_of(plain(text))) is not None


def claims(look: Look) -> frozenset[str]:
    """Return the names of the logs and files, and of what is about the work."""
    return claimed(look, project_of(look))


def read(place: Place, wants: frozenset[str]) -> Iterator[Part]:  # noqa: ARG001
    """Yield the runs. Raises OSError when it cannot be opened."""
    if not place.is_folder:
        place.head(1)
        yield from _log_runs(place, list(stretches(place)), [], {})
        return
    from exitgate.transcripts.look import look_at

    look = look_at(place)
    yield from _project_runs(look, project_of(look))


def _project_runs(look: Look, found: Project) -> Iterator[Part]:
    kept: dict[str, list[Piece]] = {}
    for series in found.series:
        kept[series.label] = []
        for part in pieces(series.folder, series.names):
            if isinstance(part, Problem):
                yield part
            else:
                kept[series.label].append(part)
    logs: list[tuple[Place, list[Stretch]]] = []
    for log in found.logs.values():
        try:
            logs.append((log, list(stretches(log))))
        except OSError as error:
            yield Problem(log.path, error.strerror or str(error))
    texts, used = joined(logs, kept, found)
    newest = _newest(logs)
    for log, several in logs:
        last = stories_done(look.place, log, several[-1]) if newest is log and several else {}
        yield from _log_runs(log, several, texts.get(log.path, []), last)
    for series in found.series:
        if series.label not in used:
            yield from file_runs(series.folder, series.label, kept[series.label])


def _newest(logs: list[tuple[Place, list[Stretch]]]) -> Place | None:
    """Return the log whose last launch is the last of all, where that can be reported."""
    if len(logs) == 1:
        return logs[0][0]
    begun = [(found[-1].launch.at or found[-1].launch.line * 0.0, log) for log, found in logs if found]
    if not begun or any(at == 0.0 for at, _ in begun):
        return None
    return max(begun, key=lambda pair: pair[0])[1]


def _log_runs(
    log: Place,
    found: list[Stretch],
    texts: Sequence[Mapping[int, RecordedIteration]],
    last: Mapping[str, str],
) -> Iterator[Part]:
    settle(found)
    for nth, stretch in enumerate(found):
        own = texts[nth] if nth < len(texts) else {}
        at_end = last if nth + 1 == len(found) and end_of(stretch)[0] == "complete" else {}
        yield from run_of(log, stretch, own, last=at_end)
    if found and not any(stretch.entries for stretch in found) and any(stretch.text for stretch in found):
        yield Problem(log.path, _UNCOUNTED, found[0].launch.line)
    problem = encoding_problem(log)
    if problem is not None:
        yield problem
