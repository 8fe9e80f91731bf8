#!/usr/bin/env python3
"""Runs a build, and tells a user when it breaks and when it works again.

  build_status.py --to bob -- make test

Run it from cron, or after each commit. It remembers how the last build ended in a file (--state), and says nothing
while that does not change. It ends as the build did. What it has to tell is in the file, too, with a key, until the
node has it: so it is told once, whenever this program or the node ends.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import uuid

import earshot_node


def load(path):
    return json.loads(path.read_text()) if path.exists() else {"state": "works", "untold": []}


def save(path, saved):
    new = path.with_name(path.name + ".new")
    new.write_text(json.dumps(saved) + "\n")
    os.replace(new, path)


def tell(node, to, path, saved):
    while saved["untold"]:
        message = saved["untold"][0]
        node.send(to, message["text"], message["key"])
        saved["untold"].pop(0)
        save(path, saved)


def main():
    parser = argparse.ArgumentParser(description="Tells a user when a build breaks and when it works again.")
    parser.add_argument("--to", required=True, help="the user")
    parser.add_argument("--state", default=".build-status", type=pathlib.Path, help="remembers how the last build ended")
    parser.add_argument("--socket", help="the node's socket")
    parser.add_argument("command", nargs="+", help="the build")
    options = parser.parse_args()

    build = subprocess.run(options.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    print(build.stdout, end="")
    state = "works" if build.returncode == 0 else "broken"
    saved = load(options.state)
    if state != saved["state"]:
        name = " ".join(options.command)
        last = "".join("\n" + line for line in build.stdout.splitlines()[-5:])
        text = f"{name} works again" if state == "works" else f"{name} is broken (status {build.returncode}):{last}"
        saved = {"state": state, "untold": saved["untold"] + [{"text": text, "key": str(uuid.uuid4())}]}
        save(options.state, saved)
    try:
        tell(earshot_node.Node(options.socket), options.to, options.state, saved)
    except (OSError, earshot_node.Refused) as error:
        print(f"build_status: the next build tells it: {error}", file=sys.stderr)
    return build.returncode


if __name__ == "__main__":
    sys.exit(main())
