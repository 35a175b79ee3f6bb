"""`exitgate diff`: what differs between two policies, in words and in decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from exitgate.cli.command import NUMBER, Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.commands.recorded.selection import nothing_to_judge
from exitgate.cli.parsing.usage import at_least, pairs, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import FINDINGS, OK
from exitgate.recordings.replay.policies import name_and_settings as settings_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.results.comparison import Decided, Side
    from exitgate.recordings.scoring.comparison import Comparison


#: Seconds that the walk of one stage may take.
SECONDS = 10
#: What the two policies are called where recorded runs are walked and both have the same name.
FIRST, SECOND = "before", "after"


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return what is written and what is decided differently; 69 where something is, or may be."""
    from exitgate.analysis.diff.semantic import invisible_changes
    from exitgate.analysis.diff.textual import text_changes
    from exitgate.cli.progress import progress
    from exitgate.recordings.reports.comparison import compare_json, compare_markdown, compare_text
    from exitgate.report.policy.diff import changes_text, diff_markdown, heading, summary_text

    before, after = sides(given)
    changes = text_changes(before, after)
    with progress("walking") as tell:
        decided = walked(before, after, given, tell)
    hidden = invisible_changes(changes)
    recorded = runs_of(before, after, given)
    cases = cases_of(decided) if given.flag("cases") or given.word("format") != "text" else ()
    differs = (
        decided.differ is not False or bool(hidden) or (recorded is not None and bool(recorded.divergences))
    )
    code = OK if given.flag("exit_zero") or not differs else FINDINGS
    pair = (before, after)
    if given.word("format") == "json":
        from exitgate.report.policy.diff_output import diff_json

        plain = None if recorded is None else _plain(compare_json(recorded))
        return Answer(diff_json(pair, changes, decided, hidden, cases, plain), "", code)
    if given.word("format") == "markdown":
        told = "" if recorded is None else "### Recorded runs\n\n" + compare_markdown(recorded).rstrip("\n")
        return Answer(diff_markdown(pair, changes, decided, hidden, cases, told), "", code)
    from exitgate.report.policy.decision_diff import decisions_text

    lines = [heading(pair, terminal.out), *summary_text(changes, decided, terminal.out)]
    lines += changes_text(changes, terminal.out)
    lines += decisions_text(decided, hidden, pair, terminal.out, cases)
    text = "\n".join(lines) + "\n"
    if recorded is not None:
        text += f"\n{terminal.out.paint('strong', 'Recorded runs')}\n" + compare_text(recorded, terminal.out)
    return Answer(text, "", code)


def walked(
    before: Side, after: Side, given: ParsedArguments, tell: Callable[[str], None] | None = None
) -> Decided:
    """Return on which inputs the two decide differently, within the seconds that are given for it."""
    from exitgate.analysis.diff.semantic import decision_changes
    from exitgate.analysis.walk.queries import Limits

    seconds = at_least("--seconds", given.number("seconds"), 1) or SECONDS
    limits = Limits(seconds=float(seconds), points=10**9)
    if tell is None:
        return decision_changes(before.policy, after.policy, limits)
    return decision_changes(before.policy, after.policy, limits, tell)


def cases_of(decided: Decided) -> tuple[str, ...]:
    """Return for each kind its example as a case that the second policy passes."""
    from exitgate.testing.counterexample import case_of

    found = []
    for kind in decided.kinds:
        said = kind.after
        expect: dict[str, object] = {"verdict": said.verdict}
        expect |= {key: one for key, one in (("class", said.exit_class), ("rule", said.rule)) if one}
        was = f"{kind.before.verdict} {kind.before.exit_class or ''}".strip()
        name = f"{said.rule or 'no rule'} decides instead of {was} by {kind.before.rule or 'no rule'}"
        run = tuple(kind.run)
        found.append(case_of(run, name, expect, kind.stage))
    return tuple(found)


def runs_of(before: Side, after: Side, given: ParsedArguments) -> Comparison | None:
    """
    Return the two policies on recorded runs, or None where none are given.

    Raises `ExitgateError` where the paths lead to no run.
    """
    paths = given.texts("runs")
    if not paths:
        return None
    from exitgate.cli.progress import progress
    from exitgate.recordings.scoring.comparison import compare

    names = (before.label, after.label) if before.label != after.label else (FIRST, SECOND)
    policies = dict(zip(names, (before.policy, after.policy), strict=True))
    with progress("reading") as tell:
        found = compare(paths, policies, reader=given.text("reader"), tell=tell)
    if not found.runs:
        raise nothing_to_judge("all runs belong to sub-agents", "", paths, found.unread, found.sub_agents)
    return found


