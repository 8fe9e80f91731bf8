"""Checks: what must not be overlooked."""
import os
import signal
import subprocess

import earshot_node
from town import until

# Long messages until a disk is full that has no room but in the database's files.
MOST_TEXTS = 1000


def safety(town, page, rows):
    rows.trying("shows a safety number, with its QR code, and verifies", lambda: verifies(town, page))
    rows.trying("shows what the doctor finds", lambda: finds(page))
    rows.trying("keeps the settings", lambda: settings(town, page))


def verifies(town, page):
    page.choose("bob")
    page.tab.click("dialog-header [aria-label='About this conversation']")
    page.sees("dialog.sheet .digits li")
    digits = "".join(page.tab.locator("dialog.sheet .digits li").all_inner_texts())
    other = town.bob.call("GET", "users/alice/safety-number")
    assert digits == other["digits"], "the two numbers differ"
    assert page.tab.locator("dialog.sheet svg.squares[role=img]").count() == 1, "no QR code"
    page.tab.click("dialog.sheet button:has-text('verified')")
    page.sees("dialog.sheet .trust-line.trust-verified")
    page.close_sheet()
    page.sees("dialog-header .trust-verified:has-text('Verified')")
    page.row("bob").locator(".sign.verified").wait_for()


def finds(page):
    page.tab.click("[data-command=settings]")
    page.tab.click("dialog.sheet button:has-text('What the doctor finds')")
    page.sees("dialog.sheet .finding")
    page.close_sheet()


def settings(town, page):
    page.tab.click("[data-command=settings]")
    page.tab.click("dialog.sheet .segments label:has-text('Dark')")
    assert page.tab.evaluate("document.documentElement.dataset.theme") == "dark"
    page.tab.click("dialog.sheet .segments label:has-text('As the system')")
    page.tab.fill("#friendly-name", "Alice of the third floor")
    page.tab.click("dialog.sheet button:has-text('Save')")
    until("it is saved", lambda: town.alice.call("GET", "profile")["friendlyName"] == "Alice of the third floor")
    page.close_sheet()


def new_key(town, page, rows):
    rows.trying("sees a key change, and accepts the new key", lambda: changes(town, page, rows))


def changes(town, page, rows):
    other = town.add("carol", [town.alice], home="carol-again")
    page.sees("banner-stack .banner.problem:has-text('A new key for carol')", timeout=20_000)
    page.tab.wait_for_function("() => document.getElementById('urgent').textContent.includes('A new key for carol')")
    yield_to = page.tab.locator("banner-stack .banner:has-text('carol')")
    yield_to.locator("button:has-text('Accept the new key')").click()
    page.tab.click("dialog.sheet .danger:has-text('Accept the new key')")
    page.sees("banner-stack .banner:has-text('carol')", state="detached")
    user = next(user for user in town.alice.call("GET", "users") if user["id"] == other.call("GET", "node")["id"])
    assert user["trust"] != "conflict" and user["isPinned"], user["trust"]
    other.stop()


def lost_node(town, page, rows):
    rows.trying("a lost node is shown, the draft survives, and it goes on", lambda: loses(town, page))


def loses(town, page):
    page.choose("bob")
    page.tab.fill("#field", "Half a thought, and")
    town.alice.signal(signal.SIGKILL)
    page.sees("banner-stack .banner:has-text('The node is away')", timeout=15_000)
    page.tab.locator("#field").press("End")
    page.tab.keyboard.type(" the rest")
    page.tab.keyboard.press("Enter")
    page.sees("#composer-note:has-text('Your draft is kept')")
    assert page.tab.input_value("#field") == "Half a thought, and the rest"
    town.bob.send("alice", "Are you still there?")
    town.alice.start()
    page.sees("banner-stack .banner:has-text('The node is away')", state="detached", timeout=20_000)
    page.message("Are you still there?").wait_for(timeout=20_000)
    assert page.tab.input_value("#field") == "Half a thought, and the rest"
    page.tab.press("#field", "Enter")
    page.message("Half a thought, and the rest").locator(".state-delivered, .state-read").wait_for(timeout=20_000)


def silence(town, page, rows):
    rows.trying("who does not answer is shown as such within 10 s, and as online when they answer", lambda: silent(town, page))


def silent(town, page):
    page.choose("bob")
    page.sees("dialog-header .subtitle:has-text('Online')")
    # As if a cable were pulled: the link stands, and nothing comes.
    os.killpg(town.bob.process.pid, signal.SIGSTOP)
    try:
        page.write("Can you hear me?")
        page.sees("dialog-header .subtitle:has-text('Not answering')", timeout=10_000)
    finally:
        os.killpg(town.bob.process.pid, signal.SIGCONT)
    page.sees("dialog-header .subtitle:has-text('Online')")
    page.message("Can you hear me?").locator(".state-delivered, .state-read").wait_for()


def full_disk(town, page, rows):
    rows.trying("a full disk is shown, and that it has room again", lambda: fills(town, page))


def fills(town, page):
    ballast = town.disk / "ballast"
    subprocess.run(["dd", "if=/dev/zero", f"of={ballast}", "bs=64k"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    page.choose("bob")
    # What the database has room for in its files goes first.
    try:
        for number in range(MOST_TEXTS):
            town.alice.send("bob", f"{number} " + "x" * 60_000)
    except earshot_node.Refused:
        pass
    page.sees("banner-stack .banner:has-text('cannot write to its disk')", timeout=15_000)
    page.tab.fill("#field", "x" * 60_000)
    page.tab.press("#field", "Enter")
    page.sees("#composer-note:has-text('Your draft is kept')")
    ballast.unlink()
    page.tab.fill("#field", "There is room again.")
    page.sees("banner-stack .banner:has-text('cannot write to its disk')", state="detached", timeout=40_000)
    page.tab.press("#field", "Enter")
    page.message("There is room again.").wait_for()
