# turn, class -> the result; fails if it is not the expected result
times="$(($1 - 1)) time$([[ $1 == 2 ]] || echo s)"
case $2 in
blocked)
    echo "said it $times, a person is notified"
    exit 0
    ;;
complete) echo "called complete, $(open_tasks) of 3 tasks open" ;;
goes-on) echo "said it $times, no reaction" ;;
*) echo "said $times, ends for other reasons" ;;
esac
exit 1
