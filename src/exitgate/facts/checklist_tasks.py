"""The tasks of a plan: boxes and what stands for them, and whether they are known to be all of them."""

from __future__ import annotations

from exitgate.facts import plan_words, structural
from exitgate.facts.checklist_items import CANCELLED, DONE, OPEN, Item, items_of
from exitgate.facts.checklist_scan import scan, scan_prose
from exitgate.facts.scan import ready
from exitgate.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.checklist_scan import Scan


#: Characters of the longest line that gives the share of a plan.
LONGEST_LINE = 200


class Tasks(Value):
    """
    The tasks of a plan.

    Args:
        items: Those that count, in order.
        outside: Those outside the task sections.
        total: How many count.
        kept: Done ones in sections of finished work: they say nothing of what must be done.
        doubt: Why they are not known to be all, as a sentence part, or the empty text.
        counts: How many tasks a plan that lists none says are done, and of how many; or none.
        unclosed: Lines that open a fence or comment that is never closed.
    """

    __slots__ = ("counts", "doubt", "items", "kept", "outside", "total", "unclosed")

    def __init__(
        self,
        items: tuple[Item, ...],
        outside: tuple[Item, ...] = (),
        total: int = -1,
        kept: int = 0,
        doubt: str = "",
        unclosed: tuple[int, ...] = (),
        counts: tuple[int, int] | None = None,
    ) -> None:
        self.items = items
        self.outside = outside
        self.total = len(items) if total < 0 else total
        self.kept = kept
        self.doubt = doubt
        self.counts = counts
        self.unclosed = unclosed


def tasks(text: str, options: Mapping[str, object], prose: bool = False) -> Tasks:
    """
    Return the tasks of a plan in Markdown, in JSON, or by literal marks, as the options say.

    `prose` says that the text is a response, which is not a plan but may list what is left.
    """
    if options.get("grammar") == "literal":
        return _literal(text, options)
    words = plan_words.words_of.of(options)
    assert isinstance(words, plan_words.PlanWords)
    if not prose:
        from exitgate.facts.plan_fence import unfenced

        text = unfenced(text)
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", "/"):
        found = _of_json(text, words)
        if found is not None:
            return found
    listed = _markdown(text, options, words, prose)
    return listed if prose or listed.total or listed.outside else _measured(text, words) or listed


def _markdown(text: str, options: Mapping[str, object], words: plan_words.PlanWords, prose: bool) -> Tasks:
    found = scan_prose(ready(text)) if prose else scan(text)
    marks = options.get("marks")
    offered = words.kind("offered")
    optional = (*texts(options.get("optional_sections")), *sorted(offered))
    wanted = texts(options.get("task_sections"))
    named = {str(k): str(v) for k, v in marks.items()} if isinstance(marks, dict) else {}
    items, outside = items_of(found, named, optional, wanted)
    items = _without_legend(text, found, items, words)
    if offered and any(item.blocking for item in items):
        aside = _offered_lines(text, words)
        items = tuple(item.but(optional=True) if item.line in aside else item for item in items)
    filed: frozenset[int] = frozenset()
    doubt = ""
    boxes = len(items)
    if not any(item.blocking for item in items):
        from exitgate.facts.plan_layouts import other_items

        others = other_items(text, found, words, optional, prose)
        filed = others.filed
        if not wanted:
            more = [item for item in others.items if item.state == OPEN or not items]
            items = tuple(sorted((*items, *more), key=lambda item: item.start)) if more else items
        if others.unsure:
            doubt = f"line {others.unsure} is in a section of remaining work but is not a checkbox"
    kept = _kept(found, items, filed, words)
    if items and kept == len(items):
        doubt = "all its items are in sections of finished work"
    elif items and not boxes:
        doubt = doubt or "its items are not checkboxes"
    return Tasks(items, outside, len(items), kept, doubt, found.unclosed)


