"""Loops on disk for commands that judge policies by them; made as in the tests of dry runs."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "recordings"))

from judged_loops import loop, policy

__all__ = ["labels_file", "loop", "policy", "some_loops"]


def some_loops(folder: Path) -> Path:
    """Write three loops below `runs`, labels for them, and the policy `sure.yaml`."""
    loop(folder / "runs", "one", ["unsure", "likely", "certain", "certain"])
    loop(folder / "runs", "two", ["likely", "unsure", "certain"], cost=2.0)
    loop(folder / "runs", "three", ["unsure", "likely", "unsure"])
    labels_file(
        folder, "{run: one, stop: 3, class: complete}", "{run: two, stop: 3}", "{run: three, stop: never}"
    )
    policy(folder)
    return folder


def labels_file(folder: Path, *entries: str) -> None:
    """Write `labels.yaml`."""
    text = "labels:\n" + "".join(f"  - {entry}\n" for entry in entries)
    (folder / "labels.yaml").write_text(text, encoding="utf-8")
