"""The tasks of a plan: boxes and what stands for them, and whether they are known to be all of them."""

from __future__ import annotations

from exitgate.core.facts.lexicons.lexicon import kept
from exitgate.core.facts.plans import states
from exitgate.core.facts.plans.items import CANCELLED, DONE, OPEN, Item, items_of, scan, scan_prose
from exitgate.core.facts.plans.marks import spans
from exitgate.core.facts.plans.sections import Sections
from exitgate.core.facts.text import structure
from exitgate.core.facts.text.text import ready
from exitgate.core.model.value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.core.facts.plans.items import Scan
    from exitgate.core.model.json_object import JsonObject


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


def tasks(text: str, options: JsonObject, prose: bool = False) -> Tasks:
    """
    Return the tasks of a plan in Markdown, in JSON, or by literal marks, as the options say.

    `prose` says that the text is a response, which is not a plan but may list what is left.
    """
    if options.get("grammar") == "literal":
        return _literal(text, options)
    words = states.words_of(options)
    if not prose:
        text = unfenced(text)
    if text.lstrip("\ufeff \t\r\n")[:1] in ("{", "[", "/"):
        found = _of_json(text, words)
        if found is not None:
            return found
    listed = _markdown(text, options, words, prose)
    return listed if prose or listed.total or listed.outside else _measured(text, words) or listed


def _markdown(text: str, options: JsonObject, words: states.PlanWords, prose: bool) -> Tasks:
    found = ready(text).view(scan_prose) if prose else scan(text)
    sections, wanted = _sections_of(options)
    optional = sections.within(found.headings)
    items, outside = items_of(found, marks_of(options), optional, wanted)
    items = _without_legend(text, found, items, words)
    if words.kind("offered") and any(item.blocking for item in items):
        aside = _offered_lines(text, words)
        items = tuple(item.but(optional=True) if item.line in aside else item for item in items)
    filed: frozenset[int] = frozenset()
    doubt = ""
    boxes = len(items)
    if not any(item.blocking for item in items):
        from exitgate.core.facts.plans.layouts import other_items

        others = other_items(text, found, words, optional, prose)
        filed = others.filed
        if not wanted.named:
            more = [item for item in others.items if item.state == OPEN or not items]
            items = tuple(sorted((*items, *more), key=lambda item: item.start)) if more else items
        if others.unsure:
            doubt = f"line {others.unsure} is in a section of remaining work but is not a checkbox"
    kept = _count_filed(found, items, filed, words)
    if items and kept == len(items):
        doubt = "all its items are in sections of finished work"
    elif items and not boxes:
        doubt = doubt or "its items are not checkboxes"
    return Tasks(items, outside, len(items), kept, doubt, found.unclosed)


def _sections(options: JsonObject) -> tuple[Sections, Sections]:
    """Return the sections whose items are optional, and those whose items alone count."""
    offered = states.words_of(options).kind("offered")
    optional = Sections((*options.texts("optional_sections"), *sorted(offered)))
    return optional, Sections(options.texts("task_sections"))


_sections_of = kept(_sections)


def _measured(text: str, words: states.PlanWords) -> Tasks | None:
    """Return the tasks of a plan that lists none but counts them; a share in percent is of 100."""
    from exitgate.core.facts.plans.marks import spans
    from exitgate.core.facts.plans.states import overall

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
    text: str, found: Scan, items: tuple[Item, ...], words: states.PlanWords
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


def _offered_lines(text: str, words: states.PlanWords) -> frozenset[int]:
    """Return the lines of lists that a line leads in as offered, and not as work of the plan."""
    found: list[int] = []
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        said = line.strip()
        if said and not line[0].isspace() and not (said[0] in structure.BULLETS and said[1:2].isspace()):
            inside = words.names("offered", said) is not None
        if inside:
            found.append(number)
    return frozenset(found)


