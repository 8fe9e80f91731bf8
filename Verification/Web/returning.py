"""Checks: the page is opened again, goes on when its node comes back, and believes nobody else."""
import http.server
import json
import os
import pathlib
import shutil
import signal
import subprocess
import threading
import urllib.parse

from browser import Page
from nodes import program
from town import until

STRANGER = 65534  # nobody
REDIALLED = 60_000  # milliseconds: twice Timing.redialCeiling


class Impostor(http.server.BaseHTTPRequestHandler):
    """Whoever has the port while the node is away: takes everything for good, and notes it."""

    def answer(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.server.came.append(f"{self.requestline}\n{self.headers}\n{body.decode(errors='replace')}")
        data = json.dumps({"nonce": "0" * 32, "proof": "0" * 64, "session": "x"}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("authentication-info", f'proof="{"0" * 64}"')
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_DELETE = answer

    def log_message(self, *_):
        pass


def run(town, page, rows, browser):
    others = []
    rows.trying("a bookmark opens the page without another login, also with a conversation", lambda: bookmark(page, others))
    rows.trying("a second tab needs no login, and both hear what comes", lambda: second(town, page, others))
    rows.trying("a browser without the session gets nothing from the bookmark", lambda: elsewhere(page, browser))
    rows.trying("all tabs go on when their node was killed and is back", lambda: back(town, [page, *others]))
    rows.trying("a tab sends nothing to another program that has the port, says so, and goes on when the node is back",
                lambda: impostor(town, page))
    rows.trying("a tab is not served by another user's node on the port", lambda: other_node(town, page))
    rows.trying("a login opens the page elsewhere while somebody has its port", lambda: moved(town, page, browser))
    return others


def bookmark(page, others):
    tab = Page(page.context)
    others.append(tab)
    page.choose("bob")
    tab.open(page.tab.url)
    tab.sees("dialog-header h2:text-is('bob')")
    # No script can read what the browser keeps.
    kept = tab.tab.evaluate("""async () => {
      const opened = await new Promise((resolve) => { const request = indexedDB.open("earshot", 1); request.onsuccess = () => resolve(request.result); });
      const {key} = await new Promise((resolve) => { const request = opened.transaction("session").objectStore("session").get("session"); request.onsuccess = () => resolve(request.result); });
      const read = await Promise.all(["raw", "jwk"].map((format) => crypto.subtle.exportKey(format, key).then(() => "read", (error) => error.name)));
      return [key.extractable, ...read, sessionStorage.getItem("earshot.token")];
    }""")
    assert kept[0] is False and "read" not in kept and kept[3] is None, kept


def second(town, page, others):
    tab = Page(page.context)
    others.append(tab)
    tab.open(page.origin + "/")
    tab.choose("bob")
    town.bob.send("alice", "To both tabs.")
    for each in (page, tab):
        each.message("To both tabs.").wait_for()


def elsewhere(page, browser):
    context = browser.context()
    tab = context.new_page()
    tab.goto(page.origin + "/")
    tab.wait_for_selector("#login:not([hidden])")
    context.close()


def back(town, pages):
    town.alice.signal(signal.SIGKILL)
    for each in pages:
        each.sees("banner-stack .banner:has-text('The node is away')", timeout=20_000)
    town.bob.send("alice", "While you were away.")
    town.alice.start()
    for each in pages:
        each.sees("banner-stack .banner:has-text('The node is away')", state="detached", timeout=20_000)
        each.message("While you were away.").wait_for(timeout=20_000)
    pages[0].choose("bob")
    pages[0].write("I am back.")
    pages[0].message("I am back.").locator(".state-delivered, .state-read").wait_for(timeout=REDIALLED)


def impostor(town, page):
    page.choose("bob")
    town.alice.signal(signal.SIGKILL)
    server = until("the port is free", lambda: taken(urllib.parse.urlsplit(page.origin).port))
    try:
        page.sees("banner-stack .banner:has-text('is not your node')", timeout=20_000)
        page.tab.fill("#field", "Nobody else may read this.")
        page.tab.press("#field", "Enter")
        page.sees("#composer-note:has-text('Your draft is kept')")
        until("the tab has tried again", lambda: len(server.came) > 3)
    finally:
        server.shutdown()
        server.server_close()
    told = [text for text in server.came if "authorization" in text.lower() or "Nobody else" in text or not text.startswith("GET /v1/session?")]
    assert not told, told[:2]
    town.alice.start()
    page.sees("banner-stack .banner:has-text('is not your node')", state="detached", timeout=20_000)
    # Between the two it is away, and the draft is kept then, too.
    page.sees("banner-stack .banner:has-text('The node is away')", state="detached", timeout=20_000)
    until("it is sent", lambda: page.tab.press("#field", "Enter") or page.message("Nobody else may read this.").count())
    page.message("Nobody else may read this.").locator(".state-delivered, .state-read").wait_for(timeout=REDIALLED)


def taken(port):
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Impostor)
    except OSError:
        return None
    server.came = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class OtherUser:
    """Mallory, another user of the machine, with a node and a page on a port."""

    def __init__(self, folder, port):
        self.home = pathlib.Path(folder) / "other-user"
        self.home.mkdir(mode=0o700, exist_ok=True)
        os.chown(self.home, STRANGER, STRANGER)
        # The one that is driven may lie where only root can go.
        self.program = shutil.copy(program(), pathlib.Path(folder) / "earshot")
        self.program.chmod(0o755)
        self.run("init", "--name", "mallory-next-door")
        self.node = subprocess.Popen(
            [self.program, "up", "--home", self.home, "--json", "--no-discovery"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, **self.user)
        self.node.stdout.readline()
        self.run("web", "--no-open", "--port", str(port))

    user = {"user": STRANGER, "group": STRANGER, "extra_groups": [], "cwd": "/"}

    def run(self, *command):
        subprocess.run([self.program, *command, "--home", self.home], check=True, stdout=subprocess.DEVNULL, **self.user)

    def end(self):
        self.node.terminate()
        self.node.wait(30)


def other_node(town, page):
    page.choose("bob")
    town.folder.chmod(0o755)
    town.alice.signal(signal.SIGKILL)
    other = OtherUser(town.folder, urllib.parse.urlsplit(page.origin).port)
    try:
        page.sees("banner-stack .banner:has-text('is not your node')", timeout=20_000)
        # Loaded again, it gets no page of theirs.
        tab = page.context.new_page()
        answer = tab.goto(page.origin + "/")
        assert answer.status == 403 and "another user of this machine" in answer.text(), answer.text()[:200]
        tab.close()
    finally:
        other.end()
    town.alice.start()
    page.sees("banner-stack .banner:has-text('is not your node')", state="detached", timeout=20_000)


def moved(town, page, browser):
    town.alice.signal(signal.SIGKILL)
    port = urllib.parse.urlsplit(page.origin).port
    server = until("the port is free", lambda: taken(port))
    try:
        town.alice.start()
        answer = subprocess.run(
            [program(), "web", "--json", "--no-open", "--home", town.alice.home], check=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True)
        opened = json.loads(answer.stdout.splitlines()[-1])
        assert opened["lostPort"] == port and opened["port"] != port and str(port) in answer.stderr, answer.stderr
        context = browser.context()
        Page(context).open(opened["address"])
        context.close()
        page.sees("banner-stack .banner:has-text('is not your node')", timeout=20_000)
    finally:
        server.shutdown()
        server.server_close()
