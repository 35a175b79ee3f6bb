# A loop as they are written in an afternoon: run the agent, look for words, stop. Written for these examples.
#
#     grep_loop.sh AGENT MOST: starts AGENT at most MOST times; prints the class of the end and the turns it took
for ((EXITGATE_ITERATION = 1; EXITGATE_ITERATION <= $2; EXITGATE_ITERATION++)); do
    export EXITGATE_ITERATION
    said=$(bash "$1")
    if grep -qiE 'all (tasks|stories) (are )?(done|complete)|EXIT_SIGNAL: true' <<<"$said"; then
        echo "complete $EXITGATE_ITERATION"
        exit
    fi
done
echo "goes-on $2"
