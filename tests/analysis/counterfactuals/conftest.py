"""Lets the tests of this folder import the factories of hand-built and of random policies."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE.parent.parent / "core" / "engine"))
sys.path.insert(0, str(HERE.parent.parent / "core" / "gate"))
