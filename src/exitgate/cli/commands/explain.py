"""`exitgate explain`: why a decision came out as it did, down to the words that counted."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from exitgate.cli.command import Answer, Command, Option, ParsedArguments, formats
from exitgate.cli.options import ASKING, PLAN, RESPONSE, request_of, setting_of, settled_of, unread_response
from exitgate.cli.parsing.usage import failure, not_in_probe, usage_error
from exitgate.cli.terminal import Terminal
from exitgate.core.model.decision import CLASSES, USAGE, Decision
from exitgate.core.model.diagnostic import ExitgateError
from exitgate.core.model.fact import Fact
from exitgate.core.model.spelling import nearest, nearest_name
from exitgate.core.policy.compiled import CompiledPolicy
from exitgate.report.decision.explanation import Explanation, rungs
from exitgate.report.formats.markdown_text import markdown_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.engine.program import Program
    from exitgate.reference.index import Entry


#: Options that say what to decide on; with one of them files are explained, not the ledger.
FRESH = ("policy", "set", "task", "agent_exit", "source", "fact", "stage")


def run(given: ParsedArguments, terminal: Terminal) -> Answer:
    """Explain a recorded decision, the one that files would give, or an id, in the form asked for."""

    word = requested_id(given)
    if word is not None:
        return explain_id(word, given, terminal)
    if given.flag("as_test"):
        return case_of_files(given) if is_fresh(given) else case_of_recorded(given)
    explained, plain = _of_files(given) if is_fresh(given) else _recorded(given)
    form = given.word("format")
    if form == "json":
        from exitgate.report.formats.json import explanation_json, json_text

        return Answer(json_text({**plain, **explanation_json(explained)}))
    if form == "markdown":
        from exitgate.report.decision.markdown import explanation_markdown

        return Answer(explanation_markdown(explained))
    from exitgate.report.decision.ladder import ladder_text

    return Answer(ladder_text(explained, terminal.out))


def is_fresh(given: ParsedArguments) -> bool:
    """Return whether files must be explained; a bare number is the number of a recorded decision."""
    response = given.text("response")
    if given.text("plan") is not None or any(given.values.get(key) is not None for key in FRESH):
        return True
    return response is not None and (not response.isdecimal() or os.path.exists(response))


def _recorded(given: ParsedArguments) -> tuple[Explanation, Mapping[str, object]]:
    from exitgate.core.state.discover import state_dir
    from exitgate.recordings.ledger.recall import recall
    from exitgate.report.probes import probes_of

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
        run=line.run,
        number=line.number,
        changed=found.changed,
    ).but(probes=probes_of(line.plain))
    keys = ("sequence", "run", "iteration", "at", "policy", "decision", "probes", "gate")
    return explained, {key: line.plain[key] for key in keys if key in line.plain}


def _of_files(given: ParsedArguments) -> tuple[Explanation, Mapping[str, object]]:
    from exitgate.core.gate.check import check
    from exitgate.core.observe.masking import covered
    from exitgate.report.decision.plain import printed

    not_in_probe("explain")
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
    return explained.but(probes=checked.probes), printed(checked)


def _explanation(
    given: ParsedArguments,
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
    from exitgate.analysis.counterfactuals.outlook import outlook
    from exitgate.analysis.second_opinion import ask_second_opinion
    from exitgate.core.engine.program import Program
    from exitgate.report.decision.counterfactuals import TURNS

    program = Program(policy)
    ask_second_opinion(program, records, decision.stage)
    rule, why_not = _rule(given, policy), given.text("why_not") or ""
    ladder = rungs(policy, decision, records, bool(rule or why_not))
    whole = given.flag("all") or given.word("format") == "json"
    alone = given.text("stage") is not None
    seen = outlook(program, records, decision, alone, enough=None if whole else TURNS)
    setting = setting_of(policy, decision, facts, records, number=number, changed=changed, unread=unread)
    return Explanation(
        policy, decision, ladder, facts, run, number, texts, seen, given.flag("all"), setting, rule, why_not
    )


def _rule(given: ParsedArguments, policy: CompiledPolicy) -> str:
    """Return the id given to `--rule`; raises `ExitgateError` (64) where the policy has no such rule."""
    name = given.text("rule") or ""
    ids = [rule.id for rule in policy.rules]
    if not name or name in ids:
        return name
    from exitgate.core.engine.program import OTHERWISE, UNDETERMINED

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
        Option("--all", "every rule, change, threshold and next step, not only the relevant ones"),
        Option("--rule NAME", "this rule only, with its values and evidence"),
        Option("--why-not CLASS", "the rules of a class, and what each of them lacked", choices=CLASSES),
        Option(
            "--as-test",
            "the decision as a case for tests.yaml: the facts that mattered, their history, the result",
        ),
        formats("text", "json", "markdown"),
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
    codes={"0": "the decision was explained", "66": "the decision does not exist, or a file is missing"},
    run=run,
)


# `exitgate explain ID`: the page of a diagnostic, fact, function, policy or any other id.

#: Codes of this command, one line each; `docs` reads them.
CODES = {"EP550": "the argument is not a decision, a file or an id"}

#: What is given beside a response, not beside an id.
_OF_FILES = ("plan", "task", "agent_exit", "source", "fact", "stage", "run")
#: So many near ids are named.
_NEAREST = 3


def requested_id(given: ParsedArguments) -> str | None:
    """
    Return the id that must be explained, or None where a decision or files are.

    A number is a decision, a file that exists and anything that only a path can be is a response. A folder
    is not: one that has the name of an id, such as a copied policy's, does not hide the id's page.
    """
    word = given.text("response")
    if word is None or word == "-" or word.isdecimal():
        return None
    if os.path.exists(word) and not (os.path.isdir(word) and _is_known(word)):
        return None
    if any(given.values.get(key) for key in _OF_FILES):
        return None
    separators = {os.sep, os.altsep or os.sep}
    return None if any(sign in word for sign in separators) else word


def _is_known(word: str) -> bool:
    from exitgate.reference.index import known_ids

    return word in known_ids()


def explain_id(word: str, given: ParsedArguments, terminal: Terminal) -> Answer:
    """
    Return the page of an id: read on a terminal, Markdown elsewhere, or JSON.

    A fact, parameter or rule of the policy is reported as the policy has it. Raises `ExitgateError` (64)
    where there is no such id.
    """
    from exitgate.reference.index import PageOutput, known_ids, text_of, within

    known = known_ids()
    entries = known.get(word) or known.get(word.upper()) or known.get(word.lower()) or ()
    own = _of_policy(word, given, wanted=not entries)
    if not entries and own is None:
        raise _unknown(word, known)
    text = own if own is not None else within(text_of(entries[0]), entries[0].page)
    also = entries if own is not None else entries[1:]
    form = given.word("format")
    if form == "json":
        from exitgate.report.formats.output import output_text

        first = entries[0] if own is None else None
        names = tuple(f"{entry.kind.replace(' ', '-')}:{entry.id}" for entry in also)
        id, kind, page = (first.id, first.kind, first.link) if first else (word, "policy's own", None)
        return Answer(output_text(PageOutput("exitgate/page@1", id, kind, page, names, text)))
    text += _also(also)
    if form == "markdown" or sys.stdout is None or not sys.stdout.isatty():
        return Answer(text)

    return Answer(markdown_text(text, terminal.out))


def _of_policy(word: str, given: ParsedArguments, wanted: bool) -> str | None:
    """Return what a word is in the policy, where one was named or where the word is nothing else."""
    if given.text("policy") is None and not wanted:
        return None
    from exitgate.reference.symbols import symbol_page

    return symbol_page(word, settled_of(given).policy)


def _also(entries: Iterable[Entry]) -> str:
    lines = [f"- `exitgate explain {e.kind.replace(' ', '-')}:{e.id}`: {e.title}" for e in entries]
    return "\n".join(["", "Also:", "", *lines]) + "\n" if lines else ""


def _unknown(word: str, known: Mapping[str, Sequence[Entry]]) -> ExitgateError:
    # A misspelt id or file is seldom a word of the glossary.
    left = sorted(id for id, some in known.items() if ":" not in id and some[0].kind != "term")
    near: list[str] = []
    while len(near) < _NEAREST:
        found = nearest(word, left)
        if found is None:
            break
        near.append(found)
        left.remove(found)
    if near:
        help = "did you mean " + " or ".join(f"`{one}`" for one in near) + "?"
    else:
        help = "give the number of a decision, a file, or an id such as `EP401`, `checklist` or `streak`"
    message = f"`{word}` is not a decision, a file or an id"
    return failure("EP550", message, help, USAGE)


# `exitgate explain --as-test`: a decision as a case for tests.yaml.

#: Options that shape an explanation for people; a case has one form.
_APART = ("all", "rule", "why_not")


def case_of_files(given: ParsedArguments) -> Answer:
    """Return the decision that files would give now as a case; raises as `as_test` and a check do."""
    from exitgate.core.engine.program import Program
    from exitgate.core.gate.check import check
    from exitgate.testing.as_test import as_test

    _check_alone(given)
    not_in_probe("explain")
    checked = check(request_of(given, record=False))
    program = Program(checked.policy)
    name = f"{_result(checked.decision.exit_class)} on {given.text('response') or 'these files'}"
    text = as_test(name, program, checked.records, checked.decision)
    return Answer(text, _remark(text, program))


def case_of_recorded(given: ParsedArguments) -> Answer:
    """Return a recorded decision as a case; raises as `as_test` and `recall` do."""
    from exitgate.core.engine.program import Program
    from exitgate.core.state.discover import state_dir
    from exitgate.recordings.ledger.recall import recall
    from exitgate.testing.as_test import as_test

    _check_alone(given)
    wanted = given.text("response")
    directory = state_dir(request_of(given, record=False))
    found = recall(directory, None if wanted is None else int(wanted), given.text("run"))
    line, program = found.line, Program(found.policy)
    where = f"decision {line.sequence}, {line.run} iteration {line.number}"
    name = f"{where} is {_result(found.decision.exit_class)}"
    text = as_test(name, program, found.records, found.decision)
    return Answer(text, _remark(text, program))


def _result(exit_class: str | None) -> str:
    return "CONTINUE" if exit_class is None else f"EXIT {exit_class}"


def _check_alone(given: ParsedArguments) -> None:
    """Raise `ExitgateError` (64) where an option asks for something else than a case."""
    for key in _APART:
        if given.values.get(key):
            raise usage_error(f"`--{key.replace('_', '-')}` does not go with `--as-test`", "give one of them")
    if given.word("format") != "text":
        raise usage_error("`--format` does not go with `--as-test`", "a case is YAML; leave out `--format`")


def _remark(text: str, program: Program) -> str:
    """Return a warning where the policy, as tests load it, does not decide what the case expects."""
    from exitgate.core.engine.program import Program
    from exitgate.core.policy.compile import load_policy
    from exitgate.testing.as_test import passes, read_one

    decided = program.policy
    reference = decided.name if decided.path.startswith("shipped:") else decided.path
    case = read_one(text, program)
    assert case is not None
    try:
        now = Program(load_policy(reference, settings=case.settings))
    except ExitgateError as error:
        return f"warning: the policy as it is now cannot be asked: {error.diagnostics[0].message}\n"
    again = read_one(text, now)
    if again is not None and passes(again, now):
        return ""
    return (
        f"warning: `{reference}` by itself decides otherwise now: it was edited since, or settings of the "
        "project change its rules\n"
    )
