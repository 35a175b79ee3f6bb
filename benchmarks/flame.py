"""
Where the processor time of a check goes, as a flame graph.

    python benchmarks/flame.py OUTPUT.svg [--rounds N] [--policy NAME] [--python PYTHON]

Runs `exitgate check` in the project of `process.py` again and again, each time a new process with a warm
cache, and takes samples of its stacks; Python's own start is not among them. Each box is a function as wide
as its share of the samples, the functions that it called above it; boxes of less than two pixels are left
out. A pointer on a box shows its name, its share and its milliseconds. `--python` measures another tree's
exitgate, such as the version before.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import zlib
from html import escape
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "process"))

from project import Project  # noqa: E402

WIDTH, ROW, LEAST = 1200.0, 17, 2.0
#: Width of a letter, in pixels.
LETTER = 6.6
COMPILE = "import compileall, exitgate; compileall.compile_dir(exitgate.__path__[0], quiet=2)"


class Box:
    """A function and those it called; `samples` is how often it was on the stack here."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.samples = 0
        self.called: dict[str, Box] = {}

    def add(self, stack: list[str]) -> None:
        box = self
        box.samples += 1
        for name in stack:
            box = box.called.setdefault(name, Box(name))
            box.samples += 1

    def depth(self, least: float) -> int:
        """Return how many boxes of at least so many samples are above one another."""
        return 1 + max((box.depth(least) for box in self.called.values() if box.samples >= least), default=0)


def sampled(python: str, policy: str, rounds: int) -> tuple[Box, float]:
    """Return the samples of all rounds, and the mean processor time of one in milliseconds."""
    root, spent = Box("all"), 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "EXITGATE"))}
        environment["EXITGATE_CACHE_DIR"] = str(folder / "cache")
        subprocess.run([python, "-c", COMPILE], check=True)
        project = Project(folder / "project", str(Path(python).with_name("exitgate")), environment)
        out = folder / "samples"
        for turn in range(rounds + 1):
            project.restore()
            words = [python, str(HERE / "flame" / "sampled.py"), str(out), *project.check(policy)[1:]]
            child = subprocess.Popen(words, cwd=project.folder, env=environment, stdout=subprocess.DEVNULL)
            _, _, usage = os.wait4(child.pid, 0)
            if turn:  # the first one fills caches
                spent += usage.ru_utime + usage.ru_stime
                for line in out.read_text(encoding="utf-8").splitlines():
                    root.add([frame for frame in line.split(";") if not _is_ours(frame)])
    return root, spent / rounds * 1e3


def _is_ours(frame: str) -> bool:
    """Return whether a frame is that of the sampler, or of Python's own start."""
    return "flame/sampled:" in frame or frame.startswith("<frozen")


def drawn(root: Box, milliseconds: float, title: str) -> str:
    """Return the flame graph as SVG."""
    height = (root.depth(LEAST * root.samples / WIDTH) + 2) * ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height}" role="img" '
        f'font-family="monospace" font-size="11">',
        f"<title>{escape(title)}</title>",
        f'<rect width="100%" height="100%" fill="#fff"/><text x="6" y="13">{escape(title)}</text>',
    ]

    def put(box: Box, left: float, level: int) -> None:
        width = WIDTH * box.samples / root.samples
        if width < LEAST:
            return
        share = box.samples / root.samples
        top = height - (level + 1) * ROW
        hue = 20 + zlib.crc32(box.name.partition(":")[0].encode()) % 40
        told = f"{box.name}: {share:.1%}, {share * milliseconds:.1f} ms"
        fits = int((width - 4) / LETTER)
        short = "/".join(box.name.split("/")[-2:])
        shown = short if len(short) <= fits else short[: fits - 1] + "…" if fits > 3 else ""
        lines.append(
            f'<g><title>{escape(told)}</title><rect x="{left:.1f}" y="{top}" width="{width:.1f}" '
            f'height="{ROW - 1}" fill="hsl({hue} 85% 70%)"/>'
            + (f'<text x="{left + 2:.1f}" y="{top + 12}">{escape(shown)}</text>' if shown else "")
            + "</g>"
        )
        for child in sorted(box.called.values(), key=lambda one: one.name):
            put(child, left, level + 1)
            left += WIDTH * child.samples / root.samples

    put(root, 0.0, 0)
    return "\n".join([*lines, "</svg>"]) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="where the time of a check goes, as a flame graph")
    parser.add_argument("output", type=Path, help="the SVG file to write")
    parser.add_argument("--rounds", type=int, default=60, help="checks that are sampled (60)")
    parser.add_argument("--policy", default="recommended", help="the policy (recommended)")
    parser.add_argument("--python", default=sys.executable, help="Python of the environment to measure")
    arguments = parser.parse_args()
    root, milliseconds = sampled(arguments.python, arguments.policy, arguments.rounds)
    title = f"exitgate check --policy {arguments.policy}, {root.samples} samples of {arguments.rounds} checks"
    arguments.output.write_text(drawn(root, milliseconds, title), encoding="utf-8")
    print(f"{arguments.output}: {root.samples} samples, {milliseconds:.1f} ms a check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
