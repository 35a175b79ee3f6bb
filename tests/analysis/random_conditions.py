"""Strategies: conditions over some facts, in the families of operations that may occur."""

from __future__ import annotations

from hypothesis import strategies as st

from exitgate.core.model.fact import FactSpec

_STATUSES = ("0", "0", "1", "130", "142.5")
_NUMBERS = {"count": ("0", "1", "2", "5"), "percent": ("0%", "30%", "33.3%", "70%", "100%"),
            "number": ("0", "0.5", "3"), "duration": ("1m", "2h")}  # fmt: skip
_PATTERNS = ("^a", "^ok$", "ok", "[0-9]+ tests? failed", "(?i)^OK", "^[^a]*$", "[.]")
_SIGNS = ("<", "<=", ">", ">=", "==", "!=")


class Writer:
    """Writes conditions over some facts, in the families it may use."""

    def __init__(self, draw: st.DrawFn, facts: dict[str, FactSpec], families: frozenset[str]) -> None:
        self._draw = draw
        self.facts = dict(facts)
        self._families = families
        self.named: list[str] = []
        self.signals: tuple[str, ...] = ()

    def one(self, *choices: str) -> str:
        """Return one of the texts."""
        return self._draw(st.sampled_from(choices))

    def fact(self, *kinds: str) -> str | None:
        """Return a fact of one of the kinds, or None."""
        names = [name for name, spec in self.facts.items() if spec.type.kind in kinds]
        return self.one(*names) if names else None

    def condition(self, depth: int = 2) -> str:
        """Return a condition that joins tests up to `depth` levels deep."""
        if depth <= 0 or self._draw(st.integers(0, 2)) == 0:
            return self.test()
        form = self.one("and", "or", "not", "and", "known", "named", "history")
        if form == "named" and self.named:
            return f"@{self.one(*self.named)}"
        if form == "known":
            return f"({self.condition(depth - 1)}) is {self.one('known', 'unknown')}"
        if form == "history" and "history" in self._families:
            return self._joined_history(depth - 1)
        if form == "not":
            return f"not ({self.condition(depth - 1)})"
        word = "or" if form == "or" else "and"
        return f"({self.condition(depth - 1)}) {word} ({self.condition(depth - 1)})"

    def _joined_history(self, depth: int) -> str:
        inner = f"({self.condition(depth)})"
        n = self.one("1", "2", "3")
        window = self.window("2", "3", around=inner)
        if "last 1m" in window and self.one("lasts", "is among") == "lasts":
            return f"{inner} for 1m"
        return self.one(
            f"{inner} for {n} consecutive iterations",
            f"after {n} iterations and {inner}",
            f"any of {window} where {inner}",
            f"all of {window} where {inner}",
            f"at least 2 of {self.window('3', around=inner)} where {inner}",
            f"at most 1 of {window} where {inner}",
        )

    def window(self, *sizes: str, around: str = "") -> str:
        """Return a window of iterations, at times in time or per key; in time only around what is cheap."""
        size = self.one(*sizes)
        key = self.fact("text", "enum", "count", "signature") if self.one("per", "", "", "") else None
        if "clock.elapsed" in self.facts and not any(t in around for t in ("last ", "for ", "@", "streak")):
            size = self.one(size, "1m", "2h")
        return f"last {size} per {key}" if key is not None else f"last {size}"

    def test(self) -> str:
        """Return one test of facts."""
        tests = [self._flag, self._order, self._order, self._presence]
        more = {"membership": self._member, "history": self._steady, "counting": self._counted,
                "series": self._series, "arithmetic": self._calculated, "texts": self._text,
                "silence": self._silent, "progress": self._moved}  # fmt: skip
        tests += [test for family, test in more.items() if family in self._families]
        for _ in range(4):
            text = self._draw(st.sampled_from(tests))()
            if text is not None:
                return text
        return self._presence() or "true"

    def _flag(self) -> str | None:
        name = self.fact("bool")
        if name is None:
            return None
        return self.one(
            name, f"{name} is false", f"({name} or else {self.one('true', 'false')})", f"not {name}"
        )

    def _order(self) -> str | None:
        name = self.fact(*_NUMBERS)
        return None if name is None else f"{name} {self.one(*_SIGNS)} {self.constant(name)}"

    def constant(self, name: str) -> str:
        """Return a constant or parameter of the fact's kind."""
        if name == "run.agent_exit":
            return self.one(*_STATUSES)
        kind = self.facts[name].type.kind
        return self.one(*_NUMBERS[kind], *({"count": ("$n",), "percent": ("$p",)}.get(kind, ())))

    def _presence(self) -> str | None:
        name = self.fact(*(spec.type.kind for spec in self.facts.values()))
        return None if name is None else f"{name} is {self.one('known', 'unknown')}"

    def _member(self) -> str | None:
        name = self.fact("enum")
        if name is None:
            number = self.fact("count")
            return None if number is None else f"{number} {self.one('in', 'not in')} [0, $n]"
        return self.one(f"{name} is OPEN", f"{name} is not CLOSED", f"{name} in [OPEN, HALF_OPEN]",
                        f"{name} not in [CLOSED]", f"({name} or else CLOSED) is OPEN")  # fmt: skip

    def _steady(self) -> str | None:
        name = self.fact(*(spec.type.kind for spec in self.facts.values()))
        if name is None:
            return None
        n = self.one("1", "2", "$n")
        forms = [f"{name} unchanged for {n} iterations", f"{name} repeats {n} times"]
        if self.facts[name].type.kind != "list":
            forms.append(f"{name} repeats 2 times within last 3")
        if self.facts[name].type.kind in _NUMBERS:
            by = self.one("50%", "100%", "33.3%", "$p")
            forms += [f"{name} declined by {by} over last {self.one('1', '2')}",
                      f"{name} rose by {by} over last {self.one('1', '2')}"]  # fmt: skip
        return self.one(*forms)

    def _counted(self) -> str | None:
        name, flag = self.fact("count", "enum", "signature", "percent", "bool"), self.test_of_flag()
        window = self.window("2", "3")
        counts = [f"streak({flag}, {window})", f"count({flag}, {window})"]
        if name is not None:
            counts += [f"repeats({name}, {window})", f"distinct({name}, {window})",
                       f"occurrences({name}, {window})"]  # fmt: skip
        count = self.one(*counts)
        if self.one("between", "sign", "sign") == "between":
            return f"{count} between 1 and 2"
        return f"{count} {self.one(*_SIGNS)} {self.one('1', '2', '$n')}"

    def test_of_flag(self) -> str:
        """Return a short condition."""
        return self._flag() or self._order() or "true"

    def _series(self) -> str | None:
        name = self.fact(*_NUMBERS)
        if name is None:
            other = self.fact("bool", "enum")
            return None if other is None else f"previous({other}) is {other}"
        window = self.window("2", "3")
        value = self.one(f"previous({name})", f"first({name}, {window})", f"last({name}, {window})",
                         f"sum({name}, {window})", f"average({name}, {window})",
                         f"max({name}, {window})", f"min({name}, {window})", f"median({name}, {window})",
                         f"percentile({name}, {self.one('30%', '60%', '$p')}, {window})",
                         f"deviation({name}, {window})")  # fmt: skip
        return f"{value} {self.one(*_SIGNS)} {self.one(name, self.constant(name))}"

    def _calculated(self) -> str | None:
        name = self.fact("count", "percent", "number")
        if name is None:
            return None
        others = [n for n, spec in self.facts.items() if spec.type == self.facts[name].type]
        other, constant = self.one(*others), self.constant(name)
        value = self.one(f"{name} + {other}", f"{name} - {constant}", f"2 * {name}", f"max({name}, {other})",
                         f"min({name}, {constant})", f"abs({name} - {other})", f"{name} / 2", other,
                         f"round({name} / 2)")  # fmt: skip
        return f"{value} {self.one(*_SIGNS)} {self.one(constant, name)}"

    def _text(self) -> str | None:
        name = self.fact("text", "list")
        if name is None:
            return None
        if self.facts[name].type.kind == "list":
            if self.one("whole", "items") == "items":
                return self._items(name)
            return self.one(f'{name} contains "a"', f"length({name}) >= {self.one('2', '5')}",
                            f'{name} is ["a"]', f'"b" in {name}',
                            f"length({name}) between 1 and $n")  # fmt: skip
        size = f"{self.one(*_SIGNS)} {self.one('0', '3', '12', '$n')}"
        return self.one(f'{name} is "a"', f'{name} contains "b"', f'{name} matches "{self.one(*_PATTERNS)}"',
                        f'lower({name}) is "a"', f"length({name}) {size}", f'{name} in ["a", "ok"]',
                        f'({name} or else "ok") matches "{self.one(*_PATTERNS)}"',
                        f'lower({name}) matches "{self.one(*_PATTERNS)}"',
                        f'previous({name}) matches "^a"', f"2 < length({name})")  # fmt: skip

    def _items(self, name: str) -> str:
        size = f"length(item) {self.one(*_SIGNS)} {self.one('1', '3')}"
        pattern = f'item matches "{self.one(*_PATTERNS)}"'
        test = self.one('item is "a"', 'item contains "b"', pattern, size, 'lower(item) is "ok"')
        test += self.one("", "", f" {self.one('and', 'or')} {self.test_of_flag()}", ' and item is not "a"')
        if self.one("count", "any", "all") == "count":
            return f"count of {name} where ({test}) {self.one(*_SIGNS)} {self.one('0', '1', '2', '$n')}"
        listed = self.one(name, name, f"({name} or else [])")
        return f"{self.one('any', 'all')} of {listed} where ({test})"

    def _moved(self) -> str | None:
        """Return a test of which signals of progress moved, or how many are known; of any that is there."""
        tests = []
        if "progress.known" in self.facts:
            tests += [f"progress.known {self.one(*_SIGNS)} {self.one('0', '1', '2', '3')}",
                      f"max(progress.known, {self.window('2', '3')}) >= 2"]  # fmt: skip
        if "progress.signals" in self.facts:
            one, other = self.one(*self.signals), self.one(*self.signals, "none")
            tests += [f'"{one}" in progress.signals', f'not ("{one}" in progress.signals)',
                      f'progress.signals is ["{one}", "{other}"]', "length(progress.signals) >= 2",
                      f'any of progress.signals where (item is "{one}")'] * 2  # fmt: skip
        return self.one(*tests) if tests else None

    def _silent(self) -> str | None:
        return "nothing is known"
