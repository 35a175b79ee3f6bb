"""Lets the tests of this folder import `policies`, the factory of hand-built policies, and random ones."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent / "core" / "engine")]
