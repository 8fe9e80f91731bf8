"""A session of the page, as a browser has it: proves itself in each request, and looks whether the node has (SessionProof.swift)."""
import hashlib
import hmac
import http.client
import json
import secrets
import urllib.parse

SCHEME = "Earshot-Session"


def proof(key, role, port, nonce, cnonce, method="", target=""):
    text = "\n".join(["earshot page 1", role, str(port), nonce, cnonce, method, target])
    return hmac.new(key, text.encode(), hashlib.sha256)


def login_of(address):
    """The port and the login of an address that `earshot web` has printed."""
    parts = urllib.parse.urlsplit(address)
    return parts.port, parts.fragment.removeprefix("login=")


def login_body(address):
    """What a browser sends to log in."""
    port, login = login_of(address)
    name, _, secret = login.partition(".")
    cnonce = secrets.token_hex(16)
    return {"login": name, "cnonce": cnonce, "proof": proof(secret.encode(), "login", port, "", cnonce).hexdigest()}


class PageSession:
    """Who has used a login, of an address with one."""

    def __init__(self, address):
        self.port, login = login_of(address)
        key, body = login.partition(".")[2].encode(), login_body(address)
        status, text, _ = self.send("POST", "/v1/login", {"content-type": "application/json"}, json.dumps(body).encode())
        if status != 201:
            raise RuntimeError(f"the login was refused: {status} {text}")
        made = json.loads(text)
        self.id = made["session"]
        assert made["proof"] == proof(key, "session", self.port, self.id, body["cnonce"]).hexdigest(), "the node has not proved itself"
        self.key = proof(key, "key", self.port, self.id, body["cnonce"]).digest()
        self.nonce = self.greeting()

    def greeting(self):
        """The nonce of the node that answers, once it has proved that it knows the session."""
        cnonce = secrets.token_hex(16)
        status, text, _ = self.send("GET", f"/v1/session?session={self.id}&cnonce={cnonce}")
        if status != 200:
            raise RuntimeError(f"nobody has proved to be the node: {status} {text}")
        found = json.loads(text)
        assert found["proof"] == proof(self.key, "greeting", self.port, found["nonce"], cnonce).hexdigest(), "a wrong proof"
        return found["nonce"]

    def headers(self, method, target, cnonce=None):
        cnonce = cnonce or secrets.token_hex(16)
        shown = proof(self.key, "request", self.port, self.nonce, cnonce, method, target).hexdigest()
        return {"authorization": f'{SCHEME} session="{self.id}", nonce="{self.nonce}", cnonce="{cnonce}", proof="{shown}"'}

    def is_proved(self, response, cnonce, method, target):
        """Whether an answer is the node's."""
        expected = proof(self.key, "answer", self.port, self.nonce, cnonce, method, target).hexdigest()
        return response.getheader("authentication-info") == f'proof="{expected}"'

    def ask(self, method, target, body=None):
        """The status and the text of a proved answer."""
        cnonce = secrets.token_hex(16)
        headers = {**self.headers(method, target, cnonce), **({} if body is None else {"content-type": "application/json"})}
        status, text, response = self.send(method, target, headers, None if body is None else json.dumps(body).encode())
        assert self.is_proved(response, cnonce, method, target), f"{method} {target}: {status} without proof"
        return status, text

    def send(self, method, target, headers={}, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            return response.status, response.read().decode(), response
        finally:
            connection.close()
