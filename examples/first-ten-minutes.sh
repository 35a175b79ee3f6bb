#!/usr/bin/env bash
# The first ten minutes with exitgate: what it says in a fresh repository, when something is missing or goes wrong.
# Needs exitgate and git on the PATH. Everything happens in a temporary folder, which is removed at the end.
set -euo pipefail

if ! command -v exitgate >/dev/null; then
    echo "exitgate is not on the PATH: run \`pip install .\` at the top of its repository" >&2
    exit 69
fi

# Neither the user's settings nor a loop or repository that this runs in change the output.
unset CDPATH
cache=${EXITGATE_CACHE_DIR:-}
for name in "${!EXITGATE_@}" "${!GIT_@}"; do unset "$name"; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state EXITGATE_CACHE_DIR=${cache:-$work/cache}
export GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=you GIT_AUTHOR_EMAIL=you@example.org
export GIT_COMMITTER_NAME=you GIT_COMMITTER_EMAIL=you@example.org NO_COLOR=1 COLUMNS=100

# A fresh repository with one file, and the task list that is given.
repository() {
    printf '\n=== %s\n' "$1"
    mkdir "$work/${1%%.*}"
    cd "$work/${1%%.*}"
    git init -q
    echo 'print("hello")' >app.py
    if (($# > 1)); then printf '%s\n' "${@:2}" >fix_plan.md; fi
    git add -A
    git commit -q -m start
}

# Show a command line, run it, and show its exit code unless that is 0.
play() {
    local code=0
    printf '\n$ %s\n' "$1"
    eval "$1" || code=$?
    if ((code)); then echo "[exit code $code]"; fi
}

turn=0
repository '1. Nothing is there yet: no task list, no response'
play 'exitgate check'

repository '2. The agent prints to the terminal and does nothing'
agent() { echo "    (the agent prints) Shall I go on?"; }
play 's=0; while exitgate check --agent-exit $s; do agent; s=$?; done'

repository '3. The agent prints to the terminal and works: its files and the task list count, its words do not' \
    '- [ ] greet by name' '- [ ] greet twice'
agent() {
    turn=$((turn + 1))
    echo "print($turn)" >>app.py
    awk '!done && sub(/\[ \]/, "[x]") { done = 1 } { print }' fix_plan.md >next && mv next fix_plan.md
    echo "    (the agent prints) Task $turn is done."
}
play 'exitgate check'
agent
play 'exitgate check --agent-exit 0'

repository '4. The same agent, with its response where it is read: the first EXIT' \
    '- [ ] greet by name' '- [ ] greet twice'
turn=0
play 's=0; while exitgate check --agent-exit $s; do agent > .ralph/last-response.md; s=$?; done'
play 'exitgate history'

repository '5. A log that grows in the repository is not work' '- [ ] greet by name'
log=agent.log
turn=0
agent() {
    turn=$((turn + 1))
    echo "I read file $turn of the library and found nothing yet." | tee -a "$log"
}
play 's=0; while exitgate check --agent-exit $s; do agent > .ralph/last-response.md; s=$?; done > night.txt'
play 'tail -n 3 night.txt'
play 'git status --short'

repository '6. A log of another name looks like work: the answer names it; leave it out of git' '- [ ] greet by name'
log=notes.txt
turn=0
play 'exitgate check --agent-exit 0 >/dev/null; agent > .ralph/last-response.md; exitgate check --agent-exit 0'
play 'echo notes.txt >> .gitignore'

repository '7. git add -A: nothing of exitgate is committed' '- [ ] greet by name'
play 'exitgate run --max-iterations 1 -- sh -c "echo I looked at app.py." >/dev/null 2>&1'
play 'git add -A; git status --short'
play 'ls -A .ralph'

repository '8. Settings for everyone, and a workflow for GitHub that installs exitgate from an address of yours'
play 'exitgate init --policy bb3 --yes --install-from git+https://github.com/OWNER/exitgate@v0.1.0 | tail -n 3'
play 'git add -A; git status --short'
