#!/usr/bin/env python3
"""A bot that only drafts: it prepares a quote for a conversation, and a person sends it or does not.

  EARSHOT_TOKEN=$(earshot token create quotes --scope draft --to bob) ./quotes.py bob [--socket PATH]

Its token has the scope `draft`, so it can send nothing, and hears only what becomes of its own drafts. Where a quote was
discarded it prepares the next one; where it was sent, that was enough for today.
"""
import argparse
import http.client
import json
import os
import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "bots"))
import earshot_node  # noqa: E402

QUOTES = [
    "Simplicity is prerequisite for reliability. (Edsger W. Dijkstra)",
    "The purpose of computing is insight, not numbers. (Richard Hamming)",
    "Be conservative in what you do, be liberal in what you accept from others. (Jon Postel)",
]


class Quotes:
    def __init__(self, node, token, conversation):
        self.node, self.conversation = node, conversation
        self.headers = {"authorization": f"Bearer {token}"}

    def insert(self, number):
        """Prepares a quote, once: whoever asks again with the key gets the same draft."""
        draft = {"to": self.conversation, "text": QUOTES[number]}
        key = {"idempotency-key": f"quote {self.conversation} {number}"}
        return self.node.call("POST", "drafts", draft, {**self.headers, **key})

    def events(self):
        """What becomes of this bot's drafts from now on."""
        connection = http.client.HTTPConnection("node")
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.node.path)
        connection.request("GET", "/v1/events?names=draftSent,draftDiscarded", headers=self.headers)
        response = connection.getresponse()
        if response.status != 200:
            raise earshot_node.Refused(json.loads(response.read())["error"], response.status)
        return (json.loads(line.removeprefix(b"data: ")) for line in response if line.startswith(b"data: "))

    def run(self):
        # Listens first, so that nothing is missed that becomes of the draft.
        events = self.events()
        for number in range(len(QUOTES)):
            try:
                draft = self.insert(number)
            except earshot_node.Refused as refusal:
                if refusal.code != "draftDiscarded":
                    raise
                continue  # A person did not want this one.
            # Without the scope `read` the answer has no text: a person may have changed it.
            if "messageID" not in draft:
                print(f"drafted: {QUOTES[number]}", flush=True)
            if "messageID" in draft or self.was_sent(draft, events):
                print(f"sent: {QUOTES[number]}", flush=True)
                return
            print(f"discarded: {QUOTES[number]}", flush=True)
        print("there are no more quotes", flush=True)

    def was_sent(self, draft, events):
        for event in events:
            if event.get("draft", {}).get("id") == draft["id"]:
                return event["name"] == "draftSent"
        raise ConnectionError("the node has ended")


def main():
    parser = argparse.ArgumentParser(description="A bot that only drafts.")
    parser.add_argument("conversation", help="for whom: a user, or '#' and the name of a conversation")
    parser.add_argument("--socket", help="the node's socket")
    options = parser.parse_args()
    token = os.environ.get("EARSHOT_TOKEN")
    if not token:
        sys.exit("quotes: it needs a token: export EARSHOT_TOKEN=$(earshot token create quotes --scope draft)")
    try:
        Quotes(earshot_node.Node(options.socket), token, options.conversation).run()
    except (OSError, earshot_node.Refused) as error:
        sys.exit(f"quotes: {error}")


if __name__ == "__main__":
    main()
