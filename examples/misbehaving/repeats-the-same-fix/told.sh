# turn, class -> the result; fails if it is not the expected result
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
