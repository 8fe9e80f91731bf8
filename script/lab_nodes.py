"""Hosts of a lab (script/lab-hosts) with a node on each, for scripts in Python."""
import http.client
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from nodes import ROOT, program

NAMES = {1: "alice", 2: "bob", 3: "carol"}
LAB_HOSTS = ROOT / "script" / "lab-hosts"
# Seconds until hosts have found each other, or until something is there that is waited for.
DISCOVERY = 30
PATIENCE = 120


def wait_for(condition, patience=PATIENCE, pause=0.02):
    """What the condition gives as soon as it is true; or what is false, after so many seconds."""
    end = time.monotonic() + patience
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(pause)


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path, timeout):
        super().__init__("node", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class ApiError(Exception):
    """The node refuses: its code, and what it says."""

    def __init__(self, status, error):
        super().__init__(f"{status} {error.get('code')}: {error.get('message')}")
        self.code = error.get("code")


class Api:
    """A node's local API, over a connection that stays open while it is used."""

    # A connection that was quiet for so many seconds is not used again: the node may have closed it.
    QUIET = 5

    def __init__(self, home):
        self.path = pathlib.Path(home) / "node.sock"
        self.connection, self.used = None, 0.0

    def call(self, method, path, body=None):
        if self.connection is None or time.monotonic() - self.used > self.QUIET:
            self.connection = UnixConnection(self.path, 600)
        self.used = time.monotonic()
        try:
            self.connection.request(method, "/v1/" + path, body and json.dumps(body))
            answer = self.connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException):
            self.connection = None
            raise
        value = json.loads(text) if text else None
        if answer.status >= 400:
            raise ApiError(answer.status, value["error"])
        return value

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body=None):
        return self.call("POST", path, body)


class Events(threading.Thread):
    """Gives each event of a node, and the moment when it came, to a function, until the node ends or `stop`."""

    def __init__(self, home, names, take):
        super().__init__(daemon=True)
        self.take = take
        self.connection = UnixConnection(pathlib.Path(home) / "node.sock", None)
        self.connection.request("GET", "/v1/events?names=" + ",".join(names))
        self.answer = self.connection.getresponse()
        self.start()

    def run(self):
        try:
            while line := self.answer.readline():
                if line.startswith(b"data:"):
                    self.take(json.loads(line[5:]), time.monotonic())
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            return  # It was stopped.

    def stop(self):
        try:
            self.connection.sock.shutdown(socket.SHUT_RDWR)
        except (OSError, AttributeError):
            pass
        self.join(10)


