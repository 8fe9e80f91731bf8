"""What another user of the machine gets from a node: a real second uid, for script/hostile-http."""
import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

from nodes import Node, program
from page_session import PageSession, login_body, login_of

STRANGER = 65534  # nobody
PYTHON = "/usr/bin/python3"  # Debian's. That of this process may lie where only root can go.
FLOOD = 2000  # requests of each kind
LOOKED = 10  # seconds within which a look at all processes is over
USUAL = 7118  # PageDoor.usualPort

# Run by the other user, with what is asked of it on standard input; each prints JSON.
LOOKING = """
import json, os, sys
# Until told to end: what can be read of every process, again and again.
found = set()
print("ready", flush=True)
os.set_blocking(0, False)
while not sys.stdin.readline():
    for pid in filter(str.isdigit, os.listdir("/proc")):
        for name in ("cmdline", "environ"):
            try:
                found.add(open(f"/proc/{pid}/{name}", "rb").read().decode(errors="replace"))
            except OSError:
                pass
print(json.dumps(sorted(found)))
"""
ASKING = """
import json, socket, sys
answers = []
for port, request in json.load(sys.stdin):
    received = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(request.encode())
            while piece := connection.recv(65536):
                received += piece
    except OSError as error:
        received = received or repr(error).encode()
    answers.append(received.decode(errors="replace"))
print(json.dumps(answers))
"""
HOLDING = """
import json, os, socket, sys
# Takes a port, refuses all that is asked there, and keeps what came until told to end.
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(sys.argv[1])))
server.listen(64)
server.settimeout(0.1)
os.set_blocking(0, False)
print("ready", flush=True)
came = []
while not sys.stdin.readline():
    try:
        connection, _ = server.accept()
    except TimeoutError:
        continue
    with connection:
        connection.settimeout(2)
        came.append(connection.recv(65536).decode(errors="replace"))
        body = sys.argv[2]
        connection.sendall(f"HTTP/1.1 200 OK\\r\\ncontent-type: application/json\\r\\ncontent-length: {len(body)}\\r\\n\\r\\n{body}".encode())
print(json.dumps(came))
"""
READING = """
import json, sys
found = []
for path in json.load(sys.stdin):
    try:
        found.append(open(path).read())
    except OSError:
        pass
print(json.dumps(found))
"""


