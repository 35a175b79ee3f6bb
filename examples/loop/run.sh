#!/usr/bin/env bash
# Walks the iterations of an example loop as a real loop would: after each response of the agent it
# asks exitgate, shows the decision, and stops when that is EXIT.
set -euo pipefail

# Neither a loop that this is run in nor the user's own settings change what comes out.
unset CDPATH
cache=${EXITGATE_CACHE_DIR:-}
for name in "${!EXITGATE_@}"; do unset "$name"; done
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
policy=${1:-bb3}

if ! command -v exitgate >/dev/null; then
    echo "exitgate is not on the PATH: run \`make demo\` at the top of the repository" >&2
    exit 69
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/none EXITGATE_CACHE_DIR=${cache:-$work/cache}
mkdir "$work/.ralph"
cp "$here/PROMPT.md" "$work/.ralph/PROMPT.md"
cd "$work"

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\033[1m' plain=$'\033[0m'
fi
line() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

line "=== An agent writes a small program, and after each of its turns exitgate decides: policy $policy"

# Where the same iterations end under another policy, in a folder of its own.
stops_under() {
    local place number code told
    place=$(mktemp -d "$work/XXXXXX")
    mkdir "$place/.ralph"
    cp "$here/PROMPT.md" "$place/.ralph/PROMPT.md"
    for iteration in "$here"/iterations/*/; do
        number=$(basename "$iteration")
        cp "$iteration/response.md" "$place/.ralph/last-response.md"
        cp "$iteration/plan.md" "$place/.ralph/@fix_plan.md"
        cp "$iteration/circuit-state.json" "$place/.ralph/circuit-state.json"
        code=0
        told=$(cd "$place" && exitgate check --policy "$1" --task .ralph/PROMPT.md | head -n 1) || code=$?
        ((code == 0)) || break
    done
    rm -rf "$place"
    ((code == 0)) && told="goes on"
    printf '    %-26s %-12s %s\n' "$1" "iteration $number" "$told"
}

# The iterations whose decision is worth a closer look.
explained=" 02 03 "

for iteration in "$here"/iterations/*/; do
    number=$(basename "$iteration")
    cp "$iteration/response.md" .ralph/last-response.md
    cp "$iteration/plan.md" .ralph/@fix_plan.md
    cp "$iteration/circuit-state.json" .ralph/circuit-state.json

    line "=== iteration $number: the agent says"
    sed -n '1,3s/^/    /p' .ralph/last-response.md
    echo "    ..."

    line "\$ exitgate check --policy $policy --task .ralph/PROMPT.md"
    code=0
    exitgate check --policy "$policy" --task .ralph/PROMPT.md || code=$?

    if [[ $explained == *" $number "* ]]; then
        line "\$ exitgate explain"
        exitgate explain
    fi
    if ((code == 0)); then
        continue
    fi
    if ((code == 1 || (code >= 64 && code < 130))); then
        echo "exitgate could not decide (exit code $code)" >&2
        exit "$code"
    fi
    line "\$ exitgate explain"
    exitgate explain
    line "=== EXIT after iteration $number: the loop stops here (exit code $code)"
    line "The same iterations under other policies end here:"
    for other in recommended bb3-faithful ralph doyaken response-analyzer-faithful loop-detection; do
        stops_under "$other"
    done
    exit 0
done

echo "the example ran out of iterations before exitgate said EXIT" >&2
exit 1
