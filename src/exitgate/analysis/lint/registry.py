"""
The lints there are, by id.

Adding one is one file in `lints/`, its id with underscores, one test, one line here; a second one
where it is in the folder of a topic.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from exitgate.analysis.lint.finding import Lint


#: Ids, sorted; the module of each is in `exitgate.analysis.lint.lints`.
IDS: tuple[str, ...] = (
    "breaker-never-opens",
    "completion-without-witness",
    "condition-always-true",
    "constant-repeated",
    "contradictory-condition",
    "duplicate-condition",
    "duplicate-phrase",
    "exception-unused",
    "exception-without-end",
    "exception-without-reason",
    "exit-on-unknown",
    "expired-exception",
    "gap-at-threshold",
    "id-style",
    "lexicon-entry-matches-other-counterexample",
    "lexicon-entry-without-counterexample",
    "lexicon-example-fails",
    "message-names-fact-that-can-be-missing",
    "missing-because",
    "missing-doc",
    "missing-invariants",
    "missing-otherwise-message",
    "missing-tests",
    "non-canonical-condition",
    "over-broad-pattern",
    "overlap-at-threshold",
    "parameter-without-bounds",
    "percent-compared-with-bare-number",
    "person-without-escalation",
    "phrase-contained-in-another",
    "ratio-silent-at-zero",
    "redundant-key",
    "redundant-part",
    "rule-after-unconditional",
    "rule-beyond-readers",
    "schema-modeline-missing",
    "shadowed-rule",
    "slow-pattern",
    "suppression-without-reason",
    "threshold-outside-range",
    "title-style",
    "trivial-phrase",
    "true-before-history",
    "unbounded-loop",
    "unit-slip",
    "unknown-suppression",
    "unused-condition",
    "unused-fact",
    "unused-given",
    "unused-lexicon",
    "unused-list",
    "unused-parameter",
    "unused-suppression",
    "vacuous-invariant",
    "version-not-raised",
    "wait-without-time",
    "warn-without-advice",
    "window-beyond-bound",
)  # fmt: skip

#: Folders of `lints` for the topics that have many; all others are beside these.
TOPICS: dict[str, tuple[str, ...]] = {
    "exceptions": (
        "exception-unused",
        "exception-without-end",
        "exception-without-reason",
        "expired-exception",
        "suppression-without-reason",
        "unknown-suppression",
        "unused-suppression",
    ),
    "lexicons": (
        "duplicate-phrase",
        "lexicon-entry-matches-other-counterexample",
        "lexicon-entry-without-counterexample",
        "lexicon-example-fails",
        "over-broad-pattern",
        "phrase-contained-in-another",
        "slow-pattern",
        "trivial-phrase",
        "unused-lexicon",
    ),
    "style": (
        "constant-repeated",
        "duplicate-condition",
        "id-style",
        "missing-because",
        "missing-doc",
        "missing-invariants",
        "missing-otherwise-message",
        "missing-tests",
        "non-canonical-condition",
        "redundant-key",
        "schema-modeline-missing",
        "title-style",
        "version-not-raised",
    ),
    "unused": (
        "unused-condition",
        "unused-fact",
        "unused-given",
        "unused-list",
        "unused-parameter",
    ),
}  # fmt: skip
_TOPIC = {id: topic for topic, ids in TOPICS.items() for id in ids}

#: Those that ask the boundary walk: seconds for a large policy, all others together a tenth of one.
WALKED = frozenset(
    (
        "condition-always-true",
        "contradictory-condition",
        "exit-on-unknown",
        "redundant-part",
        "rule-beyond-readers",
        "shadowed-rule",
        "unbounded-loop",
        "vacuous-invariant",
    )
)


def load(id: str) -> Lint:
    """Return the module of a lint. Raises KeyError for an id that is not registered."""
    if id not in IDS:
        raise KeyError(id)
    module_name = id.replace("-", "_")
    folder = f"{_TOPIC[id]}." if id in _TOPIC else ""
    name = f"exitgate.analysis.lint.lints.{folder}{module_name}"
    module: Lint = __import__(name, fromlist=["check"])
    return module


def lints() -> tuple[Lint, ...]:
    """Return the modules of all lints, by id."""
    return tuple(load(id) for id in IDS)
