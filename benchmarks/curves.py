"""
How cost grows: processor time and memory of whole commands over sizes, as tables and a picture.

    python benchmarks/curves.py [--only NAME ...] [--largest N] [--picture FILE.svg]

- `rules`, `facts`: a warm check under a policy of so many (`scale/policies.py`); its response names half of
  the facts.
- `lines`: a check under one rule that adds a line to a ledger of so many (`scale/ledgers.py`).
- `iterations`, `runs`: a dry run of `recommended` without the cache, over one run of so many iterations, and
  over so many runs of five.

Each point is the least of three, the largest is measured once. The exponent is the slope between the two
largest points, on both axes by logarithm: 1 is linear, 0 is constant.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "scale"))

import ledgers  # noqa: E402
from scale import cost  # noqa: E402

import policies  # noqa: E402

ROUNDS = 3
#: Words for a response; plain work, as an agent tells of it.
SAID = "Moved the parser into a module of its own and wrote tests for it. 14 passed, 1 failed."
#: Its lines in the ledger have about 1 KB: a million of those of `recommended` are beyond 4 GB.
SMALL = """\
policy: small
format: 1
version: 1.0.0
facts:
  promise: {extract: promise, from: response, text: FINISHED}
rules:
  - {id: promised, when: promise.emitted, exit: complete, because: It gave its promise}
