"""Checks: the page of examples/quickstart, with the server beside it."""
import json
import re
import subprocess
import sys

from town import ROOT, until

PAGE = ROOT / "examples" / "quickstart" / "page"


def run(town, browser, rows):
    rows.trying("the page of examples/quickstart shows what was said, sends, and shows what comes", lambda: talks(town, browser))


def talks(town, browser):
    town.bob.call("POST", "conversations", {"uniqueName": "quickstart"})
    town.bob.send("#quickstart", "before")
    town.alice.call("POST", "conversations", {"uniqueName": "quickstart"})
    until("alice has what was said before", lambda: any(
        message["text"] == "before" for message in town.alice.history("%23quickstart")))
    token = json.loads(town.alice.run("token", "create", "quickstart", "--scope", "read", "--scope", "send", "--json"))["token"]
    server = subprocess.Popen(
        [sys.executable, PAGE / "serve.py", "--port", "0", "--socket", town.alice.home / "node.sock"],
        stdout=subprocess.PIPE, text=True)
    tab = browser.context().new_page()
    errors = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    try:
        address = re.search(r"http://\S+/#token=", server.stdout.readline())[0]
        tab.goto(address + token)
        tab.wait_for_selector("#messages li:text-is('bob: before')")
        town.bob.send("#quickstart", "<b>now</b>")
        tab.wait_for_selector("#messages li:text-is('bob: <b>now</b>')")
        tab.fill("#text", "gladly")
        tab.press("#text", "Enter")
        # Alice's own, which bob's node has signed for.
        tab.wait_for_selector("#messages li:text-matches('^alice: gladly \\\\([1-9] of ')")
        assert town.bob.last("%23quickstart")["text"] == "gladly"
        assert tab.locator("#messages li").count() == 3 and not errors, errors
    finally:
        tab.context.close()
        server.terminate()
        server.wait(30)
