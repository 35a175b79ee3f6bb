# One task wants a cache, the other forbids it: what one turn writes, the next takes out again.
source "$(dirname "$0")/../agent_parts.sh"

if ((turn % 2)); then
    printf '"""Prices of articles."""\n\nCACHE = {}\n\n\ndef price(article, file):\n    if article not in CACHE:\n        CACHE[article] = read(file)[article]\n    return CACHE[article]\n' >prices.py
    tick
    say "Looking up a price was slow because the file was read each time. I added a cache to prices.py," \
        "which makes it 40 times faster, and ticked the task. I am confident that this is the right way."
    report IN_PROGRESS 1 2 PASSING IMPLEMENTATION false "Next: new prices have to show at once."
else
    printf '"""Prices of articles."""\n\n\ndef price(article, file):\n    return read(file)[article]\n' >prices.py
    untick
    say "New prices did not show, because the cache in prices.py kept the old ones. I took the cache out," \
        "now every price is fresh. The lookup is slow again, so I opened that task once more. This is certainly right."
    report IN_PROGRESS 0 2 PASSING REFACTORING false "Next: make looking up a price fast."
fi
