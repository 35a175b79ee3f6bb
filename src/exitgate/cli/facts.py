"""`exitgate facts`: what each extractor of a policy finds in a file."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, MANY, REPEAT, SUCCESS, TROUBLE, Argument, Command, Option
from exitgate.cli.usage import pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.model.evidence import Fact
    from exitgate.model.iteration import Source
    from exitgate.policy.compiled import CompiledPolicy


def run(given: Given, terminal: Terminal) -> Answer:
    """Look at each file with every extractor of the policy that reads texts, and show what was found."""
    from exitgate.gate.discover import DEFAULT_POLICY
    from exitgate.gate.mask import covered
    from exitgate.gate.observe.files import read_source
    from exitgate.policy.layers.load import load_settled
    from exitgate.policy.layers.places import Asked
    from exitgate.report.facts import facts_text
    from exitgate.report.safe import safe

    settings = pairs("--set", given.texts("set"))
    policy = load_settled(Asked(DEFAULT_POLICY, given.text("policy"), settings)).policy
    task = given.text("task")
    echo = None if task is None else read_source("task", task, named=True)
    looked = []
    for path in given.texts("file"):
        source = read_source("file", path, named=True)
        looked.append((source, found_in(source, policy, echo)))
    if given.word("format") == "json":
        from exitgate.gate.stored import facts_to_plain
        from exitgate.report.json import json_text

        plain = [
            {"file": s.path, "warnings": list(s.warnings), "facts": facts_to_plain(f)} for s, f in looked
        ]
        return Answer(json_text({"policy": policy.name, "files": plain}))
    parts = []
    for source, facts in looked:
        text = covered({"file": source}, policy).get("file", "")
        texts = dict.fromkeys({e.source for e in policy.extractions}, text)
        title = terminal.out.paint("strong", safe(str(source.path)))
        remarks = "".join(f"warning: {safe(text)}\n" for text in source.warnings)
        parts.append(f"{title}\n{remarks}{facts_text(facts, policy.facts, texts, terminal.out)}")
    return Answer("\n".join(parts))


def found_in(source: Source, policy: CompiledPolicy, task: Source | None) -> tuple[Fact, ...]:
    """
    Return what the extractors under the policy's `facts:` find in one text, in the policy's order.

    Every extractor reads it, whichever source it reads in a loop; built-in ones read no text and stay out.
    """
    from exitgate.facts.registry import BUILT_IN, load
    from exitgate.gate.mask import masked
    from exitgate.model.iteration import Iteration, Source

    found: list[Fact] = []
    for entry in policy.extractions:
        if BUILT_IN.get(entry.prefix) == entry.extractor:
            continue
        offered = Source(entry.source, text=source.text, path=source.path, warnings=source.warnings)
        sources = {entry.source: offered} if task is None else {"task": task, entry.source: offered}
        iteration = Iteration(1, "", 0.0, sources)
        found += load(entry.extractor).extract(entry.prefix, entry.source, entry.options, iteration)
    everywhere = dict.fromkeys({entry.source for entry in policy.extractions}, source)
    return tuple(masked({fact.name: fact for fact in found}, everywhere, policy).values())


COMMAND = Command(
    "facts",
    "show what the extractors of a policy find in a file",
    about="Each file is read by every extractor the policy names under `facts:`, and each fact is shown "
    "with the words it rests on, and those that did not count with the guard that refused them. Nothing is "
    "decided or kept.",
    arguments=(Argument("FILE", MANY, "a response, a plan, any text; `-` for stdin"),),
    options=(
        Option("--policy", "-p", metavar="NAME|PATH", doc="whose extractors and words to use"),
        Option("--set", kind=REPEAT, metavar="NAME=VALUE", doc="set a parameter of the policy"),
        Option("--task", metavar="PATH", doc="the task; what a text only repeats from it does not count"),
        Option("--format", choices=("text", "json"), default="text", doc="form of the result"),
        COLOR,
    ),
    examples=(
        ("exitgate facts .ralph/last-response.md", "what the default policy sees in a response"),
        ("exitgate facts plan.md --policy bb3 --format json", "for a program"),
    ),
    codes=(SUCCESS, *TROUBLE[:2], ("66", "a file is missing"), *TROUBLE[2:]),
    run=run,
)
