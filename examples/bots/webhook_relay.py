#!/usr/bin/env python3
"""Passes on what a web service posts: a webhook becomes a message.

  EARSHOT_WEBHOOK_SECRET=... webhook_relay.py --to bob --port 8080
  webhook_relay.py --to bob --port 8080 --secret-file FILE

The service posts JSON with a "text", or plain text, to http://127.0.0.1:8080/SECRET. It is answered 202 once the
message is on the node's disk, and 503 if the node cannot take it now, so that it tries again. If the service numbers
its deliveries (webhook-id, X-GitHub-Delivery, ...), one that is posted again is still one message.
"""
import argparse
import hashlib
import hmac
import http.server
import json
import os
import pathlib

import earshot_node

LONGEST = 64 * 1024  # bytes, as for the text of a message
# Headers in which services name a delivery.
DELIVERIES = ("webhook-id", "x-github-delivery", "x-gitea-delivery", "x-gitlab-event-uuid", "idempotency-key")


def relay(node, to, secret):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            if not hmac.compare_digest(self.path.encode(), f"/{secret}".encode()):
                return self.answer(404, "there is nothing here")
            try:
                length = int(self.headers["content-length"])
            except (TypeError, ValueError):
                return self.answer(411, "say how long the body is")
            if not 0 < length <= LONGEST:
                return self.answer(413, f"a body has 1 to {LONGEST} bytes")
            try:
                text = self.text(self.rfile.read(length).decode())
            except ValueError as error:
                return self.answer(400, str(error))
            try:
                node.send(to, text, self.key())
            except earshot_node.Refused as error:
                return self.answer(self.status(error), str(error))
            except OSError as error:
                return self.answer(503, f"the node does not answer: {error}")
            self.answer(202, "accepted")

        def key(self):
            name = next((name for name in DELIVERIES if self.headers[name]), None)
            return name and "webhook " + hashlib.sha256(f"{name} {self.headers[name]}".encode()).hexdigest()

        def status(self, error):
            if error.status == 429 or error.status >= 500:
                return 503  # A full disk, too much at once, the end of the node: it may pass.
            return 409 if error.code == "keyReused" else 422

        def text(self, body):
            if self.headers.get_content_type() != "application/json":
                return body
            value = json.loads(body)
            if not isinstance(value, dict) or not isinstance(value.get("text"), str):
                raise ValueError('the body has no "text"')
            return value["text"]

        def answer(self, status, text):
            body = (text + "\n").encode()
            self.send_response(status)
            self.send_header("content-type", "text/plain; charset=utf-8")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format, *arguments):
            pass  # The path is the secret.

    return Handler


def main():
    parser = argparse.ArgumentParser(description="Passes on what a web service posts.")
    parser.add_argument("--to", required=True, help="the user")
    parser.add_argument("--secret-file", type=pathlib.Path,
                        help="holds the path that the service posts to; unless given, $EARSHOT_WEBHOOK_SECRET is it")
    parser.add_argument("--port", type=int, default=8080, help="on loopback; 0 takes any")
    parser.add_argument("--socket", help="the node's socket")
    options = parser.parse_args()
    # Not an argument, because other users of the machine see those.
    file, variable = options.secret_file, os.environ.get("EARSHOT_WEBHOOK_SECRET", "")
    secret = file.read_text().strip() if file else variable
    if not secret:
        parser.error("there is no secret: --secret-file, or $EARSHOT_WEBHOOK_SECRET")
    handler = relay(earshot_node.Node(options.socket), options.to, secret)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), handler)
    print(f"listening on port {server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
