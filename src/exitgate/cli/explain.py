"""`exitgate explain`: why a decision came out as it did, down to the words that counted."""

from __future__ import annotations

import os

from exitgate.cli.answer import Answer
from exitgate.cli.declared import COLOR, FLAG, TROUBLE, Command, Option
from exitgate.cli.options import ASKING, PLAN, RESPONSE, request_of
from exitgate.model.verdict import CLASSES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from exitgate.cli.given import Given
    from exitgate.cli.terminal import Terminal
    from exitgate.model.decision import Decision
    from exitgate.model.evidence import Fact
    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.report.explanation import Explanation

#: Options that say what to decide on; with one of them files are explained, not the ledger.
FRESH = ("policy", "set", "task", "agent_exit", "source", "fact", "stage")


def run(given: Given, terminal: Terminal) -> Answer:
    """Explain a recorded decision, the one that files would give, or an id, in the form asked for."""
    from exitgate.cli.explain_id import asked_id, explain_id

    word = asked_id(given)
    if word is not None:
        return explain_id(word, given, terminal)
    if given.flag("as_test"):
        from exitgate.cli.as_test import case_of_files, case_of_recorded

        return case_of_files(given) if is_fresh(given) else case_of_recorded(given)
    explained, plain = _of_files(given) if is_fresh(given) else _recorded(given)
    form = given.word("format")
    if form == "json":
        from exitgate.report.json import explanation_json, json_text

        return Answer(json_text({**plain, **explanation_json(explained)}))
    if form == "markdown":
        from exitgate.report.markdown import explanation_markdown

        return Answer(explanation_markdown(explained))
    from exitgate.report.ladder import ladder_text

    return Answer(ladder_text(explained, terminal.out))


def is_fresh(given: Given) -> bool:
    """Return whether files must be explained; a bare number is the number of a recorded decision."""
    response = given.text("response")
    if given.text("plan") is not None or any(given.values.get(key) is not None for key in FRESH):
        return True
    return response is not None and (not response.isdecimal() or os.path.exists(response))


def _recorded(given: Given) -> tuple[Explanation, Mapping[str, object]]:
    from exitgate.gate.discover import state_dir
    from exitgate.gate.recall import recall
    from exitgate.ledger.runs import iteration_of

    wanted = given.text("response")
    directory = state_dir(request_of(given, record=False))
    found = recall(directory, None if wanted is None else int(wanted), given.text("run"))
    line = found.line
    explained = _explanation(
        given,
        found.policy,
        found.decision,
        found.facts,
        found.records,
        run=str(line["run"]),
        number=iteration_of(line),
        changed=found.changed,
    )
    keys = ("sequence", "run", "iteration", "at", "policy", "decision")
    return explained, {key: line[key] for key in keys if key in line}


def _of_files(given: Given) -> tuple[Explanation, Mapping[str, object]]:
    from exitgate.cli.setting import unread_response
    from exitgate.gate.check import check
    from exitgate.gate.mask import covered
    from exitgate.gate.printed import printed

    checked = check(request_of(given, record=False))
    texts = covered(checked.iteration.sources, checked.policy)
    explained = _explanation(
        given,
        checked.policy,
        checked.decision,
        checked.facts,
        checked.records,
        run=checked.iteration.run,
        number=checked.iteration.number,
        texts=texts,
        changed=checked.changed,
        unread=unread_response(checked),
    )
    return explained, printed(checked)


def _explanation(
    given: Given,
    policy: CompiledPolicy,
    decision: Decision,
    facts: Mapping[str, Fact],
    records: Sequence[Mapping[str, object]],
    *,
    run: str,
    number: int,
    texts: Mapping[str, str] | None = None,
    changed: str = "",
    unread: str = "",
) -> Explanation:
    from exitgate.analysis.outlook import outlook
    from exitgate.analysis.second_opinion import ask_second_opinion
    from exitgate.cli.setting import setting_of
    from exitgate.engine.program import Program
    from exitgate.report.explanation import Explanation, rungs

    program = Program(policy)
    ask_second_opinion(program, records, decision.stage)
    rule, why_not = _rule(given, policy), given.text("why_not") or ""
    ladder = rungs(policy, decision, records, bool(rule or why_not))
    seen = outlook(program, records, decision, given.text("stage") is not None)
    setting = setting_of(policy, decision, facts, records, number=number, changed=changed, unread=unread)
    return Explanation(
        policy, decision, ladder, facts, run, number, texts, seen, given.flag("all"), setting, rule, why_not
    )


def _rule(given: Given, policy: CompiledPolicy) -> str:
    """Return the id given to `--rule`; raises `ExitgateError` (64) where the policy has no such rule."""
    name = given.text("rule") or ""
    ids = [rule.id for rule in policy.rules]
    if not name or name in ids:
        return name
    from exitgate.cli.usage import usage_error
    from exitgate.engine.program import OTHERWISE, UNDETERMINED
    from exitgate.policy.suggestion import nearest_name

    if name in (OTHERWISE, UNDETERMINED):
        message = f"`{name}` is not a rule: it decides if no rule does"
        raise usage_error(message, "`exitgate explain --all` shows why no rule did")
    near = nearest_name(name, ids)
    help = f"did you mean `{near}`?" if near else f"`exitgate explain {policy.name}` lists them"
    raise usage_error(f"policy `{policy.name}` has no rule `{name}`", help)


COMMAND = Command(
    "explain",
    "explain a decision: the rules in order, the values, the words that counted",
    about="Without arguments, explains the last decision; with a number, the decision with that "
    "number in `exitgate history`; with files, the decision they would give now. Nothing is recorded. Any "
    "other argument is an id, whose page is printed: a diagnostic code, a fact, an option, a function, a "
    "word of the language, a lint, or a policy and its parts.\n\nEach rule is shown with the values in its "
    "condition: ● decided, ○ false, ◔ false so far, ? unknown, ! warns, ◌ in shadow mode, · not asked. The "
    "evidence follows: ^^^ counted, ~~~ did not.",
    arguments=(RESPONSE, PLAN),
    options=(
        *ASKING,
        Option(
            "--all", kind=FLAG, doc="every rule, change, threshold and next step, not only the relevant ones"
        ),
        Option("--rule", metavar="NAME", doc="this rule only, with its values and evidence"),
        Option(
            "--why-not",
            metavar="CLASS",
            choices=CLASSES,
            doc="the rules of a class, and what each of them lacked",
        ),
        Option(
            "--as-test",
            kind=FLAG,
            doc="the decision as a case for tests.yaml: the facts that mattered, their history, the result",
        ),
        Option("--format", choices=("text", "json", "markdown"), default="text", doc="output format"),
        COLOR,
    ),
    examples=(
        ("exitgate explain", "the last decision"),
        ("exitgate explain 7", "decision 7 of the ledger"),
        ("exitgate explain --why-not complete", "what kept the run from being complete"),
        ("exitgate explain 7 --as-test", "decision 7 as a case for tests.yaml"),
        ("exitgate explain response.md plan.md --policy bb3", "what these files would lead to, and why"),
        ("exitgate explain --format markdown >> $GITHUB_STEP_SUMMARY", "in a workflow"),
        ("exitgate explain EP401", "what a diagnostic means, and how to fix it"),
        ("exitgate explain tasks.percent --policy bb3", "what a fact is in a policy, and which rules use it"),
    ),
    codes=(
        ("0", "the decision was explained"),
        *TROUBLE[:2],
        ("66", "the decision does not exist, or a file is missing"),
        *TROUBLE[2:],
    ),
    run=run,
)
