"""Who answers the questions: the boundary walk, the solver, or both compared with each other."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from msgspec.structs import replace

from exitgate.analysis.results.answer import PROVED, REFUTED, UNDECIDED, Answer
from exitgate.analysis.walk.search import Limits
from exitgate.core.model.decision import INTERNAL, USAGE
from exitgate.core.model.diagnostic import Diagnostic, ExitgateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

    from exitgate.core.policy.compiled import CompiledPolicy


#: Codes of this package, one line each; `docs` reads them.
CODES = {
    "EP530": "the boundary walk and the solver disagree: a bug in exitgate",
    "EP531": "the solver is not installed",
    "EP532": "the solver and the engine disagree: a bug in exitgate",
}
WALK, SOLVER, BOTH = "walk", "z3", "both"
_MODULES = {WALK: "exitgate.analysis.walk.queries", SOLVER: "exitgate.analysis.solver.queries"}


class Backend:
    """
    Asks questions by the names that `exitgate.analysis.walk.queries` gives them.

    Args:
        who: `WALK`, `SOLVER` or `BOTH`.
        limits: For each question and each of those who answer.

    Raises:
        ExitgateError: The solver is asked for and not installed (64).
    """

    def __init__(self, who: str = WALK, limits: Limits | None = None) -> None:
        names = (WALK, SOLVER) if who == BOTH else (who,)
        self.limits = limits or Limits()
        self._asked: dict[str, ModuleType] = {name: _load(name) for name in names}

    def ask(
        self,
        question: str,
        policy: CompiledPolicy,
        *about: object,
        small: bool = False,
        share: float = 1.0,
        **more: object,
    ) -> Answer:
        """
        Return the answer of all who know the question.

        Args:
            question: A name in `exitgate.analysis.walk.queries`.
            policy, about, more: What it is asked about.
            small: Whether the example is made as small as can be.
            share: Of the time of a question.

        Raises `ExitgateError` (EP530, 70) where one has found an input that another has proved not to be.
        """
        limits = replace(self.limits, small=small, seconds=self.limits.seconds * share)
        answers = {
            name: getattr(module, question)(policy, *about, limits=limits, **more)
            for name, module in self.who_knows(question).items()
        }
        return _agreed(question, policy, about, answers)

    def who_knows(self, question: str) -> dict[str, ModuleType]:
        """Return those asked who know the question; the walk knows every one."""
        found = {name: module for name, module in self._asked.items() if hasattr(module, question)}
        return found or {WALK: _load(WALK)}

    def asks(self, name: str) -> bool:
        """Return whether `WALK` or `SOLVER` is asked."""
        return name in self._asked

    def by(self, question: str) -> str:
        """Return who answers the question, in words."""
        return " and ".join(self.who_knows(question))


def _load(name: str) -> ModuleType:
    if name == SOLVER and find_spec("z3") is None:
        message = "the solver is not installed"
        help = "install it: `pip install 'exitgate[prove]'`; or omit `--with`"
        raise ExitgateError([Diagnostic("EP531", message, help=help)], USAGE)
    return import_module(_MODULES[name])


def disagreement(message: str) -> ExitgateError:
    """Return the error (EP530, 70) for answers that cannot both be right."""
    help = "this is a bug in exitgate: report it with the policy"
    return ExitgateError([Diagnostic("EP530", message, help=help)], INTERNAL)


def _agreed(question: str, policy: CompiledPolicy, about: object, answers: dict[str, Answer]) -> Answer:
    found = {name: one for name, one in answers.items() if one.status == REFUTED}
    none = {name: one for name, one in answers.items() if one.status == PROVED}
    if found and none:
        what = f"the question `{question}` about {_described(about)}"
        raise disagreement(
            f"`{policy.name}`: {next(iter(found))} finds an input for {what}, "
            f"{next(iter(none))} proves that there is none"
        )
    for group in (found, none):
        if group:
            return next(iter(group.values())).but(points=max(one.points for one in group.values()))
    return next(one for one in answers.values() if one.status == UNDECIDED)


def _described(about: object) -> str:
    names = [getattr(one, "id", one) for one in about] if isinstance(about, tuple) else []
    return ", ".join(f"`{name}`" for name in names if isinstance(name, str)) or "a condition"
