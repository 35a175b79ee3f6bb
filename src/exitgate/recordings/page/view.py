"""
What the page shows, as plain values: made without HTML, written out without a decision.

All texts are as they came from runs and policies, secrets hidden; the template escapes them.
"""

from __future__ import annotations

from typing import NamedTuple


class Verdict(NamedTuple):
    """
    One decision of one policy, as a cell of its strip.

    `tone` is the class in small letters, ``continue`` for CONTINUE; `sign` one character; `words` all of it
    in words. `stop` is the policy's first EXIT; `after` any decision behind that.
    """

    iteration: int
    tone: str
    sign: str
    words: str
    stop: bool
    after: bool
    firm: bool


class Strip(NamedTuple):
    """The decisions of one policy; None where an iteration was not decided on."""

    policy: str
    cells: tuple[Verdict | None, ...]


class Threshold(NamedTuple):
    """A value that a rule compares a fact with: its origin (``$min_completion``), and itself."""

    name: str
    value: float
    text: str
    y: float


class Chart(NamedTuple):
    """
    A number over the iterations; x runs 10 to an iteration, y from 0 (top) to 100.

    `line` and `dots` are SVG path data; `dots` are strokes of no length. `low` and `high` are what the
    lower and the upper edge stand for; `words` tell the whole in a sentence.
    """

    name: str
    policies: str
    line: str
    dots: str
    low: str
    high: str
    last: str
    thresholds: tuple[Threshold, ...]
    words: str


class GridCell(NamedTuple):
    """How one rule came out in one iteration: state (`decision.explanation`), `have`/`need`, words."""

    state: str
    have: str
    words: str


class GridRow(NamedTuple):
    """
    One rule over the iterations. `tone` is its class, ``continue`` or ``warn``; `effect` in words.

    `anchor` is that of the rule in words.
    """

    rule: str
    anchor: str
    tone: str
    effect: str
    cells: tuple[GridCell, ...]
    fired: int


class Alike(NamedTuple):
    """Rules that came out the same in every iteration: the state, and each rule with its reason."""

    state: str
    rules: tuple[tuple[str, str], ...]


class Rule(NamedTuple):
    """A rule in words."""

    id: str
    anchor: str
    effect: str
    condition: str
    says: str


class Grid(NamedTuple):
    """The rules of one policy over the iterations of one run."""

    policy: str
    rows: tuple[GridRow, ...]
    alike: tuple[Alike, ...]


class FactRow(NamedTuple):
    """A fact over the iterations; `policies` is empty where all of them see the same."""

    name: str
    policies: str
    values: tuple[str, ...]


class Segment(NamedTuple):
    """
    A stretch of a text: `kind` is ``text``, ``counted``, ``refused`` or ``gap``.

    `refs` are numbers of pieces of evidence that end here.
    """

    kind: str
    text: str
    refs: tuple[int, ...] = ()


class Piece(NamedTuple):
    """
    A piece of evidence: which facts rest on it (or would), its place, what it says.

    `number` is its mark in the text that is shown, 0 where it is in another source.
    """

    number: int
    facts: str
    where: str
    excerpt: str
    note: str
    guard: str


class Probe(NamedTuple):
    """
    What one probe said in an iteration.

    `tone` is ``passed``, ``failed`` or ``open``, `words` the same for people; `said` has counts, reason, time
    and cost, `asked` why it was asked or where the answer comes from. `policies` is empty where it is all the
    same. `failing` are names, `lines` place and text of its evidence; both are folded where `long`.
    """

    name: str
    tone: str
    words: str
    said: str
    asked: str
    policies: str
    failing: tuple[str, ...]
    lines: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    long: bool


class Decision(NamedTuple):
    """What one policy decided on one iteration, and why."""

    policy: str
    verdict: Verdict
    outcome: str
    message: str
    rule: str
    condition: str
    alternatives: tuple[str, ...]
    warnings: tuple[str, ...]
    pending: tuple[str, ...]
    unknown: tuple[str, ...]


