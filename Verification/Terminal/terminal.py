"""Runs the checks of the chat on a terminal, one after another. script/terminal starts this, in a network of its own."""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "Verification" / "Town"), str(ROOT / "script")]
from nodes import end_when_told  # noqa: E402
from rows import Rows  # noqa: E402
from screen import PROMPT, Screen  # noqa: E402
from town import Town, program, until  # noqa: E402

BURST = 10_000
LONG_LINE = 60_000


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    end_when_told()
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    rows, began = Rows(options.json), time.monotonic()
    # Short: the path of a socket has a limit.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="earshot-tty.", dir="/tmp"))
    town, checks = None, None
    try:
        town = Town(folder)
        checks = Checks(town, folder, rows)
        checks.run()
    except Exception as error:
        rows.check("the run comes to its end", False, " ".join(str(error).split())[:900])
    finally:
        if checks:
            checks.end()
        if town:
            town.end()
        shutil.rmtree(folder, ignore_errors=True)
    rows.fact("seconds", round(time.monotonic() - began))
    return rows.end()


class Checks:
    """Alice talks on a terminal; bob on another one or through his node's API."""

    def __init__(self, town, folder, rows):
        self.town, self.folder, self.rows, self.screens = town, folder, rows, []

    def run(self):
        self.editing()
        self.dialog()
        self.pasting()
        self.group()
        self.elsewhere()
        self.resizing()
        self.drafts()
        self.lost_node()
        self.burst()
        self.pages()

    def end(self):
        for screen in self.screens:
            screen.end()

    def open(self, person, *name, columns=100, rows=30):
        screen = Screen(self.folder, pathlib.Path(program()), columns, rows)
        self.screens.append(screen)
        screen.line(" ".join(["earshot", "chat", *name, "--home", str(person.home)]))
        return screen

    def close(self, screen):
        """Ends a chat, and looks that the shell has got nothing of it."""
        screen.press("C-u")
        screen.press("C-d")
        screen.sees(f"^{re.escape(PROMPT)} *$")
        assert "command not found" not in screen.all(), screen.all()
        screen.end()
        self.screens.remove(screen)

    def texts(self, person, conversation, limit=1000):
        return [message["text"] for message in person.history(conversation, limit)]

    # What is typed

    def editing(self):
        alice, bob = self.town.alice, self.town.bob
        screen = self.open(alice, "bob")
        screen.sees("^── bob, .*online")

        def sends(what, keys, expected):
            def check():
                for kind, value in keys:
                    (screen.type if kind == "text" else screen.press)(value)
                screen.press("Enter")
                until(f"{expected!r} has come", lambda: self.texts(bob, "alice", 5)[-1:] == [expected])
            self.rows.trying(what, check)

        sends("the cursor keys move in the line, and are not sent",
              [("text", "wrld"), ("key", "Left"), ("key", "Left"), ("key", "Left"), ("text", "o"), ("key", "Home"),
               ("text", "hello "), ("key", "End"), ("text", "!")], "hello world!")
        sends("words are deleted and moved by, as in a shell",
              [("text", "one two three"), ("key", "C-w"), ("key", "M-b"), ("text", "and "), ("key", "C-e"), ("text", "3")],
              "one and two 3")
        sends("what was cut comes back", [("text", "cut me"), ("key", "C-u"), ("text", "not "), ("key", "C-y")], "not cut me")
        sends("wide characters and emoji are edited as one",
              [("text", "你好世界👩‍💻x"), ("key", "BSpace"), ("key", "BSpace"), ("key", "Left"), ("key", "BSpace")], "你好界")
        sends("the line before comes back by the arrow key", [("key", "Up"), ("text", "!")], "你好界!")
        sends("a line break is typed by Ctrl-J", [("text", "first"), ("key", "C-j"), ("text", "second")], "first\nsecond")
        sends("a text that begins with two slashes is sent with one", [("text", "//etc")], "/etc")

        def commands():
            before = self.texts(bob, "alice")
            screen.line("/help")
            screen.sees("/talk NAME")
            screen.line("/nonsense and more")
            screen.sees("there is no /nonsense")
            screen.sees("^> /nonsense and more")
            screen.press("C-u")
            screen.type("/he")
            screen.press("Tab")
            screen.sees("^> /help *$")
            screen.press("C-u")
            screen.line("/talk")
            screen.sees("/talk takes NAME")
            screen.press("C-u")
            assert self.texts(bob, "alice") == before
        self.rows.trying("commands are done here and not sent, a wrong one stays in the line, and Tab completes", commands)

        def interrupted():
            screen.type("half a line")
            screen.press("C-c")
            screen.sees("^> *$")
            screen.press("C-y")
            screen.sees("^> half a line")
            screen.press("C-u", "C-c")
            screen.sees("Ctrl-D or /quit ends the chat")
        self.rows.trying("Ctrl-C empties the line, and does not end the chat", interrupted)
        self.rows.trying("Ctrl-D ends the chat, and the shell gets nothing of it", lambda: self.close(screen))

    # What is shown

    def dialog(self):
        alice, bob = self.town.alice, self.town.bob
        one, two = self.open(alice, "bob"), self.open(bob, "alice")
        one.sees("^── bob, .*online")
        two.sees("^── alice, .*online")

        def shown():
            one.line("lunch at noon?")
            two.sees(r"^\d\d:\d\d alice: lunch at noon\?")
            one.sees(r"^ +lunch at noon\? \d\d:\d\d +✓✓ read")
        self.rows.trying("a message is shown to the other, and its mark becomes read in place", shown)

        def typing():
            two.type("thinking about")
            one.sees("bob is typing")
        self.rows.trying("that the other one types is in the status", typing)

        def kept():
            one.line("are you there?")
            two.sees("alice: are you there")
            two.sees("^> thinking about")
            two.line(" it")
            one.sees(r"^\d\d:\d\d bob: thinking about it")
        self.rows.trying("a line that is half typed stays when a message comes", kept)

        def changes():
            one.line("/reply I wait")
            two.sees("alice: ↪ [^ ]+ I wait")
            one.line("/edit I wait at the door")
            two.sees("alice has edited .*I wait at the door")
            one.line("/react 👍")
            two.sees("reactions to .*👍 alice")
            one.line("/retract")
            two.sees("alice has taken .* back")
        self.rows.trying("replies, edits, reacts and takes back by commands", changes)

        def content():
            invitation = {"caption": "Luigi's", "subcaption": "at \u202eeight", "url": "https://example.org/menu"}
            first = bob.send("alice", "Dinner?", layout=invitation, session={"summary": "asked"})
            for line in ["bob: Dinner\\?$", "┃ Luigi's$", "┃ at .u.202e.eight$", "┃ https://example.org/menu$"]:
                one.sees(line)
            bob.send("alice", "At nine, then", session={"id": first["session"]["id"], "summary": "agreed"})
            one.sees("bob: ↻ At nine, then$")
            again = self.open(self.town.alice, "bob")
            again.sees("bob: \\(asked\\)$")
            again.sees("bob: ↻ At nine, then$")
            assert "Luigi" not in again.all(), again.all()
            self.close(again)
        self.rows.trying("a layout has its lines, and a session one message and the summaries of those before it", content)

        def trust():
            self.town.alice.run("block", "bob")
            one.sees("^── bob, blocked")
            one.line("nobody hears this")
            one.sees("blocked")
            one.sees("^> nobody hears this")
            self.town.alice.run("unblock", "bob")
            one.sees("^── bob, (unverified|verified)")
            one.press("C-u")
        self.rows.trying("trust is in the status, and a line that is refused stays to be sent again", trust)

        def silent():
            one.sees("^── bob, .*online")
            # As if a cable were pulled: the link stands, and nothing comes.
            os.killpg(bob.process.pid, signal.SIGSTOP)
            try:
                began = time.monotonic()
                one.line("can you hear me?")
                one.sees("^── bob, .*not answering", 10)
                took = time.monotonic() - began
            finally:
                os.killpg(bob.process.pid, signal.SIGCONT)
            one.sees("^── bob, .*online")
            one.sees("can you hear me.*✓✓")
            return f"after {took:.1f} s"
        self.rows.trying("who does not answer is shown as such within 10 s, and as online when they answer", silent)
        self.close(one)
        self.close(two)

    def pasting(self):
        alice, bob = self.town.alice, self.town.bob
        screen = self.open(alice, "bob")
        screen.sees("^── bob")

        def fifty():
            text = "\n".join(f"pasted line {number}" for number in range(1, 51))
            before = len(self.texts(bob, "alice"))
            screen.paste(text)
            screen.sees("pasted line 50$")
            screen.press("Enter")
            until("one message", lambda: self.texts(bob, "alice")[before:] == [text])
        self.rows.trying("a paste of 50 lines is one message", fifty)

        def long():
            text = "".join(chr(ord("a") + number % 26) for number in range(LONG_LINE))
            screen.paste(text)
            screen.sees(f"{text[-40:]}$", 40)
            screen.press("Enter")
            until("the whole line", lambda: self.texts(bob, "alice", 1) == [text])
        self.rows.trying(f"a pasted line of {LONG_LINE:,} characters arrives whole", long)

        def too_long():
            screen.type("a draft")
            screen.paste("x" * 70_000)
            screen.sees("at most 65536 bytes", 40)
            screen.sees("^> a draft$")
            screen.press("C-u")
        self.rows.trying("a paste that no message can hold is refused, and the draft stays", too_long)
        self.close(screen)

    def group(self):
        people = [self.town.alice, self.town.bob, self.town.carol]
        for person in people:
            person.run("conversation", "join", "ops")
        # Whoever has not joined yet when a message is written may not get it.
        until("all have joined", lambda: all(
            len(person.call("GET", "conversations/%23ops/participants")) == 3 for person in people))
        screens = [self.open(person, "'#ops'") for person in people]
        for screen in screens:
            screen.sees("^── #ops")

        def talked():
            for number, screen in enumerate(screens):
                screen.line(f"word of {people[number].name}")
                for other in screens:
                    if other is not screen:
                        other.sees(f"{people[number].name}: word of {people[number].name}")
            screens[0].sees("word of alice .*✓✓ read")
        self.rows.trying("three talk in one conversation, and all have read it", talked)
        for screen in screens:
            self.close(screen)

    def drafts(self):
        alice, bob = self.town.alice, self.town.bob
        token = alice.call("POST", "tokens", {"name": "quotes", "scopes": ["draft"]})["token"]
        program = {"authorization": f"Bearer {token}"}
        screen = self.open(alice, "bob")
        screen.sees("^── bob")

        def draft(text):
            return alice.call("POST", "drafts", {"to": "bob", "text": text}, program)

        def heard(name, of):
            events = alice.events_from_beginning(program, 20)
            return [event["name"] for event in events if event["draft"]["id"] == of["id"]][-1:] == [name]

        def shown():
            draft("a quote of the day\nin two lines")
            screen.sees("draft 1 by quotes, not sent: a quote of the day")
            screen.sees("in two lines")
            screen.sees("^── bob.* 1 draft")
            assert "a quote of the day" not in str(self.texts(bob, "alice"))
        self.rows.trying("a draft is announced with who inserted it, and is no message", shown)

        def sent():
            [waiting] = alice.call("GET", "drafts?conversation=bob")
            screen.line("/draft send 1")
            until("bob has it", lambda: self.texts(bob, "alice", 1) == ["a quote of the day\nin two lines"])
            screen.sees("draft 1 by quotes was sent")
            until("the program hears it", lambda: heard("draftSent", waiting))
        self.rows.trying("/draft send sends it, and the program hears that", sent)

        def taken():
            waiting = draft("a qoute")
            screen.sees("draft 1 by quotes, not sent: a qoute")
            screen.line("/draft take")
            screen.sees("^> a qoute$")
            screen.sees("in the line: a draft by quotes")
            screen.press("BSpace", "BSpace", "BSpace", "BSpace")
            screen.type("uote")
            screen.press("BSpace", "BSpace", "BSpace", "BSpace", "BSpace")
            screen.type("quote, rather")
            screen.press("Enter")
            until("bob has it", lambda: self.texts(bob, "alice", 1)[0].endswith("quote, rather"))
            until("the program hears it", lambda: heard("draftSent", waiting))
            screen.line("and a message")
            until("bob has both", lambda: self.texts(bob, "alice", 1) == ["and a message"])
            assert alice.call("GET", "drafts") == []
        self.rows.trying("/draft take brings it into the line, where it is changed and sent, once", taken)

        def discarded():
            waiting = draft("never mind")
            screen.sees("draft 1 by quotes, not sent: never mind")
            screen.line("/draft discard 7")
            screen.sees("there is only draft 1")
            screen.press("C-u")
            screen.line("/draft discard")
            screen.sees("draft 1 by quotes was discarded")
            until("the program hears it", lambda: heard("draftDiscarded", waiting))
            assert "never mind" not in str(self.texts(bob, "alice"))
            screen.line("/drafts")
            screen.sees("no draft waits here")
        self.rows.trying("/draft discard discards it, and the program hears that", discarded)

        def codes():
            evil = draft("\u202eevil\u001b[31m")
            screen.sees(r"not sent: \\u\{202e\}evil\\u\{1b\}\[31m")
            alice.call("DELETE", f"drafts/{evil['id']}", None, program)
            screen.sees("was discarded")
        self.rows.trying("what moves the cursor or turns direction in a draft is shown as its code", codes)

        def waits():
            self.close(screen)
            draft("still here")
            again = self.open(alice, "bob")
            again.sees("draft 1 by quotes, not sent: still here")
            again.line("/draft discard")
            again.sees("was discarded")
            self.close(again)
        self.rows.trying("a draft that came meanwhile is shown when the dialog is opened", waits)

    def elsewhere(self):
        alice, bob, carol = self.town.alice, self.town.bob, self.town.carol
        screen = self.open(alice)

        def choosing():
            screen.sees("NAME +UNREAD +LAST")
            screen.line("bob")
            screen.sees("^── bob")
        self.rows.trying("without a name the conversations are listed, and one is chosen", choosing)

        def announced():
            carol.send("alice", "are you coming?")
            screen.sees("carol: are you coming")
            screen.sees("1 unread elsewhere")
            assert alice.call("GET", "conversations/carol")["unreadCount"] == 1
        self.rows.trying("a message of another conversation is announced, counted, and stays unread", announced)

        def switched():
            screen.type("a draft for bob")
            screen.press("C-t")
            screen.type("ca")
            screen.press("Tab")
            screen.sees("^> /talk carol$")
            screen.press("Enter")
            screen.sees("^── carol")
            screen.sees("^> *$")
            until("it is read", lambda: alice.call("GET", "conversations/carol")["unreadCount"] == 0)
            screen.type("a draft for carol")
            screen.press("C-t")
            screen.line("bob")
            screen.sees("^── bob")
            screen.sees("^> a draft for bob$")
            screen.press("C-t", "C-u")
            screen.sees("^> a draft for bob$")
            screen.press("C-u")
            screen.line("/talk carol")
            screen.sees("^> a draft for carol$")
            screen.press("C-u")
            screen.line("/talk bob")
            screen.sees("^── bob")
        self.rows.trying("goes to another conversation and back, and the drafts wait where they were typed", switched)

        def searched():
            screen.line("/search coming")
            screen.sees("carol: are you coming")
            screen.line("/people")
            screen.sees("carol, .*online")
        self.rows.trying("searches, and lists people", searched)
        self.close(screen)

    def resizing(self):
        alice, bob = self.town.alice, self.town.bob
        screen = self.open(alice, "bob")
        screen.sees("^── bob")

        def resized():
            screen.type("a line that stays while the window changes its size again and again, wide 你好 and long")
            for columns, rows in [(60, 20), (40, 12), (100, 30), (30, 8), (100, 30)]:
                screen.resize(columns, rows)
                time.sleep(0.5)
            bob.send("alice", "after the resizes")
            screen.sees("bob: after the resizes")
            screen.press("Enter")
            until("the line has come", lambda: self.texts(bob, "alice", 1)[0].endswith("wide 你好 and long"))
            assert screen.all().count("bob: after the resizes") == 1
            assert len(re.findall("^── bob", screen.text(), re.M)) == 1, screen.text()
        self.rows.trying("the line and the status stay when the window changes its size", resized)
        self.close(screen)

    # What goes wrong

    def lost_node(self):
        alice, bob = self.town.alice, self.town.bob
        screen = self.open(alice, "bob")
        screen.sees("^── bob")

        def stopped():
            screen.type("echo a draft")
            alice.signal(signal.SIGTERM)
            screen.sees("THE NODE IS AWAY")
            screen.sees("^> echo a draft$")
            alice.start()
            screen.sees("the node is back")
            screen.sees("^> echo a draft$")
            screen.press("C-u")
        self.rows.trying("a node that is stopped is waited for, too", stopped)

        def lost():
            screen.type("echo a draft that no shell may run")
            alice.signal(signal.SIGKILL)
            screen.sees("THE NODE IS AWAY")
            screen.type(", typed on")
            screen.press("Enter")
            screen.sees("^> echo a draft that no shell may run, typed on")
        self.rows.trying("a node that is killed is waited for, and the line stays", lost)

        def back():
            alice.start()
            screen.sees("the node is back")
            screen.sees("^── bob")
            screen.press("Enter")
            until("the line has come", lambda: self.texts(bob, "alice", 1) == [
                "echo a draft that no shell may run, typed on"])
            bob.send("alice", "welcome back")
            screen.sees("bob: welcome back")
            assert PROMPT not in screen.text().split("\n", 2)[2]
        self.rows.trying("the node is back, and the line is sent once", back)

        self.close(screen)

        def ended():
            mark, screen = self.folder / "mark", Screen(self.folder, pathlib.Path(program()))
            self.screens.append(screen)
            # Without job control: else the shell would take the terminal when the chat is stopped.
            screen.line(f"set +m; earshot chat bob --home {alice.home}")
            screen.sees("^── bob")
            pid = screen.program_pid()
            os.kill(pid, signal.SIGSTOP)
            # What the chat has not read yet waits at the terminal.
            screen.line(f"touch {mark}")
            os.kill(pid, signal.SIGTERM)
            os.kill(pid, signal.SIGCONT)
            screen.sees(f"^{re.escape(PROMPT)} *$")
            screen.line("echo the shell is $((6 * 7))")
            screen.sees("^the shell is 42$")
            assert not mark.exists(), "the shell has run what was typed"
            screen.end()
            self.screens.remove(screen)
        self.rows.trying("a signal ends the chat, and the shell gets nothing of what was typed", ended)

    def burst(self):
        alice, bob = self.town.alice, self.town.bob
        screen = self.open(alice, "bob")
        screen.sees("^── bob")
        texts = [f"burst {number:05}" for number in range(1, BURST + 1)]

        def shown():
            return re.findall(r"bob: (burst \d+)$", screen.all(), re.M)

        def unread():
            return alice.call("GET", "conversations/bob")["unreadCount"]

        def held():
            self.town.fill(bob, alice, texts)
            until("all have come", lambda: alice.last("bob")["text"] == texts[-1], 120)
            until("what is shown is read, and all else unread", lambda: len(shown()) + unread() == BURST, 60)
            screen.sees(f"↓ {unread()} more, not read yet", 60)
            seen = shown()
            assert seen == texts[:len(seen)], seen[:3]
            visible = re.findall(r"bob: (burst \d+)$", screen.text(), re.M)
            assert visible == seen, (len(visible), len(seen))
            return f"{len(seen)} shown and read, {unread()} unread"
        self.rows.trying(f"of {BURST:,} messages a screen is shown, in order, and all others stay unread", held)

        def unmoved():
            before = len(shown())
            bob.signal(signal.SIGTERM)
            screen.sees("^── .*bob, [a-z]+, offline")
            bob.start()
            screen.sees("^── .*bob, [a-z]+, online")
            visible = re.findall(r"bob: (burst \d+)$", screen.text(), re.M)
            assert visible == shown() and len(visible) == before, (len(visible), before)
            screen.press("Left")
            screen.sees("— bob is offline")
        self.rows.trying("what else happens moves no message off the screen before a key is pressed", unmoved)

        def more():
            before = len(shown())
            screen.press("Enter")
            until("the next screen", lambda: len(shown()) > before)
            until("they are read", lambda: len(shown()) + unread() == BURST)
            seen = shown()
            assert seen == texts[:len(seen)]
            return f"{len(seen)} shown"
        self.rows.trying("Enter shows the next screen, and marks as read what it shows", more)

        def through():
            deadline = time.monotonic() + 300
            while unread() and time.monotonic() < deadline:
                screen.press(*["NPage"] * 8)
                time.sleep(0.05)
            seen = shown()
            assert seen == texts, (len(seen), [a for a, b in zip(seen, texts) if a != b][:2])
            return f"{len(seen):,} shown once and in order"
        self.rows.trying("every message is shown once and in order, screen by screen", through)

        def again():
            for number in range(1, 101):
                bob.send("alice", f"more {number:03}")
            until("they have come", lambda: alice.last("bob")["text"] == "more 100", 60)
            screen.sees("not read yet", 60)
            left = unread()
            screen.line("/latest")
            screen.sees("bob: more 100")
            assert unread() == left, (unread(), left)
            return f"{left} stay unread"
        self.rows.trying("/latest leaves out what waits, which stays unread", again)
        self.close(screen)

    def pages(self):
        """The commands that print, on the same terminal."""
        alice = self.town.alice
        screen = Screen(self.folder, pathlib.Path(program()))
        self.screens.append(screen)

        def inbox():
            screen.line(f"earshot inbox --home {alice.home} --limit 3 | cat")
            screen.sees("bob  [0-9]+ unread, the first 3")
            screen.line(f"clear; earshot search burst 09999 --home {alice.home}")
            screen.sees("bob: burst 09999")
        self.rows.trying("inbox and search print what they find", inbox)

        def pager():
            screen.line(f"clear; earshot history bob --since 1h --limit 200 --home {alice.home}")
            screen.sees("^:")
            screen.press("q")
            screen.sees(f"^{re.escape(PROMPT)} *$")
        self.rows.trying("a long history is shown through the pager", pager)


if __name__ == "__main__":
    sys.exit(main())
