# shellcheck shell=bash
# Printed by `exitgate shim ralph`: the response analyzer and the circuit breaker of ralph_loop.sh, answered
# by exitgate. Read it behind the lines `source "$SCRIPT_DIR/lib/..."`, or anywhere behind them:
#
#     eval "$(exitgate shim ralph)"
#
# One step an iteration: analyze_response decides, keeps the decision in the ledger, writes the loop's
# state files and leaves .exitgate_answer beside them. The first step is a process of its own; from then on a
# process does them that waits in between and ends with the loop (EXITGATE_SHIM_WAITS=0 does without it). The other functions read that file. It counts only
# while it is of the loop that is asked about, and .exit_signals, .circuit_breaker_state and
# .response_analysis hold what was written with it; else exitgate is asked anew, and where it cannot
# answer, the loop halts and its log says so.
#
# Bash 3.2 is enough, no other program is needed, `set -euo pipefail` does no harm.

_exitgate_policy=@POLICY@
# What is started: the Python that printed this; EXITGATE in the environment, or once that is gone the
# command `exitgate`, in its place.
_exitgate_program=(@PROGRAM@)
_exitgate_head='exitgate shim 1'
# A hook in the agent's own host leaves its sessions alone: one loop is enough. EXITGATE_LOOP=1 wants both.
export EXITGATE_LOOP="${EXITGATE_LOOP:-0}"
# What this shell analysed last: the loop and the file; of another shell it knows neither.
_exitgate_loop=''
# The loop that it recorded last without an analysis.
_exitgate_recorded=''
_exitgate_file=''

# --- what is between bash and exitgate ---

_exitgate_place() {  # VARIABLE NAME: the path of a state file, into _exitgate_path
    _exitgate_path="${RALPH_DIR:-.ralph}/$2"
    if [[ -n "${!1:-}" ]]; then _exitgate_path="${!1}"; fi
}

_exitgate_names=(RALPH_DIR EXIT_SIGNALS_FILE RESPONSE_ANALYSIS_FILE CB_STATE_FILE CB_HISTORY_FILE
    CB_NO_PROGRESS_THRESHOLD CB_SAME_ERROR_THRESHOLD CB_PERMISSION_DENIAL_THRESHOLD CB_COOLDOWN_MINUTES
    CB_AUTO_RESET MAX_CONSECUTIVE_TEST_LOOPS MAX_CONSECUTIVE_DONE_SIGNALS OPTIONAL_SECTIONS
    CLAUDE_ALLOWED_TOOLS RALPH_JSONL_SAFE_MAX_BYTES)

_exitgate_step() {  # WORD...: one step; what the loop has set goes with it, and only to it
    local name code
    case "$1" in
        analyze | ask | failed | record | signals)
            if _exitgate_told "$@"; then return 0; else code=$?; fi
            if ((code != 127)); then return "$code"; fi
            ;;
    esac
    set -- -- "$@"
    if [[ -n "$_exitgate_policy" ]]; then set -- --policy "$_exitgate_policy" "$@"; fi
    (
        # Exported here only, and by name: a variable of the script may be readonly.
        for name in "${_exitgate_names[@]}"; do
            if [[ -n "${!name+set}" ]]; then export "${name?}"; fi
        done
        if [[ -n "${EXITGATE:-}" ]]; then
            "$EXITGATE" shim ralph-step "$@"
        elif [[ -x "${_exitgate_program[0]}" ]]; then
            "${_exitgate_program[@]}" shim ralph-step "$@"
        else
            exitgate shim ralph-step "$@"
        fi
    )
}

# --- the process that waits, so that each iteration need not start Python and load everything anew ---

# The folder with its pipes; `none` where there is none. EXITGATE_SHIM_WAITS=0 does without.
_exitgate_waiter=''
# Seconds that it may take for one step.
_exitgate_patience=60

