# turn, class -> what comes of it; fails where that is not what should come of it
times="$(($1 - 1)) time$([[ $1 == 2 ]] || echo s)"
case $2 in
blocked)
    echo "asked $times, a person is told"
    exit 0
    ;;
complete) echo "called complete, the question open" ;;
goes-on) echo "asked $times, nobody hears it" ;;
*) echo "asked $times, stops without a word" ;;
esac
exit 1
