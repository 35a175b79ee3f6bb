"""
The functions of the condition language, and its history forms with a syntax of their own: two tables.

Checker, evaluators, measures, analyses and the reference page read what they need of an operation here: what
it takes and gives, whether it counts, which of its arguments are conditions, where its window is.
`Function.op` is the operation of the tree (`exitgate.core.language.tree`).
"""

from __future__ import annotations

from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


#: Iterations that a history function reads at most when no `last N` is given, the current one included.
CAP = 50

#: The largest N of any `last N`, `for N iterations` or `N times`.
WINDOW_LIMIT = 1000

#: Iterations that a window in time reads at most. Where it holds more, what depends on them is unknown.
TIMED_LIMIT = 200

#: Kinds of facts by which iterations are grouped, as in `last 20 per tasks.current`.
KEYS = ("text", "enum", "count", "signature")

#: Operations that look at the items of a list one by one.
ON_ITEMS = frozenset(("of_items", "count_items"))

#: Items of a list that `any of LIST where`, `all of` and `count of` look at.
ITEM_LIMIT = 500

#: How a function takes `last N`.
NO_WINDOW, MAY_WINDOW, MUST_WINDOW = "no", "may", "must"

#: Shortest and longest sequence of values that `cycles` looks for.
PERIODS = (2, 5)

#: Operations that look at whether something is known. Only in them can a value for what is unknown change an
#: answer that was definite; of everything else a definite answer holds whatever the unknown turns out to be.
ON_UNKNOWN = frozenset(("known", "unknown", "silence", "or_else", "first", "last"))

#: Kinds that can be ordered and calculated with.
NUMERIC = ("count", "number", "percent", "duration", "money")
ANY = ("bool", *NUMERIC, "text", "enum", "list", "signature")

#: Results that follow the first argument: its own type; its type with count widened to number.
SAME, MEAN = "same", "mean"

#: What a history function gives: a count of iterations, a value by its size among others, or one of the
#: values, their sum or mean. Each is compiled by the module of `evaluation` with that name.
COUNTS, RANKS, SERIES = "history_counts", "history_ranks", "history_windows"


def _rounded(value: object) -> int:
    from exitgate.core.model.exact import nearest_whole

    return nearest_whole(value)


class Function(Value):
    """
    One function.

    Args:
        name: As it is written.
        op: Operation of the tree: ``call`` (args: name, argument nodes) or an operation of its own
            (args: node, ..., window or None).
        kinds: For each argument, the kinds of type it takes; the last repeats when `many`.
        many: Whether two or more arguments are taken.
        result: A kind of type, or `SAME` or `MEAN`.
        value: What it does with known arguments; None where it reads earlier iterations.
        bounds: Of numbers, the rule by which bounds of arguments give bounds of the result: one of
            `exitgate.core.model.exact.RULES`; with "" nothing is known of a result that is unknown.
        family: `COUNTS`, `RANKS` or `SERIES` where it reads earlier iterations, else "".
        history: Whether it reads earlier iterations; then it is evaluated on each of them.
        measures: Whether what it gives depends on how far its values lie apart, or on how many differ.
        window: `NO_WINDOW`, `MAY_WINDOW` or `MUST_WINDOW`.
        cap: Iterations it reads at most without `last N`, the current one included; 0 without history.
        doc: What it gives, one line.
        example: A condition that uses it.
    """

    __slots__ = (
        "bounds", "cap", "doc", "example", "family", "history", "kinds", "many", "measures", "name", "op",
        "result", "value", "window",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        op: str,
        kinds: tuple[tuple[str, ...], ...],
        result: str,
        doc: str,
        example: str,
        many: bool = False,
        value: Callable[..., object] | None = None,
        bounds: str = "",
        family: str = "",
        measures: bool = False,
        window: str = NO_WINDOW,
        cap: int = 0,
    ) -> None:
        self.name = name
        self.op = op
        self.kinds = kinds
        self.many = many
        self.result = result
        self.value = value
        self.bounds = bounds
        self.family = family
        self.history = family != ""
        self.measures = measures
        self.window = window
        self.cap = cap
        self.doc = doc
        self.example = example


