"""Selfsame from Python, with the standard library alone."""

import json
import urllib.error
import urllib.parse
import urllib.request


class Refused(Exception):
    """What the server refused: `code` is one of a closed list, the message says what to do."""

    def __init__(self, code, message, details=()):
        super().__init__(f"{code}: {message}")
        self.code = code
        self.details = details


class Desk:
    """One agent at work."""

    def __init__(self, url, token, timeout=10):
        self.url, self.token, self.timeout = url.rstrip("/"), token, timeout

    def call(self, method, path, body=None, **query):
        asked = {key: value for key, value in query.items() if value is not None}
        address = self.url + path + ("?" + urllib.parse.urlencode(asked) if asked else "")
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(address, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=self.timeout) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            if "outcomes" in answer:
                return answer
            refusal = answer["error"]
            raise Refused(refusal["code"], refusal["message"], refusal.get("details", ())) from None

    def observe(self, user, *observations):
        answer = self.call("POST", f"/v1/users/{user}/observations", {"observations": list(observations)})
        for outcome in answer["outcomes"]:
            if outcome["status"] == "refused":
                raise Refused(outcome["error"]["code"], outcome["error"]["message"])
        return answer

    def model(self, user, fields=None):
        return self.call("GET", f"/v1/users/{user}/model", fields=fields)["beliefs"]

    def context(self, user, tokens=1000):
        return self.call("GET", f"/v1/users/{user}/context", tokens=tokens)["text"]

    def start(self, user, intent):
        return self.call("POST", f"/v1/users/{user}/work", {"intent": intent})

    def hand(self, work, to, reason, **more):
        held = {"handoff": work["handoff"]["id"], "epoch": work["handoff"]["epoch"]}
        return self.call("POST", "/v1/handoffs", {**held, "to": to, "reason": reason, **more})

    def accept(self, handoff, request="accept"):
        return self.call("POST", f"/v1/handoffs/{handoff}/accept", {"request": request})

    def complete(self, work, result=None):
        held = work["handoff"]
        return self.call("POST", f"/v1/handoffs/{held['id']}/complete", {"epoch": held["epoch"], "result": result})
