"""`exitgate prove`: promises of policies, for every possible input."""

from __future__ import annotations

from exitgate.cli.command import Answer, Argument, Command, Option, ParsedArguments, formats
from exitgate.cli.options import settled_of
from exitgate.cli.parsing.usage import number_of, pairs, usage_error
from exitgate.cli.progress import progress_bar
from exitgate.cli.terminal import Terminal
from exitgate.core.language.problem import LanguageError
from exitgate.core.language.tree import Node
from exitgate.core.model.decision import FINDINGS, OK
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.terminal import Style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.prove.backend import Backend
    from exitgate.report.policy.proofs import PolicyProofs


FORMATS = ("text", "json", "github", "markdown")
GROUPS = ("invariants", "rules", "overlaps", "bound", "classes")
#: Seconds for one question; for a whole policy they add up.
SECONDS, MOST_SECONDS = 5.0, 3600.0


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Return the answers; 69 when a promise is broken, with --strict also when something is not decided."""
    from exitgate.analysis.prove.backend import Backend
    from exitgate.analysis.walk.search import Limits
    from exitgate.report.policy.proofs import undecided_text

    backend = Backend(given.word("with"), Limits(seconds=_seconds(given.text("seconds"))))
    policies = [_load(name, given) for name in given.texts("policy")] or [_in_force(given)]
    _check_rule(given.text("rule"), policies)
    with progress_bar("proving") as tell:
        told = []
        for number, policy in enumerate(policies):
            tell(number, len(policies), policy.name)
            told.append(_proved(policy, given, backend))
    found = tuple(told)
    failing = {"broken", "not decided", "noted"} if given.flag("strict") else {"broken"}
    fails = any(proof.status in failing and proof.kind != "overlap" for one in found for proof in one.proofs)
    out = _form(found, given.word("format"), terminal.out)
    return Answer(out, code=FINDINGS if fails else OK, undecided=undecided_text(found))


def _seconds(text: str | None) -> float:
    if text is None:
        return SECONDS
    found = number_of(text)
    if not 0 < found <= MOST_SECONDS:
        raise usage_error(f"`{text}` is not a number of seconds", f"write `--seconds {SECONDS:g}`")
    return found


def _load(name: str, given: ParsedArguments) -> CompiledPolicy:
    from exitgate.analysis.diff.operands import read_side

    return read_side(name, pairs("--set", given.texts("set"))).policy


def _in_force(given: ParsedArguments) -> CompiledPolicy:
    """Return the policy that decides here, as the layers of settings make it."""
    return settled_of(given).policy


def _check_rule(rule: str | None, policies: list[CompiledPolicy]) -> None:
    """Raise `ExitgateError` (64) for a rule that none of the policies has."""
    if rule is not None and not any(one.id == rule for policy in policies for one in policy.rules):
        names = ", ".join(f"`{policy.name}`" for policy in policies)
        raise usage_error(
            f"there is no rule `{rule}` in {names}", f"see `exitgate policies {policies[0].name}`"
        )


def _proved(policy: CompiledPolicy, given: ParsedArguments, backend: Backend) -> PolicyProofs:
    from exitgate.analysis.prove.prove import prove
    from exitgate.report.policy.proofs import PolicyProofs
    from exitgate.testing.proofs import proof_report

    only = given.text("only")
    groups = GROUPS if only is None else (only,)
    assumed = tuple(_condition(text, policy) for text in given.texts("assume"))
    proofs = tuple(
        proof_report(one, policy) for one in prove(policy, backend, groups, given.text("rule"), assumed)
    )
    return PolicyProofs(policy.name, policy.version, policy.path, backend.by("breaks"), proofs)


def _condition(text: str, policy: CompiledPolicy) -> Node:
    """Return a condition over the policy's facts. Raises `ExitgateError` (64) for one that cannot be used."""
    from exitgate.analysis.prove.prove import condition

    try:
        return condition(policy, text)
    except LanguageError as error:
        problem = error.problems[0]
        raise usage_error(
            f"`--assume {text}`: {problem.message}", problem.help or "see `exitgate explain`"
        ) from None


def _form(found: tuple[PolicyProofs, ...], name: str, style: Style) -> str:
    """Return the answers in one of `FORMATS`."""
    from exitgate.report.policy import proofs

    if name == "text":
        return proofs.prove_text(found, style)
    forms = {"json": proofs.prove_json, "github": proofs.prove_github, "markdown": proofs.prove_markdown}
    return forms[name](found)


COMMAND = Command(
    "prove",
    "prove promises of policies for every possible input",
    about="Checks a policy's invariants against every possible fact and history, unknown included, and "
    "answers the standard questions: can each rule decide, does the order of rules matter, does every run "
    "end, can every result be reached, does silence end a run. A broken promise is shown with the smallest "
    "input that breaks it, confirmed by the engine. What is neither proved nor shown by an input is `not "
    "decided`, with the reason; this fails only with `--strict`.",
    arguments=(
        Argument(
            "[POLICY...]", "shipped names, files, folders with a policy.yaml; by default the policy in force"
        ),
    ),
    options=(
        Option("--set NAME=VALUE...", "set a parameter"),
        Option("--only", "answer these questions only", choices=GROUPS),
        Option("--rule ID", "answer for this rule only"),
        Option("--assume CONDITION...", "for the bound: what is true in every iteration, `tasks.total == 5`"),
        Option(
            "--with", "the method; z3 needs the extra `prove`", choices=("walk", "z3", "both"), default="walk"
        ),
        Option("--seconds N", "time for one question, 5 by default"),
        Option("--strict", "exit 69 also for undecided questions and for notes"),
        formats(*FORMATS),
    ),
    examples=(
        ("exitgate prove", "the policy in force, with the project's settings"),
        ("exitgate prove policies/ours", "everything about a policy"),
        ("exitgate prove bb3 --set min_confidence=0 --only rules", "which rules a setting disables"),
        (
            "exitgate prove bb3-faithful --only bound --assume 'tasks.total == 5'",
            "whether every run over five tasks ends",
        ),
    ),
    codes={
        "0": "no promise is broken",
        "66": "there is no such policy",
        "69": "a promise is broken, or a rule can never decide",
    },
    run=run,
)