_exitgate_wake() {  # starts it, once, from the loop's own shell; it ends when that ends
    local folder
    if [[ -n "$_exitgate_waiter" || -n "${EXITGATE:-}" || "$BASH_SUBSHELL" != 0 ]]; then return 0; fi
    _exitgate_waiter=none
    if [[ "${EXITGATE_SHIM_WAITS:-1}" != 1 || ! -x "${_exitgate_program[0]}" ]]; then return 0; fi
    folder="$(mktemp -d "${TMPDIR:-/tmp}/exitgate-shim-XXXXXX" 2>/dev/null)" || return 0
    if mkfifo -m 600 "$folder/ask" "$folder/told" 2>/dev/null; then
        # In a subshell, so that it is no job of this shell, which may `wait` for its jobs.
        ("${_exitgate_program[@]}" shim ralph-wait --shell "$$" "$folder" </dev/null >/dev/null 2>&1 &)
        _exitgate_waiter="$folder"
    else
        rmdir "$folder" 2>/dev/null || true
    fi
}

_exitgate_clear() {  # removes its folder: it answers no more
    rm -rf "$_exitgate_waiter"
    _exitgate_waiter=none
}

_exitgate_told() {  # WORD...: the step by the process that waits; 127 where that does not answer
    local id="$RANDOM$RANDOM$RANDOM" name line pid='' length=0 seconds=0 fields
    case "$_exitgate_waiter" in '' | none) return 127 ;; esac
    if [[ ! -s "$_exitgate_waiter/pid" || -n "${EXITGATE:-}" ]]; then return 127; fi
    IFS= read -r pid <"$_exitgate_waiter/pid" || return 127
    kill -0 "$pid" 2>/dev/null || { _exitgate_clear; return 127; }
    fields=("i$id" "d$PWD" "p$_exitgate_policy")
    for name in "$@"; do fields+=("w$name"); done
    for name in "${_exitgate_names[@]}" "${!EXITGATE_@}"; do
        if [[ -n "${!name+set}" ]]; then fields+=("v$name=${!name}"); else fields+=("u$name"); fi
    done
    for name in "${fields[@]}"; do length=$((length + ${#name} + 1)); done
    # Pipes hold a few thousand characters for a reader that does not come.
    if ((length > 4000)); then return 127; fi
    # Open for both ways, so that neither opening nor writing waits, and a reader that is gone is no signal.
    printf '%s\0' "${fields[@]}" e 1<>"$_exitgate_waiter/ask" || return 127
    while ((seconds < _exitgate_patience)); do
        if IFS= read -r -t 1 line 0<>"$_exitgate_waiter/told"; then
            if [[ "$line" == "$id "* ]]; then return "${line#* }"; fi
        else
            kill -0 "$pid" 2>/dev/null || { _exitgate_clear; return 127; }
            seconds=$((seconds + 1))
        fi
    done
    # Answered later, the step would be done twice.
    kill -KILL "$pid" || true
    _exitgate_clear
    return 127
} 2>/dev/null

_exitgate_say() {  # LEVEL MESSAGE: to the loop's log, and to stderr: some versions of its function print to stdout,
    # which is the answer where it is called in `$(...)`
    local rest="$2" safe=''
    if declare -F log_status >/dev/null 2>&1; then
        # That function prints with `echo -e`, and so does the loop's monitor: what an agent wrote is no escape.
        while [[ "$rest" == *\\* ]]; do
            safe="$safe${rest%%\\*}\\\\"
            rest="${rest#*\\}"
        done
        log_status "$1" "exitgate: $safe$rest" >&2 || true
    else
        printf '%s\n' "exitgate: $2" >&2
    fi
}

_exitgate_slurp() {  # PATH: the text of a file into _exitgate_text, empty where there is none
    _exitgate_text=''
    if [[ -f "$1" ]]; then IFS= read -r -d '' _exitgate_text <"$1" || true; fi
} 2>/dev/null

_exitgate_read() {  # the answer into variables; no (1) where there is none
    local path="${RALPH_DIR:-.ralph}/.exitgate_answer" line
    _exitgate_answer_loop='' _exitgate_reason='' _exitgate_halt='' _exitgate_breaker='' _exitgate_plan=''
    _exitgate_message='' _exitgate_moved='' _exitgate_advice='' _exitgate_written=''
    _exitgate_exit_signal='' _exitgate_confidence='' _exitgate_test_only='' _exitgate_files=''
    _exitgate_summary='' _exitgate_verdict=''
    if [[ ! -f "$path" ]]; then return 1; fi
    {
        IFS= read -r line || return 1
        if [[ "$line" != "$_exitgate_head" ]]; then return 1; fi
        while IFS= read -r line; do
            case "$line" in
                ---) break ;;
                loop=*) _exitgate_answer_loop="${line#*=}" ;;
                verdict=*) _exitgate_verdict="${line#*=}" ;;
                reason=*) _exitgate_reason="${line#*=}" ;;
                halt=*) _exitgate_halt="${line#*=}" ;;
                message=*) _exitgate_message="${line#*=}" ;;
                advice=*) _exitgate_advice="${line#*=}" ;;
                breaker=*) _exitgate_breaker="${line#*=}" ;;
                moved=*) _exitgate_moved="${line#*=}" ;;
                plan=*) _exitgate_plan="${line#*=}" ;;
                exit_signal=*) _exitgate_exit_signal="${line#*=}" ;;
                confidence_score=*) _exitgate_confidence="${line#*=}" ;;
                is_test_only=*) _exitgate_test_only="${line#*=}" ;;
                files_modified=*) _exitgate_files="${line#*=}" ;;
                work_summary=*) _exitgate_summary="${line#*=}" ;;
            esac
        done
        IFS= read -r -d '' _exitgate_written || true
    } <"$path"
    [[ -n "$_exitgate_verdict" ]]
} 2>/dev/null

