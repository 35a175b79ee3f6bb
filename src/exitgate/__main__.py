"""
What `python -P -m exitgate` runs.

Without `-P` Python has put the working folder in front of its places of modules by now: it is taken out
before anything else is imported. What Python itself loads before this file may come from there all the same.
"""

import sys

if not sys.flags.safe_path and sys.path[:1]:
    try:
        here = sys.modules["os"].getcwd()
    except (KeyError, OSError):
        here = ""
    if sys.path[0] in ("", here):
        del sys.path[0]

from exitgate.cli.start import main

sys.exit(main())
