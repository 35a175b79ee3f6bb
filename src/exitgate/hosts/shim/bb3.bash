#!/usr/bin/env bash
# BB3's exit decision by exitgate: printed by `exitgate shim bb3`.
# As scripts/lib/exit_decision_engine.sh it answers check, state, history and reset as that script does; as
# scripts/lib/response-analyzer.sh, read with `source`, it has the four functions of that one.
# The names of the keys of analyze_response are exitgate's: BB3's document does not give them.

_exitgate_policy=@POLICY@

# Prints the value of a number among the facts of a file, or $3 where it is not known.
_exitgate_number() {
    "${EXITGATE:-exitgate}" facts "$1" --policy "$_exitgate_policy" --format json 2>/dev/null |
        awk -v want="\"$2\": {" -v none="$3" '
            index($0, want) { getline; if ($0 ~ /"value": [-0-9.]+/) { gsub(/[^-0-9.]/, ""); found = $0 } }
            END { print (found == "" ? none : found) }'
}

extract_confidence() { _exitgate_number "${1:-.ralph/last-response.md}" confidence 50; }
extract_completion_score() { _exitgate_number "${1:-.ralph/@fix_plan.md}" tasks.percent 0; }
extract_errors() { _exitgate_number "${1:-.ralph/last-response.md}" errors.count 0; }

analyze_response() {
    printf '{"completion_score": %s, "confidence": %s, "error_count": %s}\n' \
        "$(extract_completion_score "${2:-.ralph/@fix_plan.md}")" \
        "$(extract_confidence "${1:-.ralph/last-response.md}")" \
        "$(extract_errors "${1:-.ralph/last-response.md}")"
}

exit_decision_engine() {
    local command=${1:-check}
    [ $# -gt 0 ] && shift
    case $command in
        check) "${EXITGATE:-exitgate}" check --policy "$_exitgate_policy" "$@" ;;
        state | history | reset) "${EXITGATE:-exitgate}" "$command" "$@" ;;
        *)
            echo "usage: check [RESPONSE] [PLAN] | state | history | reset" >&2
            return 64
            ;;
    esac
}

if [ "${BASH_SOURCE[0]}" = "$0" ]; then
    exit_decision_engine "$@"
    exit $?
fi
