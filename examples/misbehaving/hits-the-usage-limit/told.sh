# turn, class -> the result; fails if it is not the expected result
refused=0
[[ ! -e .git/refused ]] || refused=$(grep -c . .git/refused)
case $2 in
wait)
    echo "waits until the limit is reset"
    exit 0
    ;;
complete) echo "called complete, $(open_tasks) of 4 chapters open" ;;
goes-on) echo "$refused starts against the limit" ;;
*) echo "gives up after $refused starts against it" ;;
esac
exit 1
