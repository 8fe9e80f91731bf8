#!/usr/bin/env python3
"""Runs a program when somebody writes "run", and shows in one answer how far it has come.

  earshot bot run job --timeout 600 --exec python3 examples/bots/job.py make test

Beside the running program the answer has its last lines. When this program or the node ends meanwhile, the message comes
again: then the program runs once more, and the same answer tells of it.
"""
import json
import subprocess
import sys
import time

LINES = 5
PAUSE = 1.0  # seconds between two edits


def say(**line):
    print(json.dumps(line), flush=True)


def run(message_id, command):
    say(react=message_id, emoji="👀")
    say(reply=message_id, text="begun")
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    last, shown = [], time.monotonic()
    for line in process.stdout:
        last = (last + [line.rstrip()])[-LINES:]
        if time.monotonic() - shown >= PAUSE:
            say(typing=message_id)
            say(edit=message_id, text="\n".join(last) or "begun")
            shown = time.monotonic()
    status = process.wait()
    ended = "done" if status == 0 else f"failed (status {status})"
    say(ack=message_id, edit="\n".join([ended] + last))


def main():
    for line in sys.stdin:
        given = json.loads(line)
        if given["type"] != "message":
            continue
        message = given["message"]
        if message["text"].strip() == "run":
            run(message["id"], sys.argv[1:])
        else:
            say(ack=message["id"], send=[{"text": "I know: run", "isReply": True}])


if __name__ == "__main__":
    main()
