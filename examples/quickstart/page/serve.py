#!/usr/bin/env python3
"""Serves the page of this folder, and beside it the local API of your node.

  earshot token create quickstart --scope read --scope send
  serve.py [--port 8000] [--socket SOCKET]

and then open http://127.0.0.1:8000/#token=TOKEN

A browser lets a page talk only to where it comes from, and the node answers no page but its own. So this program serves
the page, and passes on what the page asks under /v1 to the node's Unix socket. It passes on nothing without a token:
without one the node takes whoever asks there for its owner, and anybody on this machine can ask here.
"""
import argparse
import http.client
import http.server
import json
import os
import pathlib
import socket

FOLDER = pathlib.Path(__file__).resolve().parent
FILES = {"/": ("index.html", "text/html"), "/quickstart.js": ("quickstart.js", "text/javascript")}
LONGEST = 1024 * 1024  # bytes of a request


def standard_socket():
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(os.environ.get("EARSHOT_HOME") or os.path.join(data, "earshot"), "node.sock")


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path in FILES:
            name, kind = FILES[self.path]
            self.answer(200, (FOLDER / name).read_bytes(), f"{kind}; charset=utf-8")
        elif self.path.startswith("/v1/"):
            self.pass_on()
        else:
            self.refuse(404, "there is nothing here")

    do_POST = do_GET

    def pass_on(self):
        token = self.headers["authorization"]
        length = self.headers["content-length"] or "0"
        if not token:
            return self.refuse(401, "this needs a token: earshot token create quickstart --scope read --scope send")
        if not length.isdecimal() or int(length) > LONGEST:
            return self.refuse(413, f"a request has at most {LONGEST} bytes")
        node = http.client.HTTPConnection("node")
        node.sock = socket.socket(socket.AF_UNIX)
        try:
            node.sock.connect(self.server.node)
            body = self.rfile.read(int(length)) or None
            node.request(self.command, self.path, body, {"authorization": token, "content-type": "application/json"})
            response = node.getresponse()
        except (OSError, http.client.HTTPException) as error:
            node.close()
            return self.refuse(503, f"the node does not answer: {error}")
        self.send_response(response.status)
        self.send_header("content-type", response.headers["content-type"])
        self.end_headers()
        try:
            # Piece by piece, as it comes: events go on for ever.
            while piece := response.read1(65536):
                self.wfile.write(piece)
        except (OSError, http.client.HTTPException):
            pass  # The browser has left, or the node has ended.
        finally:
            node.close()

    def refuse(self, status, message):
        """As the node refuses something."""
        self.answer(status, json.dumps({"error": {"code": "refused", "message": message}}).encode(), "application/json")

    def answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *arguments):
        pass


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.RawDescriptionHelpFormatter, description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="where to serve, on this machine alone; 0 for any free one")
    parser.add_argument("--socket", default=standard_socket(), help="the socket of your node")
    options = parser.parse_args()
    # A thread for each request: that of the events stays open.
    server = http.server.ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.node = options.socket
    print(f"open http://127.0.0.1:{server.server_port}/#token=TOKEN", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


main()
