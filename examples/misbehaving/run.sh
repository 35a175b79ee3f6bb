#!/usr/bin/env bash
# Six agents that misbehave, each in one well-known way, and what loops and policies make of them.
#
#     examples/misbehaving/run.sh              all of them, with a sum at the end
#     examples/misbehaving/run.sh NAME         one of them, with what the agent says
#     examples/misbehaving/run.sh --table NAME POLICY...   the rows of some policies, without a head
#     examples/misbehaving/run.sh --check      all tables again; 69 where one is not as it is kept
set -euo pipefail

# What is set in the shell around this is none of the agents'.
unset CDPATH
export -n SHELLOPTS
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# Turns after which a loop that nothing ends is cut off here.
most=10
today=(grep-loop ralph-claude-code:as_it_is ralph-faithful doyaken-faithful bb3-faithful response-analyzer-faithful)
mended=(ralph-claude-code ralph doyaken bb3 response-analyzer recommended)

names=()
for folder in "$here"/*/; do names+=("$(basename "$folder")"); done
usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    printf '\nNAME is one of: %s\n' "${names[*]}"
}
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
    usage
    exit
fi
name=${1:-}
[[ $name != --table ]] || name=${2:-}
if [[ $name && $name != --check && " ${names[*]} " != *" $name "* ]] || [[ ${1:-} == --table && $# -lt 3 ]]; then
    usage >&2
    exit 64
fi
if ! command -v exitgate >/dev/null; then
    echo "exitgate is not on the PATH: run \`make demo\` at the top of the repository" >&2
    exit 69
fi
# Neither a loop that this is run in nor the user's own settings, of exitgate or of git, change what comes out.
for name in "${!EXITGATE_@}" "${!GIT_@}"; do unset "$name"; done
work=$(mktemp -d)
export XDG_CONFIG_HOME=$work/none XDG_CACHE_HOME=$work/cache LC_ALL=C
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
trap 'rm -rf "$work"' EXIT

bold='' plain=''
if [[ -t 1 && -z ${NO_COLOR:-} ]]; then
    bold=$'\033[1m' plain=$'\033[0m'
fi
line() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }

# Copies the agent's project to a folder of its own, as a repository with one commit.
prepare() {
    if [[ ! -d $work/$1 ]]; then
        cp -R "$here/$1/project" "$work/$1"
        chmod -R u+w "$work/$1"
        git -C "$work/$1" init --quiet --template=
        git -C "$work/$1" add .
        git -C "$work/$1" -c user.name=demo -c user.email=demo@example.org \
            commit --quiet -m start
    fi
    rm -rf "$work/project"
    cp -R "$work/$1" "$work/project"
    cd "$work/project"
}

# Runs the agent of an example under a policy; sets `turns`, `class`, `told`, and `mark` if it ends well.
play() {
    local agent="$here/$1/agent.sh" policy=${2%%:*} profile=${2#*:} last
    prepare "$1"
    if [[ $policy == grep-loop ]]; then
        read -r class turns < <(bash "$here/grep_loop.sh" "$agent" "$most")
    else
        if [[ $profile != "$2" ]]; then
            mkdir .bb3
            echo "project: {type: $profile}" >.bb3/config.yaml
        fi
        last=$(exitgate run --policy "$policy" --max-iterations "$most" --max-wait 0 --format json \
            -- bash "$here/turn.sh" "$agent" "$2" 2>"$work/err" | tail -n 1) || true
        class=$(sed -n 's/.*"class": *"\([a-z]*\)".*/\1/p' <<<"$last")
        turns=$(sed -n 's/.*"iterations": *\([0-9]*\).*/\1/p' <<<"$last")
        if [[ -z $class ]]; then
            cat "$work/err" >&2
            exit 70
        fi
        # The bound of this script is no decision of the policy.
        if [[ $class == exhausted && $turns == "$most" ]]; then class=goes-on; fi
    fi
    # `told.sh` says the result, and fails if it is not the expected one.
    mark='+'
    told=$(source "$here/agent_parts.sh" && source "$here/$1/told.sh" "$turns" "$class") || mark=' '
    [[ $mark == ' ' ]] || right+="$2 "
    cd "$here"
}

row() {
    play "$1" "$2"
    local end=$turns shown=$class
    if [[ $class == goes-on ]]; then end='-' shown='no stop'; fi
    printf '%s %-26s %4s %-8s %s\n' "$mark" "${2/:/ }" "$end" "$shown" "$told"
}

table() {
    printf '  %-26s %4s %-8s %s\n' policy turn class result
    echo "  today's loops"
    for policy in "${today[@]}"; do row "$1" "$policy"; done
    echo "  exitgate run with a fixed policy"
    for policy in "${mended[@]}"; do row "$1" "$policy"; done
}

# One line a policy: how many of the examples it ended as they should.
sum() {
    local policy count
    for policy in "${today[@]}" "${mended[@]}"; do
        count=$(tr ' ' '\n' <<<"$right" | grep -cx "$policy") || true
        printf '  %-26s %s of %s\n' "${policy/:/ }" "$count" "${#names[@]}"
    done
}

right=''
if [[ ${1:-} == --table ]]; then
    for policy in "${@:3}"; do row "$2" "$policy"; done
elif [[ ${1:-} == --check ]]; then
    code=0
    for name in "${names[@]}"; do diff -u "$here/$name/table.txt" <(table "$name") || code=69; done
    exit "$code"
elif (($#)); then
    line "=== $1"
    sed -n '3,$ {s/[*][*]//g; p}' "$here/$1/README.md"
    line "What the agent says at turn 3:"
    prepare "$1"
    for EXITGATE_ITERATION in 1 2 3; do
        export EXITGATE_ITERATION
        said=$(bash "$here/$1/agent.sh") || said+=" (exit 1)"
    done
    sed 's/^/    /' <<<"$said"
    line "What comes of it, cut off after $most turns (+ as it should be):"
    table "$1"
else
    for name in "${names[@]}"; do
        line "=== $name"
        table "$name"
    done
    line "=== as it should be (+)"
    sum
fi
