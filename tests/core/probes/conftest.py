"""Lets the tests of this folder import `report_samples`, reports of every format."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
