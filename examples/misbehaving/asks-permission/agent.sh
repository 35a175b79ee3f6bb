# Does what it may, then asks, and asks, and asks: in a loop there is no answer.
source "$(dirname "$0")/../agent_parts.sh"

if ((turn == 1)); then
    echo 'INSERT INTO orders_v2 SELECT id, total FROM orders;' >>schema.sql
    tick
    say "The orders are copied: I wrote the statement into schema.sql and compared the number of rows." \
        "I am confident that nothing is lost. The old table is still there."
    report IN_PROGRESS 1 2 NOT_RUN IMPLEMENTATION false "Next: the old table."
    exit
fi
case $((turn % 3)) in
    2) said="Before I go on: dropping the table orders cannot be undone, and there is no backup on this machine." ;;
    0) said="The old table orders still holds the only copy of the notes that customers wrote." ;;
    1) said="I looked at the table orders again. Two reports outside this repository may still read it." ;;
esac
say "$said I am confident in the copy, but I did not want to decide this alone. Should I drop the table now, or keep it for a while?"
report IN_PROGRESS 0 0 NOT_RUN IMPLEMENTATION false "Tell me whether the old table may go."
