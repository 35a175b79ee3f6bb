"""Puts this folder on the path: the tests share `shim_rows`, which plays many rows in one bash."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
