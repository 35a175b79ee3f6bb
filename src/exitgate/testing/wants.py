"""From `expect:` and `expect_at:` as plain data to single wants; problems become remarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exitgate.model.verdict import CLASSES, CONTINUE, EXIT
from exitgate.testing import values
from exitgate.testing.case import Want

if TYPE_CHECKING:
    from collections.abc import Iterator

    from exitgate.policy.compiled import CompiledPolicy
    from exitgate.policy.document import Document
    from exitgate.testing.expand import Path, Written
    from exitgate.testing.remarks import Remarks

#: Keys that hold a mapping, by what their own keys are.
OF_FACTS = ("facts", "evidence", "rejected")
OF_RULES = ("pending",)
#: Keys that name rules.
RULES = ("undetermined", "alternatives", "shadows")
WORDINGS = ("message", "advice", "escalation")
PLAIN = ("verdict", "class", "outcome", "rule", "firm", "blind", "warnings")
KEYS = (*PLAIN, *WORDINGS, *RULES, *OF_FACTS, *OF_RULES)


def read_wants(
    written: Written, length: int, policy: CompiledPolicy, document: Document, remarks: Remarks
) -> tuple[Want, ...]:
    """Return everything a case of `length` iterations expects, in the order written."""
    found: list[Want] = []
    reader = _Reader(written, policy, document, remarks)
    expect_at = written.case.get("expect_at")
    for number, expected in expect_at.items() if isinstance(expect_at, dict) else ():
        at = ("expect_at", number)
        iteration = values.number(number)
        if not isinstance(iteration, int) or not 1 <= iteration <= length:
            remarks.add(
                "EP496",
                f"there is no iteration `{number}` in this case",
                written.spot(*at),
                f"it has {length}, counted from 1",
            )
            continue
        found += reader.wants(expected, iteration, at)
    found += reader.wants(written.case.get("expect") or {}, length, ("expect",))
    if not found and not remarks.any:
        remarks.add("EP496", "this case expects nothing", written.home, "give at least a `verdict`")
    return tuple(found)


class _Reader:
    def __init__(
        self, written: Written, policy: CompiledPolicy, document: Document, remarks: Remarks
    ) -> None:
        self._written = written
        self._policy = policy
        self._document = document
        self._remarks = remarks
        self._rules = {rule.id for rule in policy.rules}

    def wants(self, expected: object, iteration: int, at: Path) -> Iterator[Want]:
        """Yield the wants of one mapping of expectations that is at `at` of the case."""
        for key, value in expected.items() if isinstance(expected, dict) else ():
            path = self._written.spot(*at, key)
            if key not in KEYS:
                self._remarks.no_such("EP495", "expectation", str(key), path, KEYS)
            elif key in OF_FACTS or key in OF_RULES:
                yield from self._mapping(key, value, iteration, (*at, key))
            elif self._fits(key, value, path):
                yield Want(iteration, key, "", value, self._document.place(path))

    def _mapping(self, key: str, entries: object, iteration: int, at: Path) -> Iterator[Want]:
        if not isinstance(entries, dict):
            self._remarks.add("EP495", f"`{key}` needs names and values", self._written.spot(*at))
            return
        for name, raw in entries.items():
            path = self._written.spot(*at, name)
            value = raw
            if key in OF_RULES:
                if not self._is_rule(name, path):
                    continue
            elif name not in self._policy.facts:
                self._remarks.no_such("EP490", "fact", str(name), path, self._policy.facts)
                continue
            if key == "facts":
                spec = self._policy.facts[name]
                try:
                    value = values.read_fact(raw, spec)
                except values.MisfitError as error:
                    self._remarks.add("EP491", f"`{name}`: {error}", path, f"it is a {spec.type}")
                    continue
            yield Want(iteration, key, str(name), value, self._document.place(path))

    def _fits(self, key: str, value: object, path: Path) -> bool:
        """Return whether `value` can be met at all; a remark where not. Cells have no schema of their own."""
        if key == "rule" and value is not None:
            return self._is_rule(value, path)
        if key in RULES:
            bad = (
                [name for name in value if not self._is_rule(name, path)]
                if isinstance(value, list)
                else [value]
            )
            return not bad
        choices: tuple[object, ...] = {
            "verdict": (CONTINUE, EXIT),
            "class": (*CLASSES, None),
            "firm": (True, False),
            "blind": (True, False),
        }.get(key, (value,))
        if value not in choices:
            named = ", ".join(str(c).lower() if isinstance(c, bool) else str(c or "~") for c in choices)
            self._remarks.add("EP495", f"`{key}` cannot be `{value}`", path, f"it is one of {named}")
            return False
        return True

    def _is_rule(self, name: object, path: Path) -> bool:
        if name in self._rules:
            return True
        self._remarks.no_such("EP497", "rule", str(name), path, self._rules)
        return False