_exitgate_fresh() {  # [LOOP]: whether the answer counts: of this loop, and nobody wrote the files since
    local found=''
    _exitgate_read || return 1
    if [[ -n "${1:-}" && "$_exitgate_answer_loop" != "$1" ]]; then return 1; fi
    _exitgate_place EXIT_SIGNALS_FILE .exit_signals
    _exitgate_slurp "$_exitgate_path"
    found="$_exitgate_text"
    _exitgate_place CB_STATE_FILE .circuit_breaker_state
    _exitgate_slurp "$_exitgate_path"
    found="$found$_exitgate_text"
    _exitgate_place RESPONSE_ANALYSIS_FILE .response_analysis
    _exitgate_slurp "$_exitgate_path"
    [[ "$found$_exitgate_text" == "$_exitgate_written" ]]
}

# Whether the answer is of this plan, too: the same file as then, and not written since. Of a plan that was
# written in the same second, or whose clock goes ahead, nobody can say that: it is asked about each time.
_exitgate_current() {  # [LOOP]
    local plan
    _exitgate_fresh "$@" || return 1
    plan="${RALPH_DIR:-.ralph}/fix_plan.md"
    if [[ -f "$plan" ]]; then
        if [[ "$_exitgate_plan" != "$plan" ]]; then return 1; fi
    elif [[ "$_exitgate_plan" == "$plan" ]]; then
        return 1
    fi
    if [[ -n "$_exitgate_plan" ]]; then
        [[ -f "$_exitgate_plan" && "${RALPH_DIR:-.ralph}/.exitgate_answer" -nt "$_exitgate_plan" ]]
    fi
}

_exitgate_expected() {  # the loop that was over last, into _exitgate_last; empty where nobody knows
    _exitgate_last="$_exitgate_loop"
    if [[ "${loop_count:-}" =~ ^[0-9]+$ && "$loop_count" != 0 && "$loop_count" != "$_exitgate_loop" ]]; then
        _exitgate_last=$((loop_count - 1))
    fi
}

# The script neither analyses nor records an iteration in which the agent itself failed: it began in this shell, and
# the next one begins. (Where the script waits for its own limit of calls, none began.)
_exitgate_count_failure() {
    local shell='' loop=''
    if [[ -z "$_exitgate_last" || "$_exitgate_last" == "$_exitgate_loop" ]]; then return 0; fi
    if [[ "$_exitgate_last" == "$_exitgate_recorded" ]]; then return 0; fi
    { read -r shell loop <"${RALPH_DIR:-.ralph}/.exitgate_begun"; } 2>/dev/null || return 0
    if [[ "$shell" != "$$" || "$loop" != "$_exitgate_last" ]]; then return 0; fi
    _exitgate_step failed "$loop" || return 1
    _exitgate_recorded="$loop"
}

