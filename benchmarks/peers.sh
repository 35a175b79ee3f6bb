#!/bin/sh
# Makes benchmarks/.venv with exitgate and every peer of peers.txt that installs, then says what does not.
# Usage: benchmarks/peers.sh [PYTHON]
set -eu
cd "$(dirname "$0")/.."
python=${1:-python3}
venv=benchmarks/.venv
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -e .
: > "$venv/not-installed.txt"
grep -v '^#' benchmarks/peers.txt | while read -r peer; do
    # One at a time: a peer that does not install must not keep the others out. One of them asks for a
    # newer Python than it needs, hence --ignore-requires-python.
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        --ignore-requires-python --only-binary :all: "$peer" 2> "$venv/last-error.txt"; then
        echo "$peer: $(grep -m 1 ERROR "$venv/last-error.txt" || tail -n 1 "$venv/last-error.txt")" \
            | tee -a "$venv/not-installed.txt" >&2
    fi
done
