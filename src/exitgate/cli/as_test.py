"""`exitgate explain --as-test`: a decision as a case for tests.yaml."""

from __future__ import annotations

from exitgate.cli.answer import Answer
from exitgate.cli.options import request_of
from exitgate.model.diagnostic import ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.cli.given import Given
    from exitgate.engine.program import Program

#: Options that shape an explanation for people; a case has one form.
_APART = ("all", "rule", "why_not")


def case_of_files(given: Given) -> Answer:
    """Return the decision that files would give now as a case; raises as `as_test` and a check do."""
    from exitgate.engine.program import Program
    from exitgate.gate.check import check
    from exitgate.testing.as_test import as_test

    _check_alone(given)
    checked = check(request_of(given, record=False))
    program = Program(checked.policy)
    name = f"{_result(checked.decision.exit_class)} on {given.text('response') or 'these files'}"
    text = as_test(name, program, checked.records, checked.decision)
    return Answer(text, _remark(text, program))


def case_of_recorded(given: Given) -> Answer:
    """Return a recorded decision as a case; raises as `as_test` and `recall` do."""
    from exitgate.engine.program import Program
    from exitgate.gate.discover import state_dir
    from exitgate.gate.recall import recall
    from exitgate.ledger.runs import iteration_of
    from exitgate.testing.as_test import as_test

    _check_alone(given)
    wanted = given.text("response")
    directory = state_dir(request_of(given, record=False))
    found = recall(directory, None if wanted is None else int(wanted), given.text("run"))
    line, program = found.line, Program(found.policy)
    where = f"decision {line['sequence']}, {line['run']} iteration {iteration_of(line)}"
    name = f"{where} is {_result(found.decision.exit_class)}"
    text = as_test(name, program, found.records, found.decision)
    return Answer(text, _remark(text, program))


def _result(exit_class: str | None) -> str:
    return "CONTINUE" if exit_class is None else f"EXIT {exit_class}"


def _check_alone(given: Given) -> None:
    """Raise `ExitgateError` (64) where an option asks for something else than a case."""
    from exitgate.cli.usage import usage_error

    for key in _APART:
        if given.values.get(key):
            raise usage_error(f"`--{key.replace('_', '-')}` does not go with `--as-test`", "give one of them")
    if given.word("format") != "text":
        raise usage_error("`--format` does not go with `--as-test`", "a case is YAML; leave out `--format`")


def _remark(text: str, program: Program) -> str:
    """Return a warning where the policy, as tests load it, does not decide what the case expects."""
    from exitgate.engine.program import Program
    from exitgate.policy.compile import load_policy
    from exitgate.testing.one_case import passes, read_one

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