_exitgate_ensure() {  # an answer that counts; no (1) where exitgate has none
    _exitgate_expected
    _exitgate_count_failure || return 1
    if _exitgate_current "$_exitgate_last"; then return 0; fi
    _exitgate_step ask "${_exitgate_last:-0}" || return 1
    _exitgate_fresh "$_exitgate_last"
}

# --- response analyzer ---

# analyze_response FILE LOOP [ANALYSIS_FILE]
analyze_response() {
    if [[ -n "${3:-}" ]]; then local RESPONSE_ANALYSIS_FILE="$3"; fi
    _exitgate_loop="$2"
    _exitgate_file="$1"
    if [[ ! -f "$1" ]]; then
        echo "ERROR: Output file not found: $1"
        return 1
    fi
    _exitgate_wake
    if ! _exitgate_step analyze "$1" "$2"; then
        _exitgate_say ERROR "no decision on loop $2; it is asked for again before the loop goes on"
        return 1
    fi
}

# update_exit_signals [ANALYSIS_FILE] [SIGNALS_FILE]: done with the analysis; for other files, now
update_exit_signals() {
    local analysis signals
    _exitgate_place RESPONSE_ANALYSIS_FILE .response_analysis
    analysis="${1:-$_exitgate_path}"
    _exitgate_place EXIT_SIGNALS_FILE .exit_signals
    signals="${2:-$_exitgate_path}"
    if [[ ! -f "$analysis" ]]; then
        echo "ERROR: Analysis file not found: $analysis"
        return 1
    fi
    if [[ "$signals" == "$_exitgate_path" && -n "$_exitgate_loop" ]] && _exitgate_fresh "$_exitgate_loop"; then
        return 0
    fi
    _exitgate_step signals "$analysis" "$signals"
}

# log_analysis_summary: what was found, for people
log_analysis_summary() {
    _exitgate_read || return 1
    printf '%s\n' "Response analysis of loop $_exitgate_answer_loop, by exitgate"
    printf '  %-14s %s\n' 'Exit signal' "$_exitgate_exit_signal" 'Confidence' "$_exitgate_confidence" \
        'Test only' "$_exitgate_test_only" 'Files changed' "$_exitgate_files" 'Summary' "$_exitgate_summary" \
        'Decision' "$_exitgate_verdict: $_exitgate_message"
}

# detect_output_format FILE: prints json or text
detect_output_format() { _exitgate_step format "$1"; }

# parse_json_response FILE [RESULT_FILE]
parse_json_response() {
    if [[ ! -f "$1" ]]; then
        echo "ERROR: Output file not found: $1" >&2
        return 1
    fi
    if ! _exitgate_step parse "$1" "${2:-${RALPH_DIR:-.ralph}/.json_parse_result}"; then
        echo "ERROR: Invalid JSON in output file" >&2
        return 1
    fi
}

# detect_questions TEXT: prints how many; yes (0) where there are some
detect_questions() {
    if [[ -z "$1" ]]; then
        echo 0
        return 1
    fi
    _exitgate_step questions <<<"$1"
}

# detect_stuck_loop FILE [FOLDER]: yes (0) where its errors stand in the three newest logs, too
detect_stuck_loop() { _exitgate_step stuck "$1" "${2:-${RALPH_DIR:-.ralph}/logs}"; }

# --- exit ---

# The script tells every reason but permission_denied as a completed project, and may close its issue then. So
# that one is the reason where there is no decision, or where a run that is no success ended only after
# should_halt_execution was asked; the log says why.
_exitgate_should_exit() {
    if ! _exitgate_ensure; then
        _exitgate_say ERROR "there is no decision; the loop halts rather than go on without one"
        echo permission_denied
        return 0
    fi
    if [[ -n "$_exitgate_reason$_exitgate_halt" ]]; then
        _exitgate_say WARN "$_exitgate_message"
        echo "${_exitgate_reason:-permission_denied}"
        return 0
    fi
    if [[ -n "${loop_count:-}" ]]; then
        printf '%s %s\n' "$$" "$loop_count" 2>/dev/null >"${RALPH_DIR:-.ralph}/.exitgate_begun" || true
    fi
    echo ''
}

