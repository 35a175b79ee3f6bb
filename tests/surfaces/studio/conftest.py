"""The studio that the tests of this folder ask."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from studio_app import Asked


@pytest.fixture
def asked() -> Asked:
    return Asked()
