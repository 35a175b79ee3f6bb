"""`exitgate facts`: what each extractor of a policy finds in a file."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.options import settled_of
from exitgate.cli.terminal import Terminal
from exitgate.core.facts.given import NAME as GIVEN
from exitgate.core.facts.records import parsed
from exitgate.core.facts.registry import BUILT_IN, beside, load
from exitgate.core.model.fact import Fact, Iteration, Source
from exitgate.core.model.json_object import JsonObject
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.terminal import safe


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Look at each file with every extractor of the policy that reads texts, and show what was found."""
    from exitgate.core.observe.files import read_source
    from exitgate.core.observe.masking import covered
    from exitgate.report.decision.facts import facts_text

    policy = settled_of(given).policy
    task = given.text("task")
    echo = None if task is None else read_source("task", task, named=True)
    looked = []
    for path in given.texts("file"):
        source = read_source("file", path, named=True)
        sources = offered(source, policy, given.word("input_format"))
        looked.append((source, sources, found_in(sources, policy, echo)))
    if given.word("format") == "json":
        from exitgate.core.ledger.decisions import facts_to_plain
        from exitgate.report.decision.output import FactsOutput, FileFactsOutput
        from exitgate.report.formats.output import output_text

        found: list[tuple[str | None, tuple[str, ...], Any]] = [
            (source.path, remarks(source, sources), facts_to_plain(facts))
            for source, sources, facts in looked
        ]
        return Answer(output_text(FactsOutput(policy.name, tuple(FileFactsOutput(*one) for one in found))))
    parts = []
    for source, sources, facts in looked:
        texts = covered(sources, policy)
        title = terminal.out.paint("strong", safe(str(source.path)))
        told = "".join(f"warning: {safe(text)}\n" for text in remarks(source, sources))
        parts.append(f"{title}\n{told}{facts_text(facts, policy.facts, texts, terminal.out)}")
    return Answer("\n".join(parts))


def offered(source: Source, policy: CompiledPolicy, form: str) -> dict[str, Source]:
    """
    Return the file under the name of every source that the policy's extractors read.

    Those that a check takes out of a response are taken out of it here, too. A plan or another text is not
    an envelope, so it stands for all of them; but a text without a task item is not a plan, and one that is
    not JSON is not a record of other files.

    Args:
        source: The file.
        policy: Whose extractors read it.
        form: `auto`, `text`, `json` or `jsonl`.

    Raises:
        ExitgateError: 65 where a forced form does not match.
    """
    from exitgate.core.observe.envelope import TAKEN_OUT, unwrapped

    entries = policy.extractions
    names = {name for one in entries for name in (one.source, *beside(one.extractor, one.options))}
    response = Source("response", text=source.text, path=source.path, warnings=source.warnings)
    taken = unwrapped(response, form, None, TAKEN_OUT)
    record = taken["result"].record or JsonObject()
    if record.get("format") == "TEXT" and record.keys() <= {"format", "truncated"}:
        taken.pop("tool_results")
    whole = {
        name: Source(
            name, text=source.text if not why else None, path=source.path, reason=why, absent=bool(why)
        )
        for name in names.difference(taken)
        for why in (_unfit(name, source, policy),)
    }
    return {**whole, **taken}


def _unfit(name: str, source: Source, policy: CompiledPolicy) -> str:
    """Return why the file is not what a check would find under the name of a source, or an empty text."""
    from exitgate.core.facts.plans.items import markdown_items

    by = {entry.extractor for entry in policy.extractions if entry.source == name}
    if by & {"json_file", "task_file", "artifacts"} and parsed(source.text) is None:
        return f"`{source.path}` is not a JSON object, so it is not read as the {name}"
    if name == "plan" and not any(markdown_items(source.text or "", {}, (), ())):
        return f"`{source.path}` has no task item, so it is not read as the plan"
    return ""


def remarks(source: Source, sources: Mapping[str, Source]) -> tuple[str, ...]:
    """Return the remarks on reading a file: its own, and those on taking the response out of it."""
    return tuple(dict.fromkeys((*source.warnings, *sources["response"].warnings)))


def found_in(sources: Mapping[str, Source], policy: CompiledPolicy, task: Source | None) -> tuple[Fact, ...]:
    """
    Return what the extractors under the policy's `facts:` find in one file, in the policy's order.

    Built-in ones stay out, since what they read is not text, and so do facts that a caller gives.
    """
    from exitgate.core.observe.masking import masked

    now = time.time()  # a message may say at what time to try again
    found: list[Fact] = []
    for entry in policy.extractions:
        if BUILT_IN.get(entry.prefix) == entry.extractor or entry.extractor == GIVEN:
            continue
        names = ("result", entry.source, *beside(entry.extractor, entry.options))
        # as if the file had been written just now
        at_hand = {name: sources[name].but(written=f"0.{int(now * 1e9)}") for name in names}
        given = at_hand if task is None else {"task": task, **at_hand}
        iteration = Iteration(1, "", now, given)
        found += load(entry.extractor).extract(entry.prefix, entry.source, entry.options, iteration)
    return tuple(masked({fact.name: fact for fact in found}, sources, policy).values())


COMMAND = Command(
    "facts",
    "show what the extractors of a policy find in a file",
    about="Each file is read by every extractor the policy names under `facts:`, and each fact is shown "
    "with the words that counted, and the words that did not with the guard that refused them. A response "
    "is unwrapped from its JSON as `check` does. Nothing is decided or recorded.",
    arguments=(Argument("FILE...", "a response, a plan, any text; `-` for stdin"),),
    options=(
        Option("--policy, -p NAME|PATH", "the policy whose extractors and words to use"),
        Option("--set NAME=VALUE...", "set a parameter of the policy"),
        Option("--task PATH", "the task; text copied from it does not count"),
        Option(
            "--input-format",
            "format of each file; detected from its content by default",
            choices=("auto", "text", "json", "jsonl"),
            default="auto",
        ),
        formats("text", "json"),
    ),
    examples=(
        ("exitgate facts .ralph/last-response.md", "what the default policy sees in a response"),
        ("exitgate facts plan.md --policy bb3 --format json", "for a program"),
    ),
    codes={"66": "a file is missing"},
    run=run,
)
