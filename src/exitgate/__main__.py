"""`python -m exitgate`."""

from __future__ import annotations

import sys

from exitgate.cli.main import main

sys.exit(main())