def _measured(text: str, words: plan_words.PlanWords) -> Tasks | None:
    """Return the tasks of a plan that lists none but counts them; a share in percent is of 100."""
    from exitgate.facts.checklist_lines import spans
    from exitgate.facts.plan_states import overall

    for number, (start, end) in enumerate(spans(text), 1):
        done, whole = overall(text[start:end], words) if end - start <= LONGEST_LINE else (0, 0)
        if not whole:
            continue
        state = DONE if done >= whole else OPEN
        item = Item(state, "", False, number, 1, start, end)
        counts = (min(done, whole), whole)
        return Tasks((item,), doubt="it counts its tasks but lists none", counts=counts)
    return None


def _without_legend(
    text: str, found: Scan, items: tuple[Item, ...], words: plan_words.PlanWords
) -> tuple[Item, ...]:
    """Return the items outside of legends, those that say that they were given up being cancelled."""
    legends = {n for n, h in enumerate(found.headings) if words.is_a("legend", h.text)}
    kept = [item for item in items if item.heading not in legends] if legends else list(items)
    if not kept:
        return items
    for at, item in enumerate(kept):
        if item.blocking and not item.mark.isspace() and _given_up(text[item.start : item.end], words):
            kept[at] = item.but(state=CANCELLED)
    return tuple(kept)


def _offered_lines(text: str, words: plan_words.PlanWords) -> frozenset[int]:
    """Return the lines of lists that a line leads in as offered, and not as work of the plan."""
    found: list[int] = []
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        said = line.strip()
        if said and not line[0].isspace() and not (said[0] in structural.BULLETS and said[1:2].isspace()):
            inside = words.names("offered", said) is not None
        if inside:
            found.append(number)
    return frozenset(found)


def _given_up(said: str, words: plan_words.PlanWords) -> bool:
    """Return whether an item with a mark of its own is struck, or begins or ends with a word for that."""
    _, _, task = said.partition("]")
    bare = task.strip()
    if bare.startswith(structural.STRIKE) and bare.find(structural.STRIKE, 2) > 0:
        return True
    remark = bare.rpartition("(")[2] if bare.endswith(")") else ""
    return words.is_a("dropped", remark) or words.is_a("dropped", bare.partition(":")[0])


def _kept(found: Scan, items: tuple[Item, ...], filed: frozenset[int], words: plan_words.PlanWords) -> int:
    """Return how many items are done and are in a section of finished work."""
    from exitgate.facts.plan_layouts import archived

    old = archived(found.headings, words)
    return sum(
        item.state == DONE and ((item.heading >= 0 and old[item.heading]) or item.line in filed)
        for item in items
    )


def _literal(text: str, options: Mapping[str, object]) -> Tasks:
    from exitgate.facts.checklist_literal import ANYWHERE, lines_with, literal_items

    where = str(options.get("mark_at", ANYWHERE))
    items = literal_items(
        text,
        _marks(options.get("open_mark"), "- [ ]"),
        _marks(options.get("done_mark"), "- [x]"),
        where,
        texts(options.get("optional_sections")),
    )
    mark = options.get("total_mark")
    return Tasks(items, total=-1 if mark is None else lines_with(text, str(mark), where))


def _of_json(text: str, words: plan_words.PlanWords) -> Tasks | None:
    """Return the stories or tasks of a JSON text as tasks; None where it is not JSON or has none."""
    from exitgate.facts import json_path
    from exitgate.facts.story_shapes import stories

    parsed = json_path.parse(text)
    if parsed.problem:
        return None
    items: list[Item] = []
    at = 0
    for story in stories(parsed.value, words):
        start = max(text.find(story.title.partition(" ")[0], at), at) if story.title else at
        line = text.count("\n", 0, start) + 1 if start > at else (items[-1].line if items else 1)
        stop = text.find("\n", start)
        at = start
        items.append(
            Item(DONE if story.done else OPEN, "", False, line, 1, start, stop if stop > 0 else len(text))
        )
    return Tasks(tuple(items)) if items else None


def _marks(given: object, otherwise: str) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else texts(given) or (otherwise,)


def texts(option: object) -> tuple[str, ...]:
    """Return the texts of a list; none for anything else."""
    return tuple(str(name) for name in option) if isinstance(option, list | tuple) else ()