class Stranger:
    """A process of the other user, which answers when it is told to end."""

    def __init__(self, code, *arguments):
        self.process = subprocess.Popen(
            [PYTHON, "-c", code, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
            user=STRANGER, group=STRANGER, extra_groups=[])
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the other user's process did not start")

    def end(self):
        self.process.stdin.write("end\n")
        self.process.stdin.close()
        answer = json.loads(self.process.stdout.read())
        self.process.wait(30)
        return answer


def as_stranger(code, question):
    """What the other user gets."""
    answer = subprocess.run(
        [PYTHON, "-c", code], input=json.dumps(question), stdout=subprocess.PIPE, text=True, check=True, cwd="/",
        user=STRANGER, group=STRANGER, extra_groups=[])
    return json.loads(answer.stdout)


def request(port, method, target, headers={}, body=None):
    data = "" if body is None else json.dumps(body)
    lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Connection: close", f"Content-Length: {len(data)}"]
    return port, "\r\n".join([*lines, *(f"{name}: {value}" for name, value in headers.items())]) + "\r\n\r\n" + data


def address(node):
    """A login of the page."""
    return json.loads(node.run("web", "--json", "--no-open").splitlines()[-1])["address"]


def run(results, folder):
    with contextlib.ExitStack() as ending:
        folder = pathlib.Path(folder)
        # So that nothing but modes keeps the other user out.
        folder.chmod(0o755)

        def start():
            node = Node(folder, "dora", "--http", "0", "--http-rate", "200")
            ending.callback(node.stop)
            return node

        node = start()
        looks(results, folder, node)
        connects(results, node)
        floods(results, node)
        holds(results, start, node)


def looks(results, folder, node):
    """At everything that the processes of the machine show, while secrets are made."""
    tools = folder / "tools"
    tools.mkdir()
    opener = tools / "xdg-open"
    opener.write_text(f'#!/bin/sh\necho "$1" > {folder}/opened\nsleep 2\n')
    opener.chmod(0o755)
    environment = {**os.environ, "DISPLAY": ":9", "PATH": f"{tools}:{os.environ['PATH']}"}
    looking = Stranger(LOOKING)
    run = subprocess.run(
        [program(), "web", "--json", "--home", node.home], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    page = json.loads(run.stdout.splitlines()[-1])
    token = node.run("token", "create", "looked-for", "--scope", "read").strip()
    deadline = time.monotonic() + LOOKED
    while not (folder / "opened").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    # Another second, in which the opener can be seen.
    time.sleep(1)
    seen = looking.end()
    _, login = login_of(page["address"])
    found = [secret for secret in (login, login.partition(".")[2], token, token.rpartition("_")[2]) if any(secret in text for text in seen)]
    opened = page["file"]
    results.row("another user who reads what all processes show, while the page is opened and a token is made",
                "sees which file the browser was given, and no secret",
                f"{len(seen)} texts, {'with' if any(opened in text for text in seen) else 'without'} the file, {len(found)} secrets",
                not found and any(opened in text for text in seen))
    files = [opened, *(node.home / name for name in ("history.db", "device.key", "identity.key", "node.sock"))]
    read = as_stranger(READING, [str(path) for path in files])
    results.row("another user who opens the home's files", "nothing", f"{len(read)} of {len(files)} were read", read == [])


def connects(results, node):
    """To each of the node's ports, with all that another user could have got hold of."""
    login = address(node)
    port, _ = login_of(login)
    session = PageSession(address(node))
    asked = [
        request(port, "GET", "/"), request(port, "GET", "/main.js"), request(port, "GET", "/v1/node"),
        request(port, "GET", "/", {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}),
        request(port, "GET", f"/v1/session?session={session.id}&cnonce={'0' * 32}"),
        request(port, "GET", "/v1/node", session.headers("GET", "/v1/node")),
        request(port, "POST", "/v1/login", body=login_body(login)),
    ]
    answers = as_stranger(ASKING, asked)
    refused = [answer for answer in answers if answer.startswith("HTTP/1.1 403 ") and '"foreignUser"' in answer]
    results.row("another user at the page's port, also with a good login and a proof of the owner's session",
                f"{len(asked)} times 403 foreignUser", f"{len(refused)} of {len(answers)}", len(refused) == len(asked))
    results.row("the owner, beside that", "served, and the login is good still",
                f"{session.ask('GET', '/v1/node')[0]}, {PageSession(login).ask('GET', '/v1/node')[0]}",
                session.ask("GET", "/v1/node")[0] == 200)
    answers = as_stranger(ASKING, [
        request(node.http_port, "GET", "/v1/node"), request(node.http_port, "GET", "/v1/node", session.headers("GET", "/v1/node")),
        request(node.http_port, "POST", "/v1/login", body=login_body(login)), request(node.port, "GET", "/v1/node")])
    name = json.loads(node.run("status", "--json").splitlines()[0]).get("id", "dora")
    results.row("another user at the node's other ports", "nothing of the node",
                "; ".join(answer[:20].strip() for answer in answers),
                all(not answer.startswith("HTTP/1.1 2") and name not in answer for answer in answers))


def floods(results, node):
    """The login, and the API with wrong tokens: and the owner is served."""
    login = address(node)
    port, _ = login_of(login)
    flood = [request(port, "POST", "/v1/login", body={"login": "x", "cnonce": "0" * 32, "proof": "0" * 64})] * FLOOD
    flood += [request(node.http_port, "GET", "/v1/node", {"Authorization": "Bearer earshot_x_y"})] * FLOOD
    token = node.run("token", "create", "beside", "--scope", "read").strip()
    stranger = subprocess.Popen(
        [PYTHON, "-c", ASKING], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd="/",
        user=STRANGER, group=STRANGER, extra_groups=[])
    stranger.stdin.write(json.dumps(flood))
    stranger.stdin.close()
    served = []
    while stranger.poll() is None and len(served) < 20:
        served.append(PageSession(address(node)).ask("GET", "/v1/node")[0])
        # The owner's own mistakes do not count with those of others.
        status = one(node.http_port, {"Authorization": f"Bearer {token}"})
        served += [status, one(node.http_port, {"Authorization": "Bearer earshot_x_y"})]
        time.sleep(0.05)
    answers = json.loads(stranger.stdout.read())
    stranger.wait(60)
    wanted = [200, 200, 401] * (len(served) // 3)
    results.row("another user who floods the login and the API with wrong ones", "refused, and the owner logs in and is served",
                f"{sum(answer.startswith('HTTP/1.1 4') for answer in answers)} of {len(answers)} refused, "
                f"{sum(map(int.__eq__, served, wanted))} of {len(served)} served as they should be",
                served == wanted and len(served) >= 3 and all(answer.startswith("HTTP/1.1 4") for answer in answers))


def one(port, headers):
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request(port, "GET", "/v1/node", headers)[1].encode())
        return int(connection.recv(65536).split()[1])


def holds(results, start, node):
    """The page's port, while the node is down: before, between and after."""
    session = PageSession(address(node))
    kill(node)
    # Somebody takes the port, sees what a tab sends, and goes before the node comes back.
    holding = Stranger(HOLDING, session.port, json.dumps({"nonce": session.nonce, "proof": "0" * 64}))
    fooled = False
    with contextlib.suppress(RuntimeError, AssertionError):
        session.greeting()
        fooled = True
    # As no tab does: a proof over what the stranger has said is its nonce.
    proved = session.headers("GET", "/v1/node")
    with contextlib.suppress(AssertionError):
        session.ask("GET", "/v1/node")
        fooled = True
    came = holding.end()
    results.row("a tab that another user answers while the node is down", "knows that it is not the node",
                "fooled" if fooled else f"not fooled by {len(came)} answers", not fooled and len(came) >= 2)
    node = start()
    until_open(session)
    old = session.send("GET", "/v1/node", proved)[0]
    results.row("what that user was shown, when the node is back at the port", "403 for them, 401 for whoever shows it",
                f"{as_stranger(ASKING, [request(session.port, 'GET', '/v1/node', proved)])[0][9:12]}, {old}",
                old == 401 and as_stranger(ASKING, [request(session.port, "GET", "/v1/node", proved)])[0].startswith("HTTP/1.1 403"))
    session.nonce = session.greeting()
    results.row("the tab, when the node is back at its port", "goes on without a login", f"{session.ask('GET', '/v1/node')[0]}",
                session.ask("GET", "/v1/node")[0] == 200)

    # Somebody takes it, and stays.
    kill(node)
    holding = Stranger(HOLDING, session.port, "{}")
    node = start()
    page = subprocess.run(
        [program(), "web", "--json", "--no-open", "--home", node.home], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=True)
    opened = json.loads(page.stdout.splitlines()[-1])
    sessions = [token for token in node.run("token", "list", "--json").splitlines() if '"page-' in token]
    results.row("a port that another user has when the node comes back", "said aloud, its sessions end, and the page is elsewhere",
                f"port {opened['port']} and not {opened.get('lostPort')}, {len(sessions)} sessions: {page.stderr.strip()[:80]}",
                opened.get("lostPort") == session.port and opened["port"] != session.port and not sessions
                and str(session.port) in page.stderr)
    results.row("the owner there", "logs in, and is served", f"{PageSession(opened['address']).ask('GET', '/v1/node')[0]}",
                PageSession(address(node)).ask("GET", "/v1/node")[0] == 200)
    holding.end()

    # Somebody has the usual port before there was a session.
    node.run("web", "--stop")
    holding = Stranger(HOLDING, USUAL, "{}") if is_free(USUAL) else None
    opened = PageSession(address(node))
    results.row("the usual port, which another user has before the page is opened", "the page is elsewhere, and served",
                f"port {opened.port}", opened.port != USUAL and opened.ask("GET", "/v1/node")[0] == 200)
    if holding:
        holding.end()


def kill(node):
    node.process.send_signal(signal.SIGKILL)
    node.process.wait(30)


def is_free(port):
    with socket.socket() as trying:
        trying.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trying.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def until_open(session):
    """Any answer of the node at the page's port."""
    deadline = time.monotonic() + 30
    while True:
        try:
            return session.send("GET", "/")
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
