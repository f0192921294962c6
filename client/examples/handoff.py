"""Triage hands a user to billing, and nothing is asked twice. Needs SELFSAME_URL, and tokens in TRIAGE and BILLING."""

import os
import sys

from selfsame import Desk, Refused

user = sys.argv[1] if len(sys.argv) > 1 else "u_python"
triage = Desk(os.environ["SELFSAME_URL"], os.environ["TRIAGE"])
billing = Desk(os.environ["SELFSAME_URL"], os.environ["BILLING"])

triage.observe(
    user,
    {"field": "need.issue", "value": "duplicate_charge", "basis": "heard", "confidence": 0.95},
    {"field": "emotion.state", "value": "frustrated", "why": "Writes in capitals."},
)
work = triage.start(user, "I was charged twice.")
offered = triage.hand(work, "billing", "A refund is needed.", tokens=2000)

taken = billing.accept(offered["id"])
print(taken["narrative"])
print("to ask:", ", ".join(gap["field"] for gap in taken["gaps"]))
print("hidden from billing:", "emotion.state" not in billing.model(user))
try:
    billing.observe(user, {"field": "emotion.state", "value": "calm"})
except Refused as refused:
    print("refused:", refused.code)
billing.complete(taken, {"refunded": True})
print("completed", offered["id"])
