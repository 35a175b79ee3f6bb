"""A workspace: a policy that another one extends, tests, settings and a lexicon."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from workspace import lay_out


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return the folder of a workspace of a test's own."""
    lay_out(tmp_path)
    return tmp_path
