"""`exitgate transcripts`: what recorded runs there are."""

from __future__ import annotations

import os
import sys

from exitgate.cli.command import SUCCESS, TROUBLE, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.recorded.selection import EXECUTOR, executor_of, told
from exitgate.cli.parsing.usage import failure
from exitgate.core.model.decision import NOTHING_TO_DECIDE
from exitgate.report.diagnostics import diagnostics_text
from exitgate.report.terminal import safe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.cli.terminal import Terminal
    from exitgate.recordings.replay.executors import Executor, Sized
    from exitgate.recordings.unread import Unread
    from exitgate.report.recordings import ProblemOutput, RunOutput


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the runs below the paths; 65, 66 or 74 where something cannot be read, with what could be."""
    if given.flag("readers"):
        return _readers(given, terminal)
    paths = given.texts("path")
    if not paths and not given.flag("all") and given.text("reader") is None:
        return _agents(given, terminal)
    paths = paths or (os.curdir,)
    from exitgate.recordings.unread import Unread, nothing_read

    unread = Unread()
    with executor_of(given) as executor:
        runs, problems = _found(paths, given.text("reader"), unread, executor)
    if not runs and not problems:
        error = nothing_read(paths, unread)
        named = "".join(f"  {safe(path)}\n" for path in unread.passed_over) if given.flag("all") else ""
        return Answer(err=diagnostics_text(error.diagnostics, terminal.err) + named, code=error.exit_code)
    out = _written(given, runs, problems, unread, terminal)
    return Answer(out, diagnostics_text(unread.diagnostics, terminal.err) + told(executor), unread.code)


def _found(
    paths: tuple[str, ...], reader: str | None, unread: Unread, executor: Executor | None
) -> tuple[list[RunOutput], list[ProblemOutput]]:
    from exitgate.cli.progress import progress
    from exitgate.recordings.discovery import readable, size_of
    from exitgate.recordings.model import Problem
    from exitgate.recordings.replay.executors import InProcess
    from exitgate.recordings.replay.listing import died, list_transcript
    from exitgate.report.recordings import ProblemOutput

    runs: list[RunOutput] = []
    problems: list[ProblemOutput] = []
    with progress("transcripts") as tell:

        def sized() -> Iterator[Sized]:
            for found in readable(paths, reader, unread):
                tell(found.place.path)
                yield found, size_of(found)

        for listed in (executor or InProcess()).each(list_transcript, sized(), died):
            unread.failed += listed.failed
            for one in listed.parts:
                if isinstance(one, Problem):
                    problems.append(ProblemOutput(one.file, one.line, one.message))
                else:
                    runs.append(one)
    return runs, problems


def _written(
    given: ParsedArguments,
    runs: list[RunOutput],
    problems: list[ProblemOutput],
    unread: Unread,
    terminal: Terminal,
) -> str:
    from exitgate.report import recordings as forms

    form = given.word("format")
    if form in ("csv", "jsonl"):
        return forms.runs_csv(runs) if form == "csv" else forms.runs_jsonl(runs)
    if form == "json":
        return forms.runs_json(runs, problems, unread.diagnostics, unread.passed_over)
    table = forms.runs_text(runs, problems, terminal.out)
    all, largest = given.flag("all"), unread.largest()
    return f"{table}\n{forms.summary_text(runs, unread.passed_over, terminal.out, all=all, largest=largest)}"


def _agents(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return where the sessions of agents are on this machine. Raises `ExitgateError` (66) without any."""
    from exitgate.recordings.agent_homes import AGENTS, sessions_here
    from exitgate.report.recordings import iso
    from exitgate.report.sessions import SessionsOutput, sessions_told

    rows = [
        SessionsOutput(
            one.agent.id,
            one.agent.title,
            one.folder,
            len(one.found),
            iso(one.found[0].changed) if one.found else None,
            one.trouble,
        )
        for one in sessions_here(os.environ)
    ]
    if not rows:
        known = ", ".join(one.title for one in AGENTS)
        help = "name files or folders: `exitgate transcripts .` lists the runs of this folder"
        raise failure("EP853", f"no agent has a folder here: {known}", help, NOTHING_TO_DECIDE)
    hints = sys.stdout is not None and sys.stdout.isatty()
    return Answer(sessions_told(rows, given.word("format"), terminal.out, hints=hints))


def _readers(given: ParsedArguments, terminal: Terminal) -> Answer:
    from exitgate.recordings import registry
    from exitgate.report.recordings import readers_json, readers_text

    found = [registry.load(id) for id in registry.names()]
    rows = [(one.ID, one.TITLE, sorted(one.GIVES)) for one in found]
    if given.word("format") in ("json", "jsonl"):
        return Answer(readers_json(rows))
    return Answer(readers_text(rows, terminal.out))


COMMAND = Command(
    "transcripts",
    "list recorded runs: duration, cost, outcome",
    about="Searches files, folders, globs and URLs for transcripts of agents and loops, detected by "
    "their content, and lists their runs. The outcome is what the recorder says, not what the agent claims; "
    "a dash means that the transcript does not record it. No policy is evaluated and nothing is written.\n\n"
    "Without PATH it lists the folders in which the agents of this machine keep their sessions, how many "
    "those are and when the newest was written. Then no session is opened, and links are passed over. "
    "CLAUDE_CONFIG_DIR, CODEX_HOME, GEMINI_CLI_HOME, COPILOT_HOME, XDG_DATA_HOME and PI_CODING_AGENT_DIR "
    "count as they do for the agents.",
    arguments=(Argument("[PATH...]", "files, folders, globs, URLs that fsspec knows"),),
    options=(
        Option("--reader ID", "read everything with this reader"),
        Option("--readers", "list the readers and what each can provide"),
        Option("--all", "list the files that no reader recognises"),
        *EXECUTOR,
        formats("text", "json", "jsonl", "csv"),
    ),
    examples=(
        ("exitgate transcripts", "where the sessions of agents are on this machine"),
        ("exitgate transcripts .ralph ~/.claude/projects", "the runs of loops and sessions there"),
        ("exitgate transcripts 'runs/**/*.traj' --format csv", "a table of SWE-agent runs"),
        ("exitgate transcripts --readers", "all formats"),
    ),
    codes=(
        SUCCESS,
        ("66", "nothing that a reader recognises"),
        *TROUBLE,
    ),
    run=run,
)
