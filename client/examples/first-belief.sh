#!/usr/bin/env bash
# From a first belief to a handoff with nothing but curl. Needs SELFSAME_URL, and tokens in TRIAGE and BILLING.
set -euo pipefail
user=${1:-u_curl}

call() { # TOKEN METHOD PATH [BODY]
  curl --silent --show-error --fail-with-body --request "$2" "$SELFSAME_URL$3" \
    --header "Authorization: Bearer $1" --header 'Content-Type: application/json' ${4:+--data "$4"}
}
# The first value of a key: enough for the ids that are used here.
value() { sed -n "s/.*\"$1\":\"\(\([^\"\\\\]\|\\\\.\)*\)\".*/\1/p" <<<"$2" | head -n 1; }

call "$TRIAGE" POST "/v1/users/$user/observations" \
  '{"observations":[{"field":"need.issue","value":"duplicate_charge","basis":"heard"}]}' >/dev/null
work=$(call "$TRIAGE" POST "/v1/users/$user/work" '{"intent":"I was charged twice."}')
held=$(sed -n 's/.*"handoff":{"id":"\([^"]*\)".*/\1/p' <<<"$work" | head -n 1)
offered=$(call "$TRIAGE" POST /v1/handoffs \
  "{\"handoff\":\"$held\",\"epoch\":1,\"to\":\"billing\",\"reason\":\"A refund is needed.\",\"tokens\":2000}")
id=$(sed -n 's/^{"id":"\([^"]*\)".*/\1/p' <<<"$offered")
taken=$(call "$BILLING" POST "/v1/handoffs/$id/accept" '{}')
printf 'what billing reads:\n%b\n' "$(value narrative "$taken")"
call "$BILLING" POST "/v1/handoffs/$id/complete" '{"epoch":1,"result":{"refunded":true}}' >/dev/null
echo "completed $id"