# exitgate_advice: what the agent should be told in its next prompt, or nothing
exitgate_advice() {
    if _exitgate_read; then printf '%s\n' "$_exitgate_advice"; fi
}

# The script defines should_exit_gracefully itself, further down: the function is put in its place again
# by init_circuit_breaker, which the script calls at the top of every loop.
_exitgate_take_over() {
    should_exit_gracefully() { _exitgate_should_exit; }
}
_exitgate_take_over

# --- circuit breaker ---

init_circuit_breaker() {
    _exitgate_take_over
    _exitgate_wake
    _exitgate_expected
    _exitgate_count_failure || _exitgate_say ERROR "the failure of loop $_exitgate_last cannot be counted"
    if _exitgate_current "$_exitgate_last" && [[ "$_exitgate_breaker" != OPEN ]]; then
        _exitgate_place CB_HISTORY_FILE .circuit_breaker_history
        if [[ -f "$_exitgate_path" ]]; then return 0; fi
    fi
    _exitgate_step ask "${_exitgate_last:-0}" || _exitgate_say ERROR "the circuit breaker cannot be looked at"
}

get_circuit_state() {
    local pattern='"state"[[:space:]]*:[[:space:]]*"(CLOSED|HALF_OPEN|OPEN)"'
    _exitgate_place CB_STATE_FILE .circuit_breaker_state
    _exitgate_slurp "$_exitgate_path"
    if [[ "$_exitgate_text" =~ $pattern ]]; then echo "${BASH_REMATCH[1]}"; else echo CLOSED; fi
}

can_execute() { [[ "$(get_circuit_state)" != OPEN ]]; }

# record_loop_result LOOP FILES_CHANGED HAS_ERRORS OUTPUT_LENGTH: no (1) where the loop halts
record_loop_result() {
    if ! _exitgate_fresh "$1"; then
        # Not analysed, or not to its end: first what the agent said, then at least what the loop saw.
        if [[ "$_exitgate_loop" == "$1" && -f "$_exitgate_file" ]] &&
            _exitgate_step analyze "$_exitgate_file" "$1" && _exitgate_fresh "$1"; then
            :
        elif ! { _exitgate_step record "$1" "${2:-0}" "${3:-false}" && _exitgate_fresh "$1"; }; then
            _exitgate_say ERROR "loop $1 cannot be recorded; the loop halts rather than go on without a decision"
            return 1
        fi
        _exitgate_recorded="$1"
    fi
    if [[ -n "$_exitgate_moved" ]]; then _exitgate_say INFO "circuit breaker $_exitgate_moved"; fi
    if [[ -n "$_exitgate_halt" ]]; then _exitgate_say WARN "$_exitgate_message"; fi
    [[ "$_exitgate_breaker" != OPEN && -z "$_exitgate_halt" ]]
}

show_circuit_status() {
    _exitgate_read || true
    printf '%s\n' "Circuit breaker, by exitgate: $(get_circuit_state)"
    if [[ -n "${_exitgate_message:-}" ]]; then printf '%s\n' "  $_exitgate_message"; fi
}

# reset_circuit_breaker [REASON]
reset_circuit_breaker() {
    _exitgate_step reset "${1:-Manual reset}" || return 1
    echo "Circuit breaker reset to CLOSED"
}

# should_halt_execution: yes (0) where the breaker is open, or a run ended that is no success
should_halt_execution() {
    if ! _exitgate_ensure; then
        _exitgate_say ERROR "there is no decision; the loop halts rather than go on without one"
        return 0
    fi
    if [[ "$_exitgate_breaker" != OPEN && -z "$_exitgate_halt" ]]; then return 1; fi
    show_circuit_status
    printf '%s\n' "  Execution halted. Why: exitgate explain. Go on: exitgate circuit reset, or ralph --reset-circuit"
}

# The libraries export theirs to every program that the loop starts. These would lack what they call there, and
# would be a burden on each agent's environment.
export -nf analyze_response update_exit_signals log_analysis_summary detect_output_format parse_json_response \
    detect_questions detect_stuck_loop init_circuit_breaker get_circuit_state can_execute record_loop_result \
    show_circuit_status reset_circuit_breaker should_halt_execution
