"""`exitgate dry-run`: where policies would have stopped recorded runs."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from exitgate.cli.command import (
    NUMBER,
    SUCCESS,
    TROUBLE,
    Answer,
    Argument,
    Command,
    Option,
    ParsedArguments,
    formats,
)
from exitgate.cli.commands.recorded.dataset import DATASET, writer_of, wrote
from exitgate.cli.commands.recorded.selection import (
    DASK,
    EXECUTOR,
    POLICIES,
    PROBE_RESULTS,
    READER,
    SETTINGS,
    executor_of,
    policies_and_results,
)
from exitgate.cli.parsing.usage import at_least, failure, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, NOTHING_TO_DECIDE, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError
from exitgate.core.model.display import counted
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.terminal import Style, safe, wrap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from exitgate.core.gate.timed import Timings
    from exitgate.fleet.dataset.writer import Writer
    from exitgate.recordings.replay.result import DryRun
    from exitgate.recordings.replay.transcript import ReplayedTranscript
    from exitgate.recordings.scoring.expectations import CheckedRuns
    from exitgate.recordings.scoring.labels import Labels

    Some = TypeVar("Some")


FORMATS = ("text", "json", "jsonl", "csv", "parquet", "markdown", "junit", "github")
#: Forms that are not text.
_BINARY = ("parquet",)
INTERRUPTED = 130
#: Remarks on the cache that are reported one by one.
_REMARKS = 3


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Walk the policies over the runs; 69 where one stops otherwise than expected."""
    from exitgate.cli.files import check_output
    from exitgate.recordings.scoring.expectations import check
    from exitgate.recordings.unread import nothing_read

    paths = given.texts("path")
    policies, labels = _inputs(given)
    if (output := _file(given)) is not None:
        results = given.text("probe_results")
        check_output(output, (*paths, *given.texts("expect"), *([] if results is None else [results])))
    timings = None
    if given.flag("timings"):
        from exitgate.core.gate.timed import Timings

        timings = Timings()
    begun = perf_counter()
    writer = writer_of(given, policies, labels)
    found = _walked(given, policies, writer, timings)
    if writer is not None:
        writer.flush()
    if not found.results and not found.interrupted:
        raise nothing_read(paths, found.unread_files) if not found.sub_agents else _only_sub_agents(found)
    checked = None if labels is None else check(found, labels)
    answer = _answer(given, terminal, found, checked)
    if writer is not None:
        answer = Answer(answer.out, answer.err + wrote(writer, given.word("dataset")), answer.code)
    if timings is None:
        return answer
    from exitgate.cli.options import timings_form
    from exitgate.recordings.replay.replay_pool import add_rest

    add_rest(timings, perf_counter() - begun)
    return Answer(answer.out, answer.err + timings_form(timings, given, terminal), answer.code)


def _walked(
    given: ParsedArguments,
    policies: dict[str, CompiledPolicy],
    writer: Writer | None,
    timings: Timings | None,
) -> DryRun:
    from exitgate.cli.progress import progress_bar
    from exitgate.recordings.replay.dry_run import dry_run
    from exitgate.recordings.replay.facts_cache import FactsCache

    subagents = given.flag("subagents")
    spent = _Spent()

    def each(walked: ReplayedTranscript) -> None:
        spent.add(walked)
        if writer is not None:
            writer.add(walked)

    with executor_of(given) as executor, progress_bar("dry run", spent.text) as tell:
        return dry_run(
            given.texts("path"),
            policies,
            reader=given.text("reader"),
            to_the_end=given.flag("all"),
            detail=given.flag("detail") or writer is not None,
            subagents=subagents,
            jobs=given.number("jobs"),
            cache=None if _without_cache(given) else FactsCache(subagents=subagents),
            tell=tell,
            partial=True,
            timings=timings,
            facts=given.flag("facts"),
            each=each,
            executor=executor,
        )


