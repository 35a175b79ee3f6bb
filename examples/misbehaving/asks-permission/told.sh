# turn, class -> the result; fails if it is not the expected result
times="$(($1 - 1)) time$([[ $1 == 2 ]] || echo s)"
case $2 in
blocked)
    echo "asked $times, a person is notified"
    exit 0
    ;;
complete) echo "called complete, the question open" ;;
goes-on) echo "asked $times, no reaction" ;;
*) echo "asked $times, stops silently" ;;
esac
exit 1