class Host:
    """A host of a lab, and the node of its user."""

    def __init__(self, lab, number):
        self.lab, self.number, self.name = lab, number, NAMES[number]
        self.home = lab.folder / f"home{number}"
        self.log = lab.folder / f"node{number}.log"
        self.process = None
        self.api = Api(self.home)
        lab.hosts("bare", str(number))
        self.command("init", "--name", self.name)

    # --- The host

    def on(self, *command):
        return [str(LAB_HOSTS), "in", str(self.number), *map(str, command)]

    def run(self, *command, **options):
        """What a command on the host prints. A command that fails is an error."""
        return subprocess.run(
            self.on(*command), env=self.lab.environment, check=True, stdout=subprocess.PIPE, text=True,
            **options).stdout

    def cable(self, what):
        self.lab.hosts("cable", str(self.number), what)

    def received_bytes(self):
        """What has come from the network, as the host's interface counts it."""
        links = json.loads(self.run("ip", "-json", "-statistics", "link", "show", "eth0"))
        return links[0]["stats64"]["rx"]["bytes"]

    @property
    def address(self):
        return f"10.77.0.{self.number}"

    # --- Its node

    def attempt(self, *command):
        """How a command of earshot ends."""
        return subprocess.run(
            self.on(program(), *command, "--home", self.home), env=self.lab.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def command(self, *command):
        """What a command of earshot prints. One that fails is an error."""
        ended = self.attempt(*command)
        if ended.returncode != 0:
            raise RuntimeError(f"{self.name}: earshot {' '.join(map(str, command))}: {ended.stderr.strip()}")
        return ended.stdout

    def start(self):
        # What a killed node leaves behind must not be taken for the next one's.
        (self.home / "node.sock").unlink(missing_ok=True)
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                self.on(program(), "up", "--home", self.home, "--log-level", "warning"), env=self.lab.environment, stdin=subprocess.DEVNULL,
                stdout=log, stderr=log)
        if not wait_for((self.home / "node.sock").exists, 30):
            raise RuntimeError(f"{self.name}'s node does not start: {self.log.read_text()[-2000:]}")
        self.api = Api(self.home)

    def end(self, number=signal.SIGTERM):
        if self.process is not None:
            self.process.send_signal(number)
            self.process.wait(60)
            self.process = None

    @property
    def is_running(self):
        return self.process is not None

    def sees(self, other):
        return any(user["name"] == other.name and user["isOnline"] for user in self.api.get("users"))

    # --- Messages and files

    def messages(self, conversation):
        return self.api.get(f"conversations/{conversation}/messages?limit=1000")

    def message_with(self, conversation, file_name):
        """The last message that brings along a file of that name; None until it is there."""
        try:
            messages = self.messages(conversation)
        except ApiError:
            return None
        return next((message for message in reversed(messages)
                     if any(file["name"] == file_name for file in message.get("attachments") or [])), None)

    def file(self, file_id):
        try:
            return self.api.get(f"files/{file_id}")
        except ApiError:
            return {"state": "unknown"}

    def holds(self, file_id):
        return self.file(file_id)["state"] == "held"

    def content(self, file_id):
        """Where the content of a file that is held lies."""
        return self.home / "files" / "held" / file_id / "data"


class Lab:
    """Hosts on one switch, until `close`."""

    def __init__(self, count):
        program()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="earshot-files.")).resolve()
        self.environment = {**os.environ, "LAB_DIR": str(self.folder)}
        self.members = []
        try:
            self.members = [Host(self, number) for number in range(1, count + 1)]
        except BaseException:
            self.close()
            raise

    def hosts(self, *arguments):
        # What runs on from here has the output of nobody.
        subprocess.run(
            [LAB_HOSTS, *arguments], env=self.environment, check=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL)

    def linked(self, *hosts, patience=DISCOVERY):
        """Waits until each host sees each other one."""
        return wait_for(lambda: all(a.sees(b) for a in hosts for b in hosts if a is not b), patience)

    def start(self, *hosts):
        for host in hosts or self.members:
            host.start()
        running = [host for host in self.members if host.is_running]
        if not self.linked(*running):
            raise RuntimeError("the nodes do not find each other")

    def acquaint(self):
        """All write to all, so that nobody is a stranger."""
        for host in self.members:
            for other in self.members:
                if host is not other:
                    host.command("send", other.name, "hello", "--wait", "delivered")

    def show_logs(self):
        for host in self.members:
            lines = host.log.read_text().splitlines() if host.log.exists() else []
            print(f"--- {host.name}'s node", *lines[-20:], sep="\n", file=sys.stderr)

    def close(self):
        for host in self.members:
            host.end(signal.SIGKILL)
        subprocess.run([LAB_HOSTS, "down"], env=self.environment, check=False)


class Checks:
    """What was checked, and the table of it."""

    def __init__(self):
        self.passed = self.failed = 0
        self.rows = []

    def note(self, what, holds, detail=""):
        if holds:
            self.passed += 1
        else:
            self.failed += 1
        self.rows.append(f"{what:<74} {'ok' if holds else 'FAILED':<7} {detail}")
        print("  " + self.rows[-1], file=sys.stderr, flush=True)
        return holds

    def head(self, text):
        self.rows += ["", text]
        print(text, file=sys.stderr, flush=True)
