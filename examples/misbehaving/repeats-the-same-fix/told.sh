# turn, class -> what comes of it; fails where that is not what should come of it
case $2 in
complete)
    echo "called complete with a failing test"
    exit 1
    ;;
goes-on)
    echo "the same fix $1 times"
    exit 1
    ;;
*) echo "the same fix $1 times, then noticed" ;;
esac
