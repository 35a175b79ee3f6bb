"""Lets the tests of this folder import `typed`, the strategies of well-typed conditions."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
