# An agent that believes that it is done, until it reads what the check says. Its turns are counted outside of
# the project.
turn=$(($(cat ../turns.txt 2>/dev/null || echo 0) + 1))
echo "$turn" > ../turns.txt
prompt=$(cat)
tick() { sed "$1s/\[ \]/[x]/" fix_plan.md > ../plan && cat ../plan > fix_plan.md; }
case $turn in
1)
    echo 'if [ $(($1 % 4)) -eq 0 ]; then echo yes; else echo no; fi' > leap.sh
    tick 3
    echo "Years that 4 divides are leap years now."
    ;;
2)
    tick 4
    echo "Looked at years that 100 divides; leap.sh needs nothing for them."
    ;;
3)
    echo 'sh leap.sh YEAR says yes or no.' > README.md
    echo "Began to write down how to use it."
    ;;
4)
    tick 5
    echo "Wrote down how to use it. All tasks are complete."
    ;;
5)
    echo "I looked at the plan again: every task is ticked, so all tasks are complete."
    ;;
*)
    case $prompt in
    *divisible_by_100*)
        echo 'y=$1
if [ $((y % 400)) -eq 0 ] || { [ $((y % 4)) -eq 0 ] && [ $((y % 100)) -ne 0 ]; }; then echo yes; else echo no; fi' > leap.sh
        echo "divisible_by_100 failed: fixed in leap.sh. All tasks are complete."
        ;;
    *) echo "All tasks are complete." ;;
    esac
    ;;
esac
