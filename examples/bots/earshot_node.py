"""The local API of a node, for programs in Python: only the standard library is needed."""
import http.client
import json
import os
import socket


def standard_socket():
    """Where the node of $EARSHOT_HOME, or of the user's own home directory, listens."""
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    return os.path.join(os.environ.get("EARSHOT_HOME") or os.path.join(data, "earshot"), "node.sock")


class Refused(Exception):
    """The node did not do what it was asked. The code is stable; the message is for people."""

    def __init__(self, error, status):
        super().__init__(error["message"])
        self.code = error["code"]
        self.status = status


class Node:
    def __init__(self, path=None):
        self.path = path or standard_socket()

    def call(self, method, path, body=None, headers={}):
        """Sends a request, and returns the answer. Raises `Refused`, and `OSError` where no node answers."""
        connection = http.client.HTTPConnection("node")
        connection.sock = socket.socket(socket.AF_UNIX)
        try:
            connection.sock.connect(self.path)
            if body is not None:
                body, headers = json.dumps(body), {"content-type": "application/json", **headers}
            connection.request(method, "/v1/" + path, body, headers)
            response = connection.getresponse()
            answer = json.loads(response.read() or "null")
        except http.client.HTTPException as error:
            raise ConnectionError(f"the node has ended: {error}") from error
        finally:
            connection.close()
        if response.status >= 300:
            raise Refused(answer["error"], response.status)
        return answer

    def send(self, to, text, key=None):
        """Sends a message, marked as a program's, so that no bot answers it. Sent again with a key, it is sent once."""
        message = {"to": to, "text": text, "headers": {"auto-submitted": "auto-generated"}}
        return self.call("POST", "messages", message, {"idempotency-key": key} if key else {})
