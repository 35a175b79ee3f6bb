"""
What of the suite is slow, by what the last whole run measured: `make slow`.

    python scripts/slow_tests.py [--write]

Prints the functions that took more than half a second of the processor, the slowest first, and what each part
took. With `--write` the list `tests/slow.txt` gets those that it lacks and loses those that are fast; its
folders, files and comments stay.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "shared"))

from suite import KEPT, LIST, SLOW, TIMES, covers


def main() -> int:
    """Print what is slow, and write the list if asked."""
    if not TIMES.exists():
        print("nothing was measured yet: run `make test`", file=sys.stderr)
        return 1
    times: dict[str, float] = json.loads(TIMES.read_text(encoding="utf-8"))
    parts: Counter[str] = Counter()
    for function, seconds in times.items():
        parts[function.split("/")[1]] += seconds  # type: ignore[assignment]
    for part, seconds in parts.most_common():
        print(f"{seconds:8.1f}  {part}")
    print(f"{sum(parts.values()):8.1f}  seconds of the processor in all\n")
    slow = {
        function: seconds
        for function, seconds in times.items()
        if seconds > SLOW and not function.endswith("::runTest")
    }
    for function, seconds in sorted(slow.items(), key=lambda one: -one[1]):
        print(f"{seconds:8.1f}  {function}")
    if "--write" in sys.argv:
        kept = [
            line
            for line in LIST.read_text(encoding="utf-8").splitlines()
            if "::" not in line or line.startswith(KEPT)
        ]
        own = [
            function
            for function in sorted(slow)
            if not covers({line.lstrip(KEPT) for line in kept}, function)
        ]
        LIST.write_text("\n".join([*kept, *own]) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