def _given_up(said: str, words: states.PlanWords) -> bool:
    """Return whether an item with a mark of its own is struck, or begins or ends with a word for that."""
    _, _, task = said.partition("]")
    bare = task.strip()
    if bare.startswith(structure.STRIKE) and bare.find(structure.STRIKE, 2) > 0:
        return True
    remark = bare.rpartition("(")[2] if bare.endswith(")") else ""
    return words.is_a("dropped", remark) or words.is_a("dropped", bare.partition(":")[0])


def _count_filed(found: Scan, items: tuple[Item, ...], filed: frozenset[int], words: states.PlanWords) -> int:
    """Return how many items are done and are in a section of finished work."""
    from exitgate.core.facts.plans.layouts import archived

    old = archived(found.headings, words)
    return sum(
        item.state == DONE and ((item.heading >= 0 and old[item.heading]) or item.line in filed)
        for item in items
    )


def _literal(text: str, options: JsonObject) -> Tasks:
    from exitgate.core.facts.plans.literal import ANYWHERE, lines_with, literal_items

    where = str(options.get("mark_at", ANYWHERE))
    items = literal_items(
        text,
        options.one_or_more("open_mark") or ("- [ ]",),
        options.one_or_more("done_mark") or ("- [x]",),
        where,
        options.texts("optional_sections"),
    )
    mark = options.get("total_mark")
    return Tasks(items, total=-1 if mark is None else lines_with(text, str(mark), where))


def _of_json(text: str, words: states.PlanWords) -> Tasks | None:
    """Return the stories or tasks of a JSON text as tasks; None where it is not JSON or has none."""
    from exitgate.core.facts import records
    from exitgate.core.facts.plans.stories import stories

    parsed = records.parse(text)
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


def marks_of(options: JsonObject) -> dict[str, str]:
    """Return the states that the option `marks` gives to marks of its own."""
    return {mark: str(state) for mark, state in options.object("marks").items()}


# A plan that is in one fence as a whole, as agents write it when they quote the file they made.

#: Lines of words before the fence, and behind it, at most.
AROUND = 3
#: Lines of the longest plan that is looked at.
LONGEST = 20_000


def unfenced(text: str) -> str:
    """
    Return a text with blanks for the lines of the one fence that it is in; as it is otherwise.

    Before the fence and behind it are a few lines at most, none of them an item of a list. Fences within
    it are left as they are. All offsets stay what they are.
    """
    if not any(mark * 3 in text for mark in structure.FENCES):
        return text
    lines = list(spans(text))
    filled = [at for at, (start, end) in enumerate(lines) if text[start:end].strip()]
    marks = [at for at in filled if structure.fence_mark(text[slice(*lines[at])].strip())]
    if len(marks) < 2 or len(lines) > LONGEST:
        return text
    first, last = marks[0], marks[-1]
    outside = [at for at in filled if at < first or at > last]
    before = sum(at < first for at in outside)
    if max(before, len(outside) - before) > AROUND or any(_lists(text[slice(*lines[at])]) for at in outside):
        return text
    if not _spans_all([text[slice(*lines[at])].strip() for at in marks]):
        return text
    for at in (first, last):
        start, end = lines[at]
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _lists(line: str) -> bool:
    """Return whether a line is an item of a list, a row of a table, or has a bracket."""
    said = line.strip(structure.QUOTED_LINE)
    return bool(structure.list_mark(said)) or said[:1] == "|" or "[" in said or not said[:1].isascii()


def _spans_all(fences: list[str]) -> bool:
    """Return whether the first fence closes at the last one: others within it open and close."""
    outer = structure.fence_mark(fences[0])
    depth = 1
    for fence in fences[1:-1]:
        mark = structure.fence_mark(fence)
        if mark[0] != outer[0] or len(mark) < len(outer):
            continue
        depth += 1 if fence != mark else -1
        if depth < 1:
            return False
    closing = fences[-1]
    return depth == 1 and closing == outer[0] * len(closing) and len(closing) >= len(outer)
