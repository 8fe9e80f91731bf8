"""Serves the page's files where the program has no `earshot web` yet, with the policy that it is to have.

It forwards the API to a node's HTTP port. What guards the page is the node's own, and is not tried with it.
"""
import http.client
import http.server
import json
import mimetypes
import pathlib
import secrets
import threading

FILES = pathlib.Path(__file__).resolve().parents[2] / "Sources" / "EarshotGateway" / "Page" / "Files"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
FORWARDED = ("authorization", "content-type", "idempotency-key", "last-event-id", "accept")


class Standin:
    def __init__(self, node_port, token):
        self.node_port, self.token, self.logins = node_port, token, set()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (Handler,), {"standin": self}))
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self):
        login = secrets.token_urlsafe(24)
        self.logins.add(login)
        return f"http://127.0.0.1:{self.server.server_port}/#login={login}"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    standin = None

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        # A browser leaves, and a node is killed, whenever they want.
        try:
            super().handle_one_request()
        except (OSError, http.client.HTTPException):
            self.close_connection = True

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == "/v1/login":
            self.log_in(json.loads(body).get("login"))
        elif self.path.startswith("/v1/"):
            self.forward(body)
        else:
            self.file(self.path.split("?")[0].lstrip("/") or "index.html")

    do_POST = do_DELETE = do_GET

    def log_in(self, login):
        if login in self.standin.logins:
            self.standin.logins.discard(login)
            self.answer(200, "application/json", json.dumps({"token": self.standin.token}).encode())
        else:
            self.answer(401, "application/json", b'{"error":{"code":"staleLogin","message":"this login is not good"}}')

    def forward(self, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.standin.node_port)
        headers = {name: value for name, value in self.headers.items() if name.lower() in FORWARDED}
        connection.request(self.command, self.path, body or None, headers)
        response = connection.getresponse()
        kind = response.getheader("content-type") or "text/plain"
        if "event-stream" not in kind:
            return self.answer(response.status, kind, response.read())
        self.send_response(200)
        self.send_header("content-type", kind)
        self.send_header("connection", "close")
        self.end_headers()
        self.close_connection = True
        while chunk := response.read1(65536):
            self.wfile.write(chunk)
            self.wfile.flush()

    def file(self, name):
        path = (FILES / name).resolve()
        if FILES in path.parents and path.is_file():
            self.answer(200, f"{mimetypes.guess_type(path.name)[0]}; charset=utf-8", path.read_bytes())
        else:
            self.answer(404, "text/plain", b"there is no such file")

    def answer(self, status, kind, data):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-security-policy", POLICY)
        self.send_header("x-content-type-options", "nosniff")
        self.send_header("cache-control", "no-cache")
        if status != 204:
            self.send_header("content-length", str(len(data)))
        self.end_headers()
        if status != 204:
            self.wfile.write(data)
