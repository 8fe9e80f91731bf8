#!/usr/bin/env python3
"""Runs a build, and tells a user when it breaks and when it works again.

  build_status.py --to bob -- make test

Run it from cron, or after each commit. It remembers how the last build ended in a file (--state), and says nothing
while that does not change. It ends as the build did.
"""
import argparse
import pathlib
import subprocess
import sys

import earshot_node


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
    before = options.state.read_text().strip() if options.state.exists() else "works"
    if state != before:
        name = " ".join(options.command)
        last = "".join("\n" + line for line in build.stdout.splitlines()[-5:])
        text = f"{name} works again" if state == "works" else f"{name} is broken (status {build.returncode}):{last}"
        earshot_node.Node(options.socket).send(options.to, text)
        # Only now: if the node does not answer, the next build tells it.
        options.state.write_text(state + "\n")
    return build.returncode


if __name__ == "__main__":
    sys.exit(main())