def sides(given: ParsedArguments) -> tuple[Side, Side]:
    """
    Return the two policies that a command line names.

    Raises `ExitgateError`: 64 for a wrong number of them, else as
    `exitgate.analysis.diff.operands.read_side`.
    """
    from exitgate.analysis.diff.operands import read_against, read_side

    names, against = given.texts("policy"), given.text("against")
    settings = pairs("--set", given.texts("set"))
    if against is not None:
        if len(names) != 1:
            raise usage_error("`--against` is for one policy", "write `exitgate diff PATH --against REV`")
        path, own = apart(names[0])
        found = read_against(path, against, settings), read_side(path, {**settings, **own})
    elif len(names) == 2:
        found = side(names[0], settings), side(names[1], settings)
    elif len(names) == 1 and settings:
        path, own = apart(names[0])
        label = f"{names[0]} with {', '.join(f'{name}={text}' for name, text in settings.items())}"
        found = side(names[0], {}), read_side(path, {**own, **settings}, label)
    else:
        help = "write `exitgate diff A B`, or one policy with `--set` or `--against`"
        raise usage_error(f"`diff` needs two policies, not {len(names)}", help)
    _taken(settings, found, names[0])
    return found


def apart(name: str) -> tuple[str, dict[str, str]]:
    """Return a policy and its own settings, out of ``NAME:PARAMETER=VALUE,PARAMETER=VALUE``."""
    return settings_of(name) if "=" in name.rpartition(":")[2] else (name, {})


def side(name: str, settings: Mapping[str, str]) -> Side:
    """Return one policy of a comparison, with its own settings before those for both."""
    from exitgate.analysis.diff.operands import read_side

    path, own = apart(name)
    found = read_side(path, {**settings, **own}, name)
    _taken(own, (found, found), name)
    return found


def _taken(settings: Mapping[str, str], found: tuple[Side, Side], name: str) -> None:
    """Raise `ExitgateError` (64) for settings that neither of the two has a parameter for."""
    left = [n for n in settings if not any(n in side.policy.parameters for side in found)]
    if not left:
        return
    from exitgate.core.model.spelling import suggestion

    known = dict.fromkeys(n for side in found for n in side.policy.parameters)
    raise usage_error(f"`{name}` has no parameter `{left[0]}`", suggestion(left[0], known, "parameters"))


def _plain(text: str) -> dict[str, object]:
    import json

    plain = json.loads(text)
    assert isinstance(plain, dict)
    return plain


COMMAND = Command(
    "diff",
    "show the differences between two policies, in text and in decisions",
    about="First shows textual differences, section by section, then the inputs on which the two decide "
    "differently: each kind once, with the smallest example found, and how certain it is that there are no "
    "others. Inputs are facts; differences in how facts are read from a text, when the breaker opens and "
    "when silence ends a run are reported separately. A policy is a shipped name, a path, a folder with a "
    "policy.yaml, `NAME@1.0.0` (the installed version, or one in the git history of its file) or `REV:PATH` "
    "as git writes it; each may have its own settings, `bb3:min_completion=90`. The lexicons and base "
    "policies of a policy from a revision come from the same revision; shipped ones are the installed ones.",
    arguments=(Argument("POLICY...", "two policies; or one with --set or --against"),),
    options=(
        Option(
            "--set NAME=VALUE...",
            "set a parameter, in each policy that has it; with one policy: compare it without and with",
        ),
        Option("--against REVISION", "compare a file with its version in a git revision, which comes first"),
        Option("--runs, -r PATH...", "also compare the two on recorded runs"),
        Option("--reader ID", "the format of the transcripts; detected from their content by default"),
        Option("--cases", "also show each example as a case for tests.yaml"),
        Option(
            "--seconds N", f"how long the walk over one stage may take; {SECONDS} by default", kind=NUMBER
        ),
        Option("--exit-zero", "exit 0 even if the policies differ"),
        formats("text", "json", "markdown"),
    ),
    examples=(
        ("exitgate diff bb3-faithful bb3", "what the repairs of bb3 change"),
        ("exitgate diff bb3 --set min_completion=90", "what another threshold changes"),
        ("exitgate diff policy.yaml --against main", "what a branch changes"),
        ("exitgate diff v1.0.0:policy.yaml policy.yaml --format markdown", "for a pull request"),
    ),
    codes={
        "0": "it is proved that no input is decided differently",
        "66": "a revision, a version or a file does not exist",
        "69": "an input is decided differently, or may be: facts are read differently, or it is not decided",
    },
    run=run,
)
