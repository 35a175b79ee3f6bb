# Two tests of `leap.sh`, with a report as JUnit has it.
echo run >> ../runs.txt
mkdir -p build
failed=0 cases=''
expect() {
    said=$(sh leap.sh "$2" 2>&1)
    if [ "$said" = "$3" ]; then
        cases="$cases<testcase classname=\"leap\" name=\"$1\"/>"
    else
        failed=$((failed + 1))
        cases="$cases<testcase classname=\"leap\" name=\"$1\"><failure>$2: $said, not $3</failure></testcase>"
    fi
}
expect divisible_by_4 2024 yes
expect divisible_by_100 1900 no
echo "<testsuite name=\"leap\" tests=\"2\" failures=\"$failed\">$cases</testsuite>" > build/junit.xml
[ "$failed" -eq 0 ]
