# turn, class -> the result; fails if it is not the expected result
case $2 in
complete)
    echo "called complete, $(open_tasks) tasks open"
    exit 1
    ;;
goes-on)
    echo "made and undone $(($1 / 2)) times"
    exit 1
    ;;
*) echo "noticed after $1 turns" ;;
esac
