# Does one task; the next needs a key that only a person can give it, and it says so.
source "$(dirname "$0")/../agent_parts.sh"

if ((turn == 1)); then
    printf 'def total(cart):\n    return sum(item.price for item in cart)\n' >pay.py
    tick
    say "The total is right now, pay.py adds up the prices. I tried it with three carts and am confident in it."
    report IN_PROGRESS 1 2 PASSING IMPLEMENTATION false "Next: pay with a card."
    exit
fi
say "I cannot go on with the cards: the payment service wants a test key, there is none in .env, and I am" \
    "confident that I must not make one up. Everything else on the list waits for this."
report BLOCKED 0 0 NOT_RUN IMPLEMENTATION false "Put PAYMENT_TEST_KEY into .env; the owner can make one."
