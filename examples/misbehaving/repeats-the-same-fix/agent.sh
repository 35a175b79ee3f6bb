# Mends the same line in the same way each turn; the test fails for another reason.
source "$(dirname "$0")/../agent_parts.sh"

printf 'def open_session(user):\n    return {"user": user, "expires": 3600}\n' >login.py
echo "Fixed login.py - a session now expires after an hour. I am confident that this was the cause."
echo
echo "    FAILED test_login.py::test_session - AssertionError: session has no token"
echo "    1 failed, 3 passed in 0.12s"
echo
echo "The test should pass with the next run."
report IN_PROGRESS 0 1 FAILING IMPLEMENTATION false "Run the session test again."
