# What the six agents have in common; each `agent.sh` sources it. One call is one turn in the project's folder.
plan=.ralph/@fix_plan.md
turn=${EXITGATE_ITERATION:-1}

# Says one paragraph, in lines of at most 76 columns.
say() {
    local words word line=''
    read -ra words <<<"$*"
    for word in "${words[@]}"; do
        if ((${#line} + ${#word} >= 76)); then
            echo "$line"
            line=$word
        else
            line+=${line:+ }$word
        fi
    done
    echo "$line"
}

# Ticks the first open box of the plan.
tick() {
    awk '!done && sub(/^- \[ \]/, "- [x]") { done = 1 } { print }' "$plan" >"$plan.new" && mv "$plan.new" "$plan"
}

# Opens the last ticked box again.
untick() {
    awk '/^- \[x\]/ { last = NR } { line[NR] = $0 }
         END { for (i = 1; i <= NR; i++) { if (i == last) sub(/^- \[x\]/, "- [ ]", line[i]); print line[i] } }' \
        "$plan" >"$plan.new" && mv "$plan.new" "$plan"
}

open_tasks() { grep -c '^- \[ \]' "$plan"; }
done_tasks() { grep -c '^- \[x\]' "$plan"; }

# The status block that the agent's prompt asks for: status, tasks, files, tests, work type, exit signal, next step.
report() {
    if [[ ${BLOCK:-ralph} == doyaken ]]; then
        local tests=unknown
        case $4 in PASSING) tests=pass ;; FAILING) tests=fail ;; esac
        printf '\nDOYAKEN_STATUS:\n  PHASE_COMPLETE: %s\n  FILES_MODIFIED: %s\n  TESTS_STATUS: %s\n' "$6" "$3" "$tests"
        printf '  CONFIDENCE: high\n  REMAINING_WORK: %s\n' "$7"
        return
    fi
    printf '\n---RALPH_STATUS---\nSTATUS: %s\nTASKS_COMPLETED_THIS_LOOP: %s\nFILES_MODIFIED: %s\n' "$1" "$2" "$3"
    printf 'TESTS_STATUS: %s\nWORK_TYPE: %s\nEXIT_SIGNAL: %s\nRECOMMENDATION: %s\n' "$4" "$5" "$6" "$7"
    printf -- '---END_RALPH_STATUS---\n'
}
