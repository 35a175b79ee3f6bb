#!/usr/bin/env bash
# The tests of `make test-fast` with the lowest release of each package that pyproject.toml allows.
set -euo pipefail
cd "$(dirname "$0")/.."
place=build/lowest
lowest=scripts/requirements/lowest.txt
mkdir -p build
"${PYTHON:-python3}" -m venv "$place"
# What exitgate needs, as low as it may be; what tests need beside that, as locked.
"$place/bin/python" -I - "$lowest" scripts/requirements/dev.txt >"$place/rest.txt" <<'EOF'
import re
import sys

PIN = re.compile(r"([a-z0-9._-]+)==([^ ;\\]+)( ;[^\\]*)?")
low, rest = ([PIN.match(line) for line in open(path, encoding="utf-8")] for path in sys.argv[1:])
names = {found[1] for found in low if found}
print("\n".join(f"{one[1]}=={one[2]}{(one[3] or '').rstrip()}" for one in rest if one and one[1] not in names))
EOF
pip() { "$place/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps "$@"; }
pip -r "$lowest" -r "$place/rest.txt"
pip --no-build-isolation -e .
"$place/bin/pytest" -n 2 --dist loadfile --fast "$@"
