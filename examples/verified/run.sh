#!/usr/bin/env bash
# An agent that says `done` while a test fails: it is sent back with the test's name until the test passes.
#
#     examples/verified/run.sh
set -euo pipefail

unset CDPATH
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if ! command -v exitgate >/dev/null; then
    echo "exitgate is not on the PATH: run \`make demo\` at the top of the repository" >&2
    exit 69
fi
for name in "${!EXITGATE_@}" "${!GIT_@}"; do unset "$name"; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CONFIG_HOME=$work/none XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state LC_ALL=C
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

cp -R "$here/project" "$work/project"
cd "$work/project"
chmod -R u+w .
printf 'build/\n' > .gitignore
git init --quiet --template=
git add .
git -c user.name=demo -c user.email=demo@example.org commit --quiet -m start

echo
echo 'An agent that says `done` while a test fails. The settings name a probe that has to pass:'
echo
sed 's/^/    /' .bb3/config.yaml
echo
echo 'A person looks at what would run, here by its digest, as in CI:'
echo
exitgate trust --show | sed 's/^/    /'
EXITGATE_TRUST=$(exitgate trust --digest)
export EXITGATE_TRUST
echo
status=0
exitgate run -- sh "$here/agent.sh" || status=$?
echo
echo "Turns of the agent: $(cat "$work/turns.txt"). Times that \`make test\` ran: $(wc -l < "$work/runs.txt" | tr -d ' ')."
exit "$status"
