#!/usr/bin/env python3
"""A bot that reminds people: "/remind 10m the tea" is confirmed at once, and in ten minutes the tea comes.

  reminders.py [--socket PATH]

It misses no message and reminds nobody twice, whenever it or the node ends: it acknowledges a message, answers it, and has
the reminder sent later, all in one call.
"""
import argparse
import datetime
import re
import sys
import time
import urllib.parse

import earshot_node

CONSUMER = "reminders"
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
HELP = "I know: /remind 10m the tea. The time has a unit: s, m, h, d or w."


def answers(message):
    """What a message is answered with: texts, each with the time at which it goes out if that is not now."""
    command = re.fullmatch(r"\s*/remind\s+(\d{1,6})([smhdw])\s+(\S.*)", message["text"], re.DOTALL)
    if not command:
        return [(HELP, None)]
    number, unit, what = command.groups()
    # From the time at which it was written, so that it is the same whenever the message is handled again.
    seconds = message["timestampMilliseconds"] / 1000 + int(number) * UNITS[unit]
    try:
        due = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    except (ValueError, OverflowError, OSError):
        return [(f"{number}{unit} is too far away.", None)]
    return [(f"I will remind you in {number}{unit}.", None), (what, due.isoformat(timespec="milliseconds"))]


def acknowledge(node, message, cursor, texts):
    sends = []
    for text, due in texts:
        # The node marks it as a program's, so that no other bot answers it.
        send = {"to": message["sender"]["id"], "text": text, "answering": message["id"]}
        sends.append({**send, "notBefore": due} if due else send)
    node.call("POST", f"inbox/{CONSUMER}", {"ack": cursor, "send": sends})


def run(node):
    while True:
        # The same messages again, until they are acknowledged.
        batch = node.call("GET", f"inbox?consumer={urllib.parse.quote(CONSUMER)}&wait=30")
        for message, cursor in zip(batch["messages"], batch["cursors"]):
            try:
                acknowledge(node, message, cursor, answers(message))
            except earshot_node.Refused as refusal:
                if refusal.code in ("gone", "stopped", "overloaded", "storeFull", "storeUnavailable"):
                    raise
                acknowledge(node, message, cursor, [(f"I cannot remind you: {refusal}", None)])


def main():
    parser = argparse.ArgumentParser(description="A bot that reminds people.")
    parser.add_argument("--socket", help="the node's socket")
    node = earshot_node.Node(parser.parse_args().socket)
    while True:
        try:
            run(node)
        except (OSError, earshot_node.Refused) as error:
            # The node ended, or its disk is full: the messages come again.
            print(f"reminders: {error}", file=sys.stderr, flush=True)
            time.sleep(1)


if __name__ == "__main__":
    main()