class Call(NamedTuple):
    """
    One call of a tool; `number` is its place in the iteration, from 1.

    `silent` says why `result` is empty; `came_out` is what the recording says of it, in words. `own` is false
    for a call by a sub-agent.
    """

    number: int
    name: str
    arguments: tuple[str, ...]
    result: str
    silent: str
    came_out: str
    failed: bool
    own: bool


class Calls(NamedTuple):
    """
    The calls of one iteration: those that are listed, and how many of `made` failed and are left out.

    `missing` says why others may not be recorded, or is empty.
    """

    listed: tuple[Call, ...]
    made: int
    failed: int
    left: int
    missing: str


class Task(NamedTuple):
    """A task of a plan: its state in words, whether that is done, and what changed in it, or nothing."""

    state: str
    done: bool
    text: str
    change: str


class Plan(NamedTuple):
    """
    The plan as it was in one iteration.

    `summary` counts its tasks, `changed` says in words what is new since the iteration before. `tasks` are
    those that are listed and `left` counts the rest; `text` is that of a plan without tasks. Where it is word
    for word that of iteration `same_as`, only tasks that changed are listed. It is folded where `long`.
    """

    summary: str
    changed: str
    tasks: tuple[Task, ...]
    left: int
    text: str
    same_as: int
    long: bool


class Iteration(NamedTuple):
    """
    One iteration as it can be read.

    `figures` are name and value of what is known of it; `response` is empty with `silent` saying why.
    `evidence` and `probes` are bounded, `left` and `more_probes` count what is not listed. `calls` and `plan`
    are None where the recording has none.
    """

    number: int
    figures: tuple[tuple[str, str], ...]
    decisions: tuple[Decision, ...]
    source: str
    response: tuple[Segment, ...]
    silent: str
    same_as: int
    evidence: tuple[Piece, ...]
    left: int
    probes: tuple[Probe, ...]
    more_probes: int
    calls: Calls | None
    plan: Plan | None


class Compared(NamedTuple):
    """
    One policy's stop beside the others.

    `stop` is the iteration or 0; `verdict` its cell, None without a stop; `after` and `spent` what came
    behind it; `meant` what the stop would have saved or cut short, `grade` how a label sees it
    (``right``, ``premature``, ``late``, ``missed`` or empty).
    """

    policy: str
    version: str
    stop: int
    verdict: Verdict | None
    rule: str
    message: str
    after: str
    spent: str
    meant: str
    grade: str


class Divergence(NamedTuple):
    """Where two policies first say something else, with what each says and why."""

    iteration: int
    sides: tuple[tuple[str, Verdict, str], ...]


class Spending(NamedTuple):
    """What the run had used up after each iteration: as a chart, and each policy's share at its stop."""

    chart: Chart
    stops: tuple[tuple[str, int, str, str], ...]


class Run(NamedTuple):
    """
    One run under all policies.

    `columns` are the numbers of the iterations that are shown (none of a run that is only listed), `left_out`
    says which are not; `wanted` are
    those that the label calls right, `label` the label in words. `steady` are warnings, each with its policy,
    that came with every decision: they are reported once.
    """

    id: str
    title: str
    anchor: str
    figures: tuple[tuple[str, str], ...]
    columns: tuple[int, ...]
    width: str
    left_out: str
    compared: tuple[Compared, ...]
    divergences: tuple[Divergence, ...]
    label: str
    note: str
    wanted: frozenset[int]
    strips: tuple[Strip, ...]
    spending: Spending | None
    charts: tuple[Chart, ...]
    grids: tuple[Grid, ...]
    facts: tuple[FactRow, ...]
    still: tuple[tuple[str, str], ...]
    steady: tuple[tuple[str, str], ...]
    iterations: tuple[Iteration, ...]
    at_stake: str


class Policy(NamedTuple):
    """A policy as the page names it, with its rules and parameters in words."""

    name: str
    version: str
    title: str
    parameters: tuple[tuple[str, str, str], ...]
    rules: tuple[Rule, ...]


class Page(NamedTuple):
    """The whole page."""

    policies: tuple[Policy, ...]
    runs: tuple[Run, ...]
    remarks: tuple[str, ...]
    signs: tuple[tuple[str, str], ...]
