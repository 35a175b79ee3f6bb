# turn, class -> what comes of it; fails where that is not what should come of it
times="$(($1 - 1)) time$([[ $1 == 2 ]] || echo s)"
case $2 in
blocked)
    echo "said it $times, a person is told"
    exit 0
    ;;
complete) echo "called complete, $(open_tasks) of 3 tasks open" ;;
goes-on) echo "said it $times, nobody hears it" ;;
*) echo "said $times, ends for other reasons" ;;
esac
exit 1
