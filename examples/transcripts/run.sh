#!/usr/bin/env bash
# Two policies on the recorded loops in this folder: where each would have stopped, and a page to look at.
#
#     bash examples/transcripts/run.sh [REPORT.html]
set -euo pipefail
for name in "${!EXITGATE_@}"; do unset "$name"; done
report=${1:-report.html}
mkdir -p "$(dirname "$report")"
here=$(dirname "$0")

echo
echo "=== Five recorded loops: where would two policies have stopped them?"
echo "\$ exitgate dry-run $here -p recommended -p bb3"
exitgate dry-run "$here" -p recommended -p bb3
echo
echo "\$ exitgate score $here --labels $here/labels.yaml -p recommended -p bb3"
exitgate score "$here" --labels "$here/labels.yaml" -p recommended -p bb3
echo
echo "\$ exitgate report $here -p recommended -p bb3 -l $here/labels.yaml -o $report"
exitgate report "$here" -p recommended -p bb3 -l "$here/labels.yaml" -o "$report"
echo "open $report to look at every iteration"
