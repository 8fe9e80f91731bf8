"""The people of the checks: real nodes on loopback, and what they say to each other."""
import contextlib
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "script"), str(ROOT / "examples" / "bots")]
import earshot_node  # noqa: E402
from nodes import program  # noqa: E402

PATIENCE = 20
# Enough for the long history.
DISK = "256m"
# Messages in one request, whose body has a limit.
BATCH = 1500


def until(what, is_so, seconds=PATIENCE):
    """What a condition answers as soon as it is more than nothing."""
    deadline = time.monotonic() + seconds
    while True:
        answer = is_so()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise RuntimeError(f"not within {seconds} s: {what}")
        time.sleep(0.05)


class Person:
    """A user on a home of their own, whose node comes and goes."""

    def __init__(self, folder, name, peers=(), home=None, options=()):
        self.name, self.folder = name, pathlib.Path(folder)
        self.home = self.folder / (home or name)
        self.options = [*options] + [word for peer in peers for word in ("--peer", f"127.0.0.1:{peer.port}")]
        self.socket = earshot_node.Node(str(self.home / "node.sock"))
        self.process, self.port, self.errors = None, None, self.folder / f"{self.home.name}.errors"
        subprocess.run([program(), "init", "--name", name, "--home", self.home], check=True, stdout=subprocess.DEVNULL)
        self.start()

    def start(self, *before):
        """Starts the node, perhaps with words before its command."""
        port = ["--port", str(self.port)] if self.port else []
        with open(self.errors, "w") as errors:
            self.process = subprocess.Popen(
                [*before, program(), "up", "--home", self.home, "--json", "--no-discovery", *port, *self.options],
                stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True)
        line = self.process.stdout.readline()
        if not line:
            status = self.process.wait(30)
            raise RuntimeError(f"{self.name}'s node did not start: {self.errors.read_text().strip()} (status {status})")
        self.port = json.loads(line)["status"]["port"]

    def stop(self):
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGTERM)

    def signal(self, number):
        # The node, and not the words before its command: they end with it, and put away what they have made. What
        # faketime leaves in /dev/shm fails the next one that gets the same pid.
        os.kill(int((self.home / "node.lock").read_text().split()[0]), number)
        self.process.wait(30)

    def call(self, method, path, body=None, headers={}):
        return self.socket.call(method, path, body, headers)

    def run(self, *command):
        return subprocess.run([program(), *command, "--home", self.home], check=True, stdout=subprocess.PIPE, text=True).stdout

    def page_address(self):
        """Where the page is, with a login that is good once."""
        return json.loads(self.run("web", "--json", "--no-open").splitlines()[-1])["address"]

    def send(self, to, text, **more):
        return self.call("POST", "messages", {"to": to, "text": text, **more})

    def knows(self, name):
        return next((user for user in self.call("GET", "users") if user["name"] == name and user["isOnline"]), None)

    def history(self, conversation, limit=50):
        return self.call("GET", f"conversations/{conversation}/messages?limit={limit}")

    @contextlib.contextmanager
    def hears(self, name):
        """Listens to the node's events of a name, and gives what says whether one has come since."""
        connection, has_come = http.client.HTTPConnection("node"), threading.Event()
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.socket.path)
        connection.request("GET", f"/v1/events?names={name}&count=1")
        response = connection.getresponse()

        def listen():
            if name.encode() in response.read():
                has_come.set()
        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        try:
            yield has_come.is_set
        finally:
            # Ends the stream, and with it whoever still listens.
            connection.sock.shutdown(socket.SHUT_RDWR)
            listener.join(5)
            connection.close()

    def events_from_beginning(self, headers, count):
        """So many events of the journal from its beginning on, or those that there are within a second."""
        place = self.place()
        connection = http.client.HTTPConnection("node")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.settimeout(1)
        connection.sock.connect(self.socket.path)
        events = []
        try:
            connection.request("GET", f"/v1/events?after={place}&count={count}", headers=headers)
            for line in connection.getresponse():
                if line.startswith(b"data: "):
                    events.append(json.loads(line.removeprefix(b"data: ")))
        except TimeoutError:
            pass  # There are no more.
        finally:
            connection.close()
        return events

    def place(self):
        """The id of an event after which all others come."""
        connection = http.client.HTTPConnection("node")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.socket.path)
        try:
            connection.request("GET", "/v1/events")
            last = next(line for line in connection.getresponse() if line.startswith(b"id: "))
        finally:
            connection.close()
        return last.removeprefix(b"id: ").decode().split(".")[0] + ".0.0"

    def last(self, conversation):
        return self.history(conversation, 1)[-1]


class Town:
    """Alice, who looks; bob and carol, who write to her."""

    def __init__(self, folder, disk=DISK):
        self.folder, self.people = pathlib.Path(folder), []
        # A disk of its own, which can be filled.
        self.disk = self.folder / "alice"
        self.disk.mkdir(mode=0o700)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={disk},mode=0700", "tmpfs", self.disk], check=True)
        try:
            self.alice = self.add("alice")
            self.bob = self.add("bob", [self.alice])
            self.carol = self.add("carol", [self.alice, self.bob])
            self.meet(self.alice, self.bob, self.carol)
        except BaseException:
            self.end()
            raise

    def add(self, name, peers=(), home=None, options=()):
        person = Person(self.folder, name, peers, home, options)
        self.people.append(person)
        return person

    def meet(self, *people):
        for person in people:
            for other in people:
                if other is not person:
                    until(f"{person.name} has met {other.name}", lambda: person.knows(other.name))

    def back(self):
        """Alice's node comes back, and her page where it was: the address of a new login."""
        self.alice.start()
        return self.address()

    def address(self):
        """Where the page is, with a login that is good once."""
        return self.alice.page_address()

    def fill(self, sender, recipient, texts):
        """Many messages at once: answers to an inbox go in one commit."""
        sender.call("POST", "consumers", {"name": "filler"})
        recipient.send(sender.name, "Begin.")
        batch = until("the first message", lambda: (
            lambda answer: answer if answer["messages"] else None)(sender.call("GET", "inbox?consumer=filler&wait=5")))
        for begin in range(0, len(texts), BATCH):
            sender.call("POST", "inbox/filler", {"ack": batch["cursor"], "send": [
                {"to": recipient.name, "text": text, "headers": {}} for text in texts[begin:begin + BATCH]]})
            if begin + BATCH < len(texts):
                recipient.send(sender.name, "Go on.")
                batch = until("the next message", lambda: (
                    lambda answer: answer if answer["messages"] else None)(sender.call("GET", "inbox?consumer=filler&wait=5")))

    def end(self):
        for person in reversed(self.people):
            person.stop()
        subprocess.run(["umount", "--lazy", self.disk], check=False)


def ask(port, method, path, headers=None, body=None, host=None):
    """A request as a browser or a program would send it, and the status and text of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    connection.putheader("host", host or f"127.0.0.1:{port}")
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        connection.putheader("content-type", "application/json")
        connection.putheader("content-length", str(len(data)))
    connection.endheaders(data)
    response = connection.getresponse()
    return response.status, response.read().decode(), response
