"""`promise`: a phrase that the agent says in a tag when it is through, ``<promise>COMPLETE</promise>``."""

from __future__ import annotations

from exitgate.facts import lexicon as lexicons
from exitgate.facts import promise_tags, status_examples, words
from exitgate.facts.guards.seen import GuardWords
from exitgate.facts.scan import EVIDENCE_LIMIT, Text, evidence, ready
from exitgate.facts.status_reading import last_message
from exitgate.model.evidence import Fact
from exitgate.model.fact_spec import FactSpec
from exitgate.model.type import BOOL, COUNT, Type
from exitgate.model.value import Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from exitgate.facts.promise_tags import Fences, Tag
    from exitgate.model.iteration import Iteration

NAME = "promise"
SOURCE = "output"

OPTIONS: dict[str, object] = {
    "text": {
        "description": "The content of the tag, or several phrases that count. White space in it "
        "makes no difference. A single word that is not an ordinary word (`LOOP_COMPLETE`) also counts "
        "without the tag, as the last line, if there is no tag.",
        "anyOf": [
            {"type": "string", "minLength": 1},
            {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        ],
        "default": "COMPLETE",
        "examples": ["COMPLETE", ["ALL TESTS PASS", "NOTHING LEFT"]],
    },
    "tag": {
        "description": "Name of the tag.",
        "type": "string",
        "pattern": "^[A-Za-z][A-Za-z0-9_-]*$",
        "default": "promise",
        "examples": ["promise"],
    },
    "case": {
        "description": "`any`: case makes no difference. `exact`: it does.",
        "enum": ["any", "exact"],
        "default": "any",
        "examples": ["exact"],
    },
    "alone": {
        "description": "Whether the tag must be on its own line. `false` also accepts a tag at the "
        "end of a line after a whole sentence.",
        "type": "boolean",
        "default": True,
        "examples": [False],
    },
    "scope": {
        "description": "What the agent promises with it: that the current `task` is done, or the whole "
        "`run`. It becomes the fact `scope`; a rule that ends the run tests `scope is RUN`.",
        "enum": ["task", "run"],
        "default": "run",
        "examples": ["task"],
    },
    "apply": {
        "description": "Guards that make a tag on its own line a mere mention. `fenced`: code or a "
        "patch. `quoted`: a quotation. `echoed`: copied from the task with the line above it. `negated`: "
        "negated. `hypothetical`, `continued`: introduced as something that will be said.",
        "type": "array",
        "items": {"enum": ["fenced", "quoted", "echoed", "negated", "hypothetical", "continued"]},
        "default": ["fenced", "quoted", "echoed", "negated", "hypothetical", "continued"],
        "examples": [["fenced", "quoted"]],
    },
    "lexicon": {
        "description": "Words that introduce an example (`illustrations`), and the guards' own.",
        "type": "string",
        "default": "illustrations",
        "examples": ["illustrations"],
    },
}

_SPECS = (
    FactSpec("emitted", BOOL, "Whether the promise is given: the last tag on its own line contains it."),
    FactSpec("count", COUNT, "How often it is given.", low=0),
    FactSpec("mentioned", BOOL, "Whether a tag was seen that does not count."),
    FactSpec(
        "scope", Type("enum", ("TASK", "RUN")), "What it applies to, according to the policy.", read=False
    ),
)
#: The guard of a tag that holds something else.
OTHER = "other text"


def specs(_options: Mapping[str, object]) -> tuple[FactSpec, ...]:
    """Return the facts behind the prefix; all are known on a readable source, `scope` always."""
    return _SPECS


def extract(
    prefix: str, source: str, options: Mapping[str, object], iteration: Iteration
) -> tuple[Fact, ...]:
    """Return whether the promise is given in `source`, and what looks like it."""
    wanted = _wanted.of(options)
    assert isinstance(wanted, _Wanted)
    scope = Fact(f"{prefix}.scope", "TASK" if options.get("scope") == "task" else "RUN")
    given = iteration.source(source)
    if given.text is None:
        names = [f"{prefix}.{spec.name}" for spec in _SPECS[:-1]]
        return (*(Fact(name, Unknown(given.reason, name)) for name in names), scope)
    text = ready(given.text)
    fences = promise_tags.Fences(text)
    every = list(promise_tags.tags(text, wanted.tag))
    tags = every[-promise_tags.TAG_LIMIT :]
    task = iteration.source("task").text if tags else None
    leads = promise_tags.led_in(ready(task), wanted.tag) if task else frozenset()
    if not tags and (bare := promise_tags.bare_line(text, wanted.bare)) is not None:
        tags = every = [bare]
    border = last_message(iteration, source, wanted.wordings) if tags else 0
    found = [(tag, wanted.guard(text, tag, leads, fences, border)) for tag in tags]
    alone = [guard for _, guard in found if guard in (None, OTHER)]
    emitted = bool(alone) and alone[-1] is None
    hits = [tag for tag, guard in found if guard is None]
    counting = tuple(evidence(source, text, t.start, t.end, "promise") for t in hits[-EVIDENCE_LIMIT:])
    refused = tuple(
        evidence(source, text, tag.start, tag.end, "promise", guard)
        for tag, guard in [pair for pair in found if pair[1] is not None][-EVIDENCE_LIMIT:]
    )
    note = "" if emitted or not hits else "another promise follows it"
    left = f"only the last {len(tags)} of {len(every)} tags were looked at" if len(tags) < len(every) else ""
    return (
        Fact(f"{prefix}.emitted", emitted, counting, refused, note),
        Fact(f"{prefix}.count", len(hits), counting, refused, left),
        Fact(f"{prefix}.mentioned", bool(refused), (), refused),
        scope,
    )


class _Wanted(Value):
    """The options made ready."""

    __slots__ = ("alone", "bare", "denial", "exact", "guards", "phrases", "tag", "wordings")

    def __init__(self, options: Mapping[str, object]) -> None:
        written = options.get("text", "COMPLETE")
        self.exact = options.get("case") == "exact"
        self.phrases = frozenset(self._form(str(p)) for p in lexicons.listed(written) or [written])
        self.bare = frozenset(
            str(p) for p in lexicons.listed(written) or [written] if promise_tags.is_distinctive(str(p))
        )
        self.tag = str(options.get("tag") or "promise")
        self.alone = options.get("alone") is not False
        guards = options.get("apply")
        self.guards = frozenset(map(str, guards)) if isinstance(guards, list | tuple) else None
        self.wordings = status_examples.examples(options)
        lexicon = options.get("lexicon")
        groups = lexicon.get("guards") if isinstance(lexicon, dict) else None
        negated = groups.get("negated") if isinstance(groups, dict) else None
        self.denial = GuardWords(negated if isinstance(negated, dict) else {})

    def guard(
        self, text: Text, tag: Tag, leads: frozenset[str], fences: Fences, border: int = 0
    ) -> str | None:
        """
        Return what keeps a tag from counting: a guard, or `OTHER` for other words in it; else None.

        `border` is where the agent's last message begins.
        """
        refused = promise_tags.refusing(text, tag, self.wordings, self.denial, self.alone, fences)
        if refused is None and promise_tags.copied(text, tag, leads):
            refused = "echoed"
        if refused is None and tag.end <= border:
            refused = "continued"
        if refused is not None and (refused == "mentioned" or self.guards is None or refused in self.guards):
            return refused
        return None if self._form(tag.said or "") in self.phrases else OTHER

    def _form(self, said: str) -> str:
        shown = promise_tags.plain(said)
        return shown if self.exact else words.fold(shown)


_wanted = lexicons.Kept(_Wanted)
