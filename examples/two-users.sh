#!/usr/bin/env bash
# Two users on one machine, in a few lines: how a script uses earshot.
#
#   examples/two-users.sh
#
# It uses the earshot in PATH, or the one that EARSHOT_BIN names. The two find each other at a known port, so that this
# works without an Avahi daemon. On a network with one, leave out --no-discovery, --port and --peer.
set -euo pipefail

earshot=${EARSHOT_BIN:-earshot}
homes=$(mktemp --directory)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$homes"' EXIT

# A home directory is a user: keys, history, and the socket by which commands reach the running node.
"$earshot" init --name alice --home "$homes/alice"
"$earshot" init --name bob --home "$homes/bob"

# A node runs until it is told to stop. With --json each line is an object; the first says which port it got.
"$earshot" up --json --no-discovery --home "$homes/alice" >"$homes/alice.log" &
until grep --quiet '"port"' "$homes/alice.log"; do kill -0 $!; sleep 0.1; done
port=$(head -n 1 "$homes/alice.log" | jq .status.port)

"$earshot" up --json --no-discovery --peer "127.0.0.1:$port" --home "$homes/bob" >"$homes/bob.log" &

# The two have met when alice knows bob.
until "$earshot" users --json --home "$homes/alice" | grep --quiet '"name":"bob"'; do kill -0 $!; sleep 0.1; done

# Sending prints each state that the message reaches. "delivered" means: on the other's disk.
"$earshot" send bob "Hello Bob!" --wait delivered --home "$homes/alice"

# A text may come from standard input too, and the exit status says whether it arrived in time.
if echo "Hello Alice!" | "$earshot" send alice --wait delivered --timeout 10 --home "$homes/bob"; then
    echo "bob's answer has arrived"
fi

# Both have the same history.
"$earshot" history bob --home "$homes/alice"
"$earshot" history alice --home "$homes/bob" --json | jq --raw-output '"\(.sender.name): \(.text)"'