class _Spent:
    """What the runs cost that were read so far."""

    def __init__(self) -> None:
        self._usd: float | None = None

    def add(self, walked: ReplayedTranscript) -> None:
        """Take what came of the next transcript."""
        costs = {result.run.id: result.run.cost for result in walked.results}
        known = [cost for cost in costs.values() if cost is not None]
        if known:
            self._usd = sum(known, self._usd or 0.0)

    def text(self) -> str:
        """Return the cost of the runs so far; the empty text where none is known."""
        return "" if self._usd is None else f"{self._usd:,.2f} USD"


def _without_cache(given: ParsedArguments) -> bool:
    """Return whether no facts are kept: the workers of a cluster elsewhere have no folder of this user's."""
    return given.flag("no_cache") or given.text("scheduler") is not None


def _file(given: ParsedArguments) -> str | None:
    """Return the file that the result goes into, None for stdout."""
    from exitgate.cli.files import is_stdout

    output = given.text("output")
    return None if output is None or is_stdout(output) else output


def _inputs(given: ParsedArguments) -> tuple[dict[str, CompiledPolicy], Labels | None]:
    """Return policies and expectations. Raises `ExitgateError` with everything that is wrong with them."""
    from exitgate.recordings.scoring.expectations import expectations
    from exitgate.recordings.unread import known_reader

    if at_least("--jobs", given.number("jobs"), 1) is not None and given.word("executor") == DASK:
        raise usage_error("`--jobs` is for processes of this machine", "use `--workers`")
    if given.flag("timings") and given.word("executor") == DASK:
        raise usage_error("`--timings` measures this process", "omit `--executor`")
    if given.flag("all") and given.flag("stop_at_first"):
        raise usage_error("`--all` and `--stop-at-first` exclude each other", "omit one of them")
    if given.word("format") in _BINARY and _file(given) is None:
        form = given.word("format")
        raise failure("EP865", f"`--format {form}` is not text", f"write `-o FILE.{form}`", USAGE)
    trouble = _Trouble()
    policies = trouble.of(lambda: policies_and_results(given))
    labels = trouble.of(lambda: expectations(given.texts("expect"))) if given.texts("expect") else None
    trouble.of(lambda: known_reader(given.text("reader")))
    if trouble.problems or policies is None:
        raise ExitgateError(trouble.problems, trouble.code)
    return policies, labels


class _Trouble:
    """What is wrong with what was asked, gathered: all of it is reported at once."""

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []
        self.code = USAGE

    def of(self, ask: Callable[[], Some]) -> Some | None:
        """Return what `ask` gives, None where it raises."""
        try:
            return ask()
        except ExitgateError as error:
            self.problems += error.diagnostics
            self.code = max(self.code, error.exit_code)
            return None


def _answer(given: ParsedArguments, terminal: Terminal, found: DryRun, checked: CheckedRuns | None) -> Answer:
    from exitgate.cli.files import write_output
    from exitgate.recordings.unread import reader_warnings

    text = _written(given, terminal, found, checked)
    output = _file(given)
    if output is not None:
        write_output(output, text if isinstance(text, bytes) else text.encode("utf-8", "replace"))
        text = f"wrote {output}\n"
    assert isinstance(text, str), "a binary format needs an output file"
    problems = (*found.diagnostics, *reader_warnings(found.problems))
    remarks = diagnostics_text(problems, terminal.err) if problems else ""
    remarks += f"note: {line}\n" if (line := found.unread_files.line()) else ""
    remarks += _of_the_cache(found.remarks, terminal)
    if found.interrupted:
        done, known = found.reached
        remarks += f"interrupted after {done} of {counted(known, 'transcript')} found so far\n"
    code = found.code or (FINDINGS if checked is not None and checked.differences else 0)
    return Answer(text, remarks, INTERRUPTED if found.interrupted else code)


def _of_the_cache(remarks: tuple[str, ...], terminal: Terminal) -> str:
    """Return what is wrong with the cache, as far as it is worth telling: the result does not rest on it."""
    told = [safe(remark) for remark in remarks[:_REMARKS]]
    told += (
        [counted(len(remarks) - _REMARKS, "more remark like these", "more remarks like these")]
        if len(remarks) > _REMARKS
        else []
    )
    lines = [line for remark in told for line in wrap(remark, terminal.err.width, "note: ", "      ")]
    return "".join(f"{line}\n" for line in lines)


