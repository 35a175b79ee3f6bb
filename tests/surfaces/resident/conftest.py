"""Puts this folder on the path, and gives tests a resident process of their own."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from resident_place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A project, and a folder for sockets, whose path is short; what listens there ends with the test."""
    folder = Path(tempfile.mkdtemp(prefix="xg-", dir="/tmp"))
    made = Place(tmp_path, folder)
    try:
        yield made
    finally:
        made.end()
        shutil.rmtree(folder)
