# Works for two turns; then its plan is used up for some hours, and every start fails.
source "$(dirname "$0")/../agent_parts.sh"

if ((turn <= 2)); then
    tick
    printf '\n## Chapter %s\n\nTranslated.\n' "$(done_tasks)" >>manual.md
    say "Chapter $(done_tasks) is translated and stands in manual.md. I read it once more against the original" \
        "and am confident that it says the same."
    report IN_PROGRESS 1 2 NOT_RUN DOCUMENTATION false "Next: chapter $(($(done_tasks) + 1))."
    exit
fi
echo starts >>.git/refused
echo "You've hit your usage limit. It resets in 4 hours."
exit 1