_TABLE = (
    Function(
        "min", "call", (NUMERIC,), SAME,
        "the smallest of its arguments; with `last N`, of one argument over the last N iterations",
        "min(tasks.percent, confidence) >= 70%", many=True, value=min, bounds="min",
    ),
    Function(
        "max", "call", (NUMERIC,), SAME,
        "the largest of its arguments; with `last N`, of one argument over the last N iterations",
        "max(errors.count, tests.failed) > 5", many=True, value=max, bounds="max",
    ),
    Function(
        "abs", "call", (NUMERIC,), SAME, "its argument without its sign",
        "abs(tasks.done - tasks.total) <= 1", value=abs, bounds="abs",
    ),
    Function(
        "round", "call", (NUMERIC,), SAME, "its argument rounded to a whole number, halves away from zero",
        "round(average(confidence, last 3)) >= 70%", value=_rounded, bounds="round",
    ),
    Function(
        "length", "call", (("text", "list"),), "count", "characters of a text, or items of a list",
        "length(questions.found) >= 2", value=len,
    ),
    Function(
        "lower", "call", (("text",),), "text", "its argument in lower case",
        'lower(status.summary) contains "done"', value=str.lower,
    ),
    Function(
        "streak", "streak", (("bool",),), "count",
        "how many of the latest iterations in a row the condition is true in; with `skipping"
        " (Q)`, iterations in which Q is true are skipped",
        "streak(status.exit_signal is true) >= 2", family=COUNTS, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "count", "count", (("bool",),), "count", "how many of the last N iterations the condition is true in",
        "count(work.test_only, last 5) >= 3", family=COUNTS, window=MUST_WINDOW, cap=CAP,
    ),
    Function(
        "repeats", "repeated", (ANY,), "count",
        "how many of the latest iterations in a row have the value of this one, this one included; with"
        " `last N` how many of the last N, in a row or not",
        "repeats(errors.signature) >= 3", family=COUNTS, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "sum", "sum", (NUMERIC,), SAME, "the sum over the last N iterations",
        "sum(errors.count, last 3) > 10", family=SERIES, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "average", "average", (NUMERIC,), MEAN, "the mean over the last N iterations",
        "average(confidence, last 3) < 50%", family=SERIES, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "median", "median", (NUMERIC,), MEAN,
        "the middle value of the last N iterations by size; of an even number of values the mean of the two"
        " in the middle",
        "median(confidence, last 5) < 50%", family=RANKS, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "percentile", "percentile", (NUMERIC, ("percent",)), SAME,
        "the smallest value of the last N iterations that at least P% of their values do not exceed",
        "percentile(output.length, 90%, last 20) < 400", family=RANKS, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "deviation", "deviation", (NUMERIC,), MEAN,
        "the standard deviation of the values of the last N iterations, to a millionth",
        "deviation(output.length, last 5) < 50", family=RANKS, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "first", "first", (ANY,), SAME, "the earliest known value of the last N iterations",
        "tasks.done > first(tasks.done, last 10)", family=SERIES, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "last", "last", (ANY,), SAME, "the latest known value of the last N iterations",
        "last(status.exit_signal, last 3) is true", family=SERIES, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "previous", "previous", (ANY,), SAME, "the value of the iteration before this one",
        "tasks.done > previous(tasks.done)", family=SERIES, cap=2,
    ),
    Function(
        "distinct", "distinct", (ANY,), "count", "how many different values the last N iterations have",
        "distinct(errors.signature, last 4) is 1", family=COUNTS, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "occurrences", "occurrences", (ANY,), "count",
        "how many of the last N iterations have the value of this one, this one included; for a"
        " list, how many contain the most frequent of this one's items",
        "occurrences(errors.patterns, last 5) >= 3", family=COUNTS, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
    Function(
        "cycles", "cycles", (ANY,), "count",
        "how many times in a row, up to this iteration, the shortest sequence of 2 to 5 values that"
        " are not all the same has occurred; 1 if none has occurred twice",
        "cycles(errors.signature, last 12) >= 3", family=COUNTS, measures=True, window=MAY_WINDOW, cap=CAP,
    ),
)  # fmt: skip

#: Every function by the name it is written with.
FUNCTIONS: dict[str, Function] = {function.name: function for function in _TABLE}

#: Functions of several arguments that take one with `last N`; written with it they are these.
WINDOWED: dict[str, Function] = {
    "min": Function(
        "min", "smallest", (NUMERIC,), SAME, "the smallest value of the last N iterations",
        "min(confidence, last 3) < 50%", family=RANKS, window=MUST_WINDOW, cap=CAP,
    ),
    "max": Function(
        "max", "largest", (NUMERIC,), SAME, "the largest value of the last N iterations",
        "max(errors.count, last 5) > 10", family=RANKS, window=MUST_WINDOW, cap=CAP,
    ),
}  # fmt: skip

#: Every history function by its operation in the tree.
HISTORY_OPS: dict[str, Function] = {f.op: f for f in (*_TABLE, *WINDOWED.values()) if f.history}


class HistoryForm(Value):
    """
    One history form with a syntax of its own.

    Args:
        op: Its operation in the tree.
        window: Where among its arguments the window is.
        number: Where its number of iterations or times is, None without one.
        condition: Where the condition is that it looks at, None for a form of values.
        lasts: Whether it is about the whole of a time or number, so that it is false until that is over.
        behind: Whether it reads its window behind the current iteration, not up to and with it.
    """

    __slots__ = ("behind", "condition", "lasts", "number", "op", "window")

    def __init__(
        self,
        op: str,
        window: int,
        number: int | None = None,
        condition: int | None = None,
        lasts: bool = False,
        behind: bool = False,
    ) -> None:
        self.op = op
        self.window = window
        self.number = number
        self.condition = condition
        self.lasts = lasts
        self.behind = behind


#: Every history form that is not written as a function, by its operation in the tree.
HISTORY_FORMS: dict[str, HistoryForm] = {
    form.op: form
    for form in (
        HistoryForm("after", 0, 0),
        HistoryForm("unchanged", 1, 1, lasts=True, behind=True),
        HistoryForm("consecutive", 1, 1, condition=0, lasts=True),
        HistoryForm("declined", 2, lasts=True, behind=True),
        HistoryForm("rose", 2, lasts=True, behind=True),
        HistoryForm("repeats", 2, 1),
        HistoryForm("quantified", 2, 1, condition=3),
    )
}

#: Every operation that reads earlier iterations.
HISTORY = frozenset((*HISTORY_OPS, *HISTORY_FORMS))


def _ops(chosen: Callable[[Function], bool]) -> frozenset[str]:
    return frozenset(op for op, function in HISTORY_OPS.items() if chosen(function))


#: Counts of iterations.
COUNTING = _ops(lambda function: function.family == COUNTS)
#: What is read off the values of a window by their size.
RANKED = _ops(lambda function: function.family == RANKS)
#: What gives a value, or what is calculated from values.
VALUED = _ops(lambda function: function.result in (SAME, MEAN))
#: What is calculated from values, exactly.
CALCULATED = _ops(lambda function: function.family == SERIES or function.result == MEAN)
#: Functions whose answer depends on how far values lie apart, or on how many different ones there are.
MEASURING = _ops(lambda function: function.measures)
#: Which arguments of a history form or function are conditions; those of the others are values.
CONDITION_ARGS: dict[str, tuple[int, ...]] = {
    **{op: (0,) for op, function in HISTORY_OPS.items() if function.kinds[0] == ("bool",)},
    "streak": (0, 1),
    **{op: (form.condition,) for op, form in HISTORY_FORMS.items() if form.condition is not None},
}
#: Counts of the iterations in which a condition is true.
COUNTING_TRUE = COUNTING & CONDITION_ARGS.keys()
#: Operations that tell a value from another one of the same fact.
TELLING_APART = _ops(lambda function: function.kinds[0] == ANY) | {"unchanged", "repeats"}

#: What other languages call a function -> its name here.
ELSEWHERE = {
    "avg": "average", "len": "length", "lowercase": "lower", "mean": "average", "prev": "previous",
    "size": "length", "stddev": "deviation", "total": "sum",
}  # fmt: skip
