# turn, class -> what comes of it; fails where that is not what should come of it
open=$(open_tasks)
if ((open > 0)); then
    echo "$open of 5 tasks never done"
    exit 1
fi
echo "all 5 tasks done"
