"""`exitgate report`: recorded runs under policies as a page to look at."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments
from exitgate.cli.commands.recorded.selection import (
    CODES,
    POLICIES,
    PROBE_RESULTS,
    READER,
    SETTINGS,
    nothing_to_judge,
    policies_and_results,
    remarks,
)
from exitgate.cli.terminal import Terminal


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Write the page and say what is in it."""
    from exitgate.cli.files import check_output, is_stdout, write_output
    from exitgate.cli.progress import progress
    from exitgate.recordings.page.assemble import collect
    from exitgate.recordings.page.cells import counted
    from exitgate.recordings.page.render import html
    from exitgate.recordings.scoring.labels import load

    paths, output = given.texts("path"), given.word("output")
    marks = given.text("labels")
    shown = is_stdout(output)
    if not shown:
        read = (marks, given.text("probe_results"))
        check_output(output, (*paths, *(path for path in read if path is not None)))
    policies = policies_and_results(given)
    labels = load(marks) if marks is not None else None
    with progress("runs") as tell:
        found = collect(paths, policies, labels, reader=given.text("reader"), tell=tell)
    if not found.runs:
        message = "no run has an iteration" if found.empty else "all runs are those of sub-agents"
        raise nothing_to_judge(
            message, "see `exitgate transcripts PATH`", paths, found.unread, found.empty + found.sub_agents
        )
    text = html(found.page)
    err, code = remarks(found.problems, found.unread, terminal)
    if shown:
        return Answer(text, err, code)
    content = text.encode()
    write_output(output, content)
    names = ", ".join(f"`{name}`" for name in policies)
    size = f"{len(content) / 1000:,.0f} kB"
    return Answer(f"wrote {output}: {counted(found.runs, 'run')} under {names}, {size}\n", err, code)


COMMAND = Command(
    "report",
    "write an HTML report of recorded runs under policies",
    about="One HTML file that loads nothing and needs no JavaScript: for each run where each policy stops "
    "and what comes after that, verdicts, cost, scores and every rule on one timeline, and each response "
    "with its evidence marked, the plan as it was then, and the calls of tools, shortened. Every policy is "
    "evaluated to the end of the run, also after its own stop. Secrets matched by a policy's mask "
    "are hidden; everything else in the transcripts can be read by anyone who has the file.",
    arguments=(Argument("PATH...", "transcripts: files, folders, globs"),),
    options=(
        POLICIES,
        SETTINGS,
        Option("--labels, -l FILE", "labels: where the runs should have stopped"),
        READER,
        PROBE_RESULTS,
        Option("--output, -o FILE", "the page; `-` is stdout", default="report.html"),
    ),
    examples=(
        ("exitgate report runs/ -o report.html", "the policy in force here"),
        ("exitgate report runs/night.jsonl -p bb3 -p recommended", "two policies together"),
        (
            "exitgate report runs/ -p bb3 -p bb3:min_completion=95 -l labels.yaml",
            "two settings, against labels",
        ),
    ),
    codes=CODES,
    run=run,
)