def _written(
    given: ParsedArguments, terminal: Terminal, found: DryRun, checked: CheckedRuns | None
) -> str | bytes:
    from exitgate.recordings.reports import dry_run as forms
    from exitgate.recordings.reports import dry_run_exports as exports

    form, detail, style = given.word("format"), given.flag("detail"), terminal.out
    if form in ("csv", "parquet"):
        return (exports.dry_run_csv if form == "csv" else exports.dry_run_parquet)(found, detail=detail)
    if form in ("junit", "github"):
        return (exports.dry_run_junit if form == "junit" else forms.dry_run_github)(found, checked)
    if form != "text":
        whole = {
            "json": exports.dry_run_json,
            "jsonl": exports.dry_run_jsonl,
            "markdown": forms.dry_run_markdown,
        }
        return whole[form](found, checked, detail=detail)
    if _file(given) is not None:
        style = Style(color=False, width=style.width, whole=True)
    return forms.dry_run_text(found, checked, style, detail=detail)


def _only_sub_agents(found: DryRun) -> ExitgateError:
    runs = found.sub_agents
    message = "the only run is a sub-agent's" if runs == 1 else f"all {runs} runs belong to sub-agents"
    problem = Diagnostic("EP853", message, help="include them with `--subagents`")
    return ExitgateError([*found.diagnostics, problem], found.code or NOTHING_TO_DECIDE)


COMMAND = Command(
    "dry-run",
    "show where policies would have stopped recorded runs",
    about="Replays the transcripts of agents and loops under policies: for each run, the iteration "
    "at which a policy says EXIT, with class, outcome and reason, and what came after it. A stop is "
    "tentative if some value for the unknown could change it. The decisions are those that `exitgate check` "
    "would have made on what the transcript records; what it does not record is unknown. No state changes. "
    "Without `--policy`, uses the policy in force here with the settings of this project; a named policy is "
    "used as written.",
    arguments=(Argument("PATH...", "transcripts: files, folders, globs, URLs that fsspec knows"),),
    options=(
        POLICIES,
        SETTINGS,
        Option("--stop-at-first", "end each run at the policy's first EXIT; the default"),
        Option("--all", "continue after a policy's EXIT, to the end of the run"),
        Option("--detail", "a row for each iteration"),
        READER,
        PROBE_RESULTS,
        Option("--subagents", "count the runs of sub-agents as separate runs"),
        Option(
            "--expect, -e FILE|RUN=STOP...",
            "where runs must stop, else 69: labels.yaml, or `RUN=complete@7`, `RUN=@4-6`, `RUN=never`",
        ),
        Option(
            "--jobs, -j N", "number of processes; one per core if there is much to read, else 1", kind=NUMBER
        ),
        *EXECUTOR,
        *DATASET,
        Option("--no-cache", "neither use nor keep the facts of earlier dry runs; quicker for a single run"),
        Option(
            "--timings",
            "add on stderr what each stage, extractor and rule took, as JSON with `--format json`; "
            "one process and no cache are used",
        ),
        formats(*FORMATS),
        Option("--output, -o FILE", "write the result there; `-` is stdout"),
    ),
    examples=(
        ("exitgate dry-run ~/.claude/projects", "the policy in force, over every session"),
        ("exitgate dry-run runs/ -p bb3 -p bb3:min_completion=95 -p recommended", "policies together"),
        ("exitgate dry-run night.jsonl --detail --all", "every decision of one run, also after the stop"),
        ("exitgate dry-run runs/ --expect labels.yaml --format junit -o stops.xml", "a check for CI"),
        ("exitgate dry-run runs/ -p all --format parquet -o stops.parquet", "a table for a notebook"),
    ),
    codes=(
        SUCCESS,
        ("66", "no recorded runs found"),
        ("69", "a run does not stop as `--expect` says"),
        ("130", "interrupted; partial results are printed"),
        *TROUBLE,
    ),
    run=run,
)
