# One turn of an agent, as the loop that a policy stands for starts it.
#
#     turn.sh AGENT POLICY[:PROFILE]
case $2 in doyaken*) export BLOCK=doyaken ;; esac
# Loops of today tell the agent nothing of the turn before.
case $2 in *-faithful | *:as_it_is) unset EXITGATE_ADVICE ;; esac
if [[ $2 != ralph-claude-code* ]]; then
    exec bash "$1"
fi
# ralph-claude-code asks its agent for JSON, unless it is set to ask for text.
if ! said=$(bash "$1"); then
    printf '%s\n' "$said"
    exit 1
fi
said=${said//\\/\\\\}
said=${said//\"/\\\"}
said=${said//$'\n'/\\n}
printf '{"type": "result", "subtype": "success", "is_error": false, "result": "%s", "session_id": "demo"}\n' "$said"
