# Mends the same line in the same way each turn; the test fails for another reason.
source "$(dirname "$0")/../agent_parts.sh"

printf 'def open_session(user):\n    return {"user": user, "expires": 3600}\n' >login.py
case $((turn % 3)) in
    1) say "Fixed login.py - a session now expires after an hour. I am confident that this was the cause." ;;
    2) say "The session in login.py had no end. It has one now, and I am confident that the test is content." ;;
    0) say "I looked at open_session once more and set the expiry as it should be. I am confident in this change." ;;
esac
echo
echo "    FAILED test_login.py::test_session - AssertionError: it has no token"
echo "    1 failed, 3 passed in 0.12s"
echo
echo "That was before the change; the next run should pass."
report IN_PROGRESS 0 1 FAILING IMPLEMENTATION false "Run the session test again."
