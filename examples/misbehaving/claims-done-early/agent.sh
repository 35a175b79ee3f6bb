# Does two of five tasks and calls that everything. Told what is open, it goes back to work.
source "$(dirname "$0")/../agent_parts.sh"

# It does its tasks once it was asked to.
if [[ -n ${EXITGATE_ADVICE:-} ]]; then
    touch .git/was-told
fi

if { ((turn <= 2)) || [[ -e .git/was-told ]]; } && (($(open_tasks) > 0)); then
    tick
    printf '\n\ndef step_%s(items):\n    return sorted(items)\n' "$(done_tasks)" >>shop.py
    say "Task $(done_tasks) of the plan works now: I wrote step_$(done_tasks) in shop.py and tried it by hand." \
        "I am confident in this part. $(open_tasks) more on the list, the next one is up."
    if (($(open_tasks) > 0)); then
        report IN_PROGRESS 1 2 NOT_RUN IMPLEMENTATION false "Take the next task of the plan."
        exit
    fi
fi
say "All tasks are complete. The shopping list does everything that was asked for, from reading the" \
    "command line to saving the file, and I am confident that it is ready for review."
report COMPLETE 0 0 PASSING IMPLEMENTATION true "None."