otherwise: continue
"""
#: CPU seconds and MB of a command.
Cost = tuple[float, float]
Run = Callable[[], Cost]


def check_of_rules(size: int, folder: Path, facts: int = 0) -> Run:
    place = policies.write(folder / f"{size}-{facts}", size, facts).parent
    words = ("check", "response.md", "--policy", "policy.yaml", "--no-record")
    cost(words, place)  # compiled and kept
    return lambda: cost(words, place)


def check_of_facts(size: int, folder: Path) -> Run:
    return check_of_rules(10, folder, size)


def check_of_lines(size: int, folder: Path) -> Run:
    place = folder / str(size)
    place.mkdir()
    (place / "policy.yaml").write_text(SMALL, encoding="utf-8")
    (place / "response.md").write_text(SAID, encoding="utf-8")
    state = str(ledgers.write(place, size, str(place / "policy.yaml")))
    words = ("check", "response.md", "--policy", "policy.yaml", "--state-dir", state, "--run", ledgers.RUN)
    cost(words, place)
    return lambda: cost(words, place)


def transcript(path: Path, iterations: int) -> None:
    lines = [
        json.dumps({"iteration": turn, "response": f"{SAID}\n\n{path.stem}, turn {turn}", "cost": 0.05})
        for turn in range(1, iterations + 1)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def dry_run_of_iterations(size: int, folder: Path) -> Run:
    path = folder / f"{size}.jsonl"
    transcript(path, size)
    return lambda: cost(
        ("dry-run", str(path), "-p", "recommended", "--all", "--detail", "--no-cache", "-j", "1"), folder
    )


def dry_run_of_runs(size: int, folder: Path) -> Run:
    place = folder / f"runs-{size}"
    place.mkdir()
    for number in range(size):
        transcript(place / f"{number:06}.jsonl", 5)
    return lambda: cost(
        ("dry-run", str(place), "-p", "recommended", "--all", "--detail", "--no-cache", "-j", "1"), folder
    )


CURVES: dict[str, tuple[Callable[[int, Path], Run], tuple[int, ...], str]] = {
    "rules": (check_of_rules, (10, 100, 1_000, 10_000), "a check"),
    "facts": (check_of_facts, (10, 100, 1_000, 10_000), "a check"),
    "lines": (check_of_lines, (10, 1_000, 100_000, 1_000_000), "a check"),
    "iterations": (dry_run_of_iterations, (10, 100, 1_000, 10_000), "a dry run"),
    "runs": (dry_run_of_runs, (10, 100, 1_000, 10_000), "a dry run"),
}
Point = tuple[int, float, float]


def measured(name: str, largest: int, folder: Path) -> list[Point]:
    """Return size, CPU seconds and MB of each point of a curve."""
    make, sizes, _ = CURVES[name]
    points = []
    for size in [one for one in sizes if one <= largest]:
        run = make(size, folder)
        found = [run() for _ in range(ROUNDS if size < sizes[-1] else 1)]
        points.append((size, min(seconds for seconds, _ in found), min(memory for _, memory in found)))
    return points


def exponent(points: list[Point]) -> float:
    """Return the slope, by logarithms, between the two largest points; 0 where there is one."""
    if len(points) < 2:
        return 0.0
    (less, before, _), (more, after, _) = points[-2:]
    return math.log(after / before) / math.log(more / less)


def table(name: str, points: list[Point]) -> str:
    """Return a curve as Markdown."""
    lines = [f"| {name} | {CURVES[name][2]}, CPU | memory |", "|---:|---:|---:|"]
    lines += [f"| {size:,} | {seconds:.3f} s | {memory:.0f} MB |" for size, seconds, memory in points]
    return "\n".join([*lines, "", f"Exponent {exponent(points):.2f}.", ""])


WIDTH, HEIGHT, LEFT, TOP, PLOT_WIDTH, PLOT_HEIGHT = 760, 420, 64, 20, 540, 350
#: Told apart without colour by the form of the line, too.
LOOKS = {
    "rules": ("#0072b2", ""), "facts": ("#009e73", "8 4"), "lines": ("#555555", "2 3"),
    "iterations": ("#d55e00", "12 4 2 4"), "runs": ("#cc79a7", "5 5"),
}  # fmt: skip


def picture(curves: dict[str, list[Point]]) -> str:
    """Return the curves as SVG, both axes by logarithm."""
    every = [point for points in curves.values() for point in points]
    right = math.ceil(math.log10(max(size for size, _, _ in every)))
    low = math.floor(math.log10(min(seconds for _, seconds, _ in every)))
    high = math.ceil(math.log10(max(seconds for _, seconds, _ in every)))

    def x(size: float) -> float:
        return LEFT + (math.log10(size) - 1) / (right - 1) * PLOT_WIDTH

    def y(seconds: float) -> float:
        return TOP + (high - math.log10(seconds)) / (high - low) * PLOT_HEIGHT

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-size="13"'
        ' font-family="system-ui, sans-serif" fill="#555">',
        "<title>Processor time over size, both by logarithm</title>",
    ]
    for power in range(1, right + 1):
        at = x(10**power)
        parts.append(f'<path d="M{at:.1f} {TOP}V{TOP + PLOT_HEIGHT}" stroke="#bbb" stroke-width="0.5"/>')
        parts.append(
            f'<text x="{at:.1f}" y="{TOP + PLOT_HEIGHT + 20}" text-anchor="middle">{10**power:,}</text>'
        )
    for power in range(low, high + 1):
        at = y(10**power)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{LEFT + PLOT_WIDTH}" stroke="#bbb" stroke-width="0.5"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{10.0**power:g} s</text>')
    for name, points in curves.items():
        color, dashes = LOOKS[name]
        way = " ".join(f"{x(size):.1f},{y(seconds):.1f}" for size, seconds, _ in points)
        look = f'fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"'
        parts.append(f'<polyline points="{way}" {look}/>')
        size, seconds, _ = points[-1]
        parts.append(f'<text x="{x(size) + 8:.1f}" y="{y(seconds) + 4:.1f}" fill="{color}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Print a table for each curve."""
    parser = argparse.ArgumentParser(description="how cost grows with size")
    parser.add_argument("--only", nargs="+", choices=CURVES, default=list(CURVES))
    parser.add_argument("--largest", type=int, default=1_000_000)
    parser.add_argument("--picture", metavar="FILE.svg")
    asked = parser.parse_args()
    curves = {}
    for name in asked.only:
        with tempfile.TemporaryDirectory() as folder:
            curves[name] = measured(name, asked.largest, Path(folder))
        print(table(name, curves[name]), flush=True)
    if asked.picture is not None:
        Path(asked.picture).write_text(picture(curves), encoding="utf-8")


if __name__ == "__main__":
    main()
