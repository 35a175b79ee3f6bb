"""Lets the tests of this folder import `policies`, the factory of hand-built policies, and each other."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "engine"))
sys.path.insert(0, str(Path(__file__).parent))
