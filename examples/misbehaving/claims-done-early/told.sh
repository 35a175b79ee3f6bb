# turn, class -> the result; fails if it is not the expected result
open=$(open_tasks)
if ((open > 0)); then
    echo "$open of 5 tasks never done"
    exit 1
fi
echo "all 5 tasks done"
