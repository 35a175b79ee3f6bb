"""Ten thousand made-up runs, the same each time; what hostile agents would say is among them."""

from __future__ import annotations

import random
from collections.abc import Sequence

POLICIES = ("recommended", "bb3")
CLASSES = {"c": "complete", "b": "blocked", "s": "stuck", "l": "exhausted", "r": "review", "w": "wait",
           "u": "undetermined", "i": "idle", "h": "halted", "f": "failed"}  # fmt: skip
ATTACKS = (
    "<img src=x onerror=\"document.title='hit'\">",
    "</script><script>document.title='hit'</script>",
    "javascript:document.title='hit'",
    "\u202etxt.exe\u202c \x1b[2J\x00 ${7*7} {{7*7}}",
    '"><svg onload=document.title="hit">',
    "x" * 5000,
)
WORDS = (
    "login", "session", "search", "index", "csv", "export", "parser", "billing", "cache", "upload", "dates",
    "retry", "mailer", "docs", "flaky test", "migration",
)  # fmt: skip


def decided(draw: random.Random, length: int) -> tuple[str, dict[str, object] | None]:
    """Return a strip and its stop."""
    at = draw.randint(2, length * 2)
    if at > length:
        return "." * length, None
    letter = draw.choice("cccssblruwihf")
    after = "".join(draw.choice((letter, letter, ".")) for _ in range(length - at))
    stop = {
        "at": at,
        "class": CLASSES[letter],
        "rule": "rule_of_it",
        "outcome": "outcome",
        "message": draw.choice(WORDS),
    }
    return "." * (at - 1) + letter + after, stop


def graded(
    stop: dict[str, object] | None, label: dict[str, object] | None, length: int
) -> tuple[str | None, int]:
    """Return the grade of a stop and the iterations wasted."""
    at = int(str(stop["at"])) if stop else 0
    if label is None:
        return None, 0
    first, last = int(str(label["first"])), int(str(label["last"]))
    if not at:
        return "missed", length - last
    return ("premature", 0) if at < first else ("right", 0) if at <= last else ("late", at - last)


def row(n: int, draw: random.Random, policies: Sequence[str]) -> dict[str, object]:
    """Return one row of `runs`."""
    length = draw.choice((3, 5, 8, 12, 20, 30, 50))
    title = ATTACKS[n] if n < len(ATTACKS) else f"{draw.choice(WORDS)} {draw.choice(WORDS)} {n}"
    first = draw.randint(1, length)
    label = {
        "text": "", "first": first, "last": min(length, first + draw.randint(0, 2)), "never": False,
        "classes": ["complete"], "note": ATTACKS[n % 6] if n < 6 else "", "by": "kim",
    }  # fmt: skip
    marked = label if n % 3 == 0 else None
    made = [decided(draw, length) for _ in policies]
    each = draw.uniform(0.01, 0.5)
    grades = [graded(stop, marked, length) for _, stop in made]
    return {
        "n": n, "id": f"run-{n:05}", "title": title, "file": f"runs/{n // 100}/{n}.jsonl",
        "reader": draw.choice(("claude-code", "codex", "plain-log")), "iterations": length,
        "cost": None if n % 11 == 0 else round(each * length, 6), "tokens": length * 9000,
        "began": 1_767_225_600 + n * 397, "took": length * 71, "how": "ended", "parent": None,
        "live": n == 17,
        "read": n % 4 != 0, "label": marked, "strips": [strip for strip, _ in made],
        "stops": [stop for _, stop in made], "grades": [grade for grade, _ in grades],
        "waste": [[count, None if n % 11 == 0 else round(count * each, 6)] for _, count in grades],
        "parted": len({(stop or {}).get("at") for _, stop in made}) > 1,
    }  # fmt: skip


def synthetic(count: int, policies: Sequence[str] = POLICIES) -> dict[str, object]:
    """Return `runs` of the studio with so many rows."""
    draw = random.Random(7)
    return {"revision": 1, "policies": list(policies), "rows": [row(n, draw, policies) for n in range(count)]}
