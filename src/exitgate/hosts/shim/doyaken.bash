# Doyaken's exit detection by exitgate: printed by `exitgate shim doyaken`, to be read with `source` as
# lib/exit_detection.sh. Doyaken's document names that file and no function: these names are exitgate's.

_exitgate_policy=@POLICY@

# exit_detection PHASE_LOG [TASK_FILE]: 0 to go on, 10 when the task is done, 11 for a review, any other code of
# `exitgate check` else. The score goes to confidence.log in $RUN_LOG_DIR, as the policy says.
exit_detection() {
    local log=$1 task=${2:-}
    set -- check "$log" --policy "$_exitgate_policy"
    [ -n "$task" ] && set -- "$@" --set "task=$(basename "$task")"
    "${EXITGATE:-exitgate}" "$@"
}

# exit_detection_status PHASE_LOG: prints the fields of the DOYAKEN_STATUS block that count, one a line.
exit_detection_status() {
    "${EXITGATE:-exitgate}" facts "$1" --policy "$_exitgate_policy" --format json |
        awk '/"status\.[a-z_]+": \{/ { name = $1; getline; if ($0 ~ /"value": [^{]/) {
            sub(/.*"value": /, ""); sub(/,$/, ""); gsub(/[":]/, "", name); sub(/^status\./, "", name)
            print name "=" $0 } }'
}
