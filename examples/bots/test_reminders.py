#!/usr/bin/env python3
"""Tests of the reminders bot, as a start for tests of your own: python3 test_reminders.py

They need no network: `earshot test-network` serves nodes in memory, turns their clocks, and lets go wrong what a bot must
bear. EARSHOT_BIN names another program than the earshot of the PATH.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import earshot_node
import reminders

FOLDER = pathlib.Path(__file__).parent


class TestNetwork:
    """A network in memory, and the sockets of its users."""

    def __init__(self, *users):
        self.process = subprocess.Popen(
            [os.environ.get("EARSHOT_BIN", "earshot"), "test-network"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            text=True)
        self.news = [json.loads(self.process.stdout.readline())]
        self.folder = self.news[0]["folder"]
        for user in users:
            self.tell({"node": user})

    def read(self):
        line = json.loads(self.process.stdout.readline())
        if "error" in line:
            raise RuntimeError(line["error"])
        return line

    def tell(self, line):
        """Writes a line, and returns its answer."""
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()
        while "name" in (answer := self.read()):
            self.news.append(answer)
        return answer

    def wait(self, name):
        """Waits until a fault has happened."""
        while not any(line["name"] == name for line in self.news):
            self.news.append(self.read())

    def node(self, user):
        return earshot_node.Node(f"{self.folder}/{user}.sock")

    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class RemindersTest(unittest.TestCase):
    def setUp(self):
        self.network = TestNetwork("alice", "robot")
        self.addCleanup(self.network.end)
        # From now on these miss nothing.
        self.network.node("robot").call("POST", "consumers", {"name": reminders.CONSUMER})
        self.network.node("alice").call("POST", "consumers", {"name": "test"})
        bot = subprocess.Popen(
            [sys.executable, FOLDER / "reminders.py", "--socket", f"{self.network.folder}/robot.sock"],
            stderr=subprocess.DEVNULL)
        self.addCleanup(bot.wait)
        self.addCleanup(bot.kill)

    def send(self, text):
        self.network.tell({"send": {"from": "alice", "to": "robot", "text": text}})

    def received(self, count):
        """The next texts that alice gets from robot."""
        texts, alice = [], self.network.node("alice")
        while len(texts) < count:
            batch = alice.call("GET", "inbox?consumer=test&automatic=true&wait=60")
            texts += [message["text"] for message in batch["messages"]]
            alice.call("POST", "inbox/test", {"ack": batch["cursor"]})
        return texts

    def test_reminds_in_time(self):
        self.send("/remind 2h the tea")
        self.assertEqual(self.received(1), ["I will remind you in 2h."])
        self.network.tell({"advance": "3h"})
        self.assertEqual(self.received(1), ["the tea"])

    def test_answers_once_what_it_is_handed_twice(self):
        self.network.tell({"duplicateHandOut": {"user": "robot", "consumer": reminders.CONSUMER}})
        self.send("/remind 2h the tea")
        self.network.wait("duplicateHandOut")
        self.send("hello")
        self.assertEqual(self.received(2), ["I will remind you in 2h.", reminders.HELP])
        self.network.tell({"advance": "3h"})
        self.send("hello")
        self.assertEqual(self.received(2), ["the tea", reminders.HELP])

    def test_answers_once_when_its_node_crashes(self):
        self.network.tell({"crashAfterHandOut": {"user": "robot", "consumer": reminders.CONSUMER}})
        self.send("/remind 2h the tea")
        self.network.wait("crashAfterHandOut")
        self.send("hello")
        self.assertEqual(self.received(2), ["I will remind you in 2h.", reminders.HELP])
        self.network.tell({"advance": "3h"})
        self.send("hello")
        self.assertEqual(self.received(2), ["the tea", reminders.HELP])


if __name__ == "__main__":
    unittest.main()
