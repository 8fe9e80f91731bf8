"""An Earshot peer that shares no code with the node it talks to, for the tests of the SDK.

It obeys orders on standard input, one a line, and tells what happens on standard output, one JSON object a line:

    link           links: dials, or waits to be dialled        -> linked, heads, refused
    send TEXT      appends an entry to its log and sends it    -> receipt, when the node has acknowledged it
    text COUNT     as `send`, with a text of COUNT bytes
    withhold       appends an entry and sends its hash only    -> receipt
    read           says that it has seen all it received
    handle         says that a program has dealt with all it received
    ping           asks for a sign of life                     -> pong
    rekey          renews its sending key, then as `ping`      -> pong
    forge          acknowledges with a signature of nobody     -> closed
    unknown        acknowledges a log that nobody has
    forget N       forgets what it wrote after its entry N, as if an older copy of its disk came back
                                                               -> asks, returned, on the next link
    fork N TEXT    forgets, and has written and sent a text there instead          -> asks, unplaced, asks, returned
    twice NAME     sends a text with two header names that are equal but for their normalization      -> receipt
    long           a ping in a frame whose length takes four bytes                 -> pong
    malformed      sends a receipt without a signature                             -> closed
    unclear        sends something behind its change of keys                       -> closed
    dialback PORT  asks the node to connect to a port       -> reachable, with the node's answer
    drop           cuts the connection without a word
    close          says goodbye and cuts the connection        -> closed

Whatever the node sends is checked against docs/PROTOCOL.md; a violation ends the program with an error.
"""

import argparse
import json
import os
import selectors
import socket
import struct
import sys
import time
import unicodedata

import earshot_protocol as earshot
from earshot_protocol import Credential, Log, ProtocolViolation, Receipt, SigningKey, require

HOUR = 3_600_000
TIMEOUT_SECONDS = 30


def tell(event, **values):
    print(json.dumps({"event": event, **values}), flush=True)


def now():
    return int(time.time() * 1000)


class Device:
    """An identity, a device of it, its credential, and what it keeps from one link to the next."""

    def __init__(self, name, begins, ends, ahead):
        identity = SigningKey(os.urandom(32))
        self.signing = SigningKey(os.urandom(32))
        self.agreement_secret = os.urandom(32)
        self.user_id, self.device_id = identity.public, self.signing.public
        agreement = earshot.agreement_public_key(self.agreement_secret)
        self.credential = Credential.issue(name, identity, self.signing, agreement, now() + begins, now() + ends)
        self.run = int.from_bytes(os.urandom(8), "big") | 1
        self.ahead = ahead
        # The branches of each log by its id, its own logs in the order of their epochs.
        self.own = {}
        self.received = {}
        self.read = {}
        self.handled = {}

    def introduction(self):
        return earshot.introduction(self.credential, self.run, now() + self.ahead)

    @property
    def own_logs(self):
        return [log for branches in self.own.values() for log in branches]

    @property
    def received_logs(self):
        return [log for branches in self.received.values() for log in branches]

    def log_to(self, user_id):
        """The one that the next entry goes into: the youngest."""
        if not self.own:
            self.begin_epoch(user_id)
        return list(self.own.values())[-1][0]

    def begin_epoch(self, user_id):
        """4.6: an epoch that follows others says first what they are."""
        conversation = earshot.direct_conversation(self.user_id, user_id)
        earlier = self.own_logs
        log = Log(conversation, self.device_id, max([now()] + [item.epoch + 1 for item in earlier]))
        self.own[log.log_id] = [log]
        if earlier:
            timestamp = max([now() << 16] + [item.timestamp + 1 for item in earlier])
            log.append(earshot.bytes_field(1, earshot.branches_body(timestamp, conversation, earlier)))

    def receipt(self, log):
        read = min(self.read.get(log.chain[-1], 0), log.sequence)
        handled = min(self.handled.get(log.chain[-1], 0), log.sequence)
        return Receipt.sign(self.signing, log.log_id, log.sequence, log.chain[-1], read, handled)


class Wire:
    """2.3: messages on a TCP connection."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""

    def send(self, content):
        self.connection.sendall(earshot.framed(content))

    def fill(self):
        part = self.connection.recv(1 << 16)
        if not part:
            raise ConnectionError("the node closed the connection")
        self.buffer += part

    def next(self):
        """A whole message, or nothing yet."""
        if len(self.buffer) < 2:
            return None
        (length,) = struct.unpack(">H", self.buffer[:2])
        if len(self.buffer) < 2 + length:
            return None
        found, self.buffer = self.buffer[2 : 2 + length], self.buffer[2 + length :]
        return found

    def wait(self):
        """The next message of the handshake; a refusal record ends it (2.5)."""
        while True:
            if self.buffer[:2] == b"\0\0" and len(self.buffer) >= 4:
                raise Refused(record=self.buffer[:4].hex(), reason=self.buffer[2])
            found = self.next() if self.buffer[:2] != b"\0\0" else None
            if found is not None:
                require(len(found) <= earshot.HANDSHAKE_MESSAGE_BYTES, "a handshake message is too long")
                return found
            self.fill()


class Refused(Exception):
    def __init__(self, **values):
        super().__init__(str(values))
        self.values = values


class Link:
    def __init__(self, device, connection, is_initiator, network_key, version):
        self.device = device
        self.wire = Wire(connection)
        self.noise = earshot.noise_connection(device.agreement_secret, network_key, is_initiator)
        self.hello = earshot.hello(network_key, version)
        self.plaintext = b""
        self.has_heads = False
        # What was asked for: by log, its end, and whether it was asked for with more places already.
        self.asked = {}
        # Up to where the node has which branch of an own log, by the branch's end.
        self.known = {}
        self.peer = self.initiate() if is_initiator else self.respond()
        tell("linked", user=self.peer.user_id.hex(), device=self.peer.device_id.hex(), name=self.peer.name)
        self.conversation = earshot.direct_conversation(device.user_id, self.peer.user_id)
        self.write(earshot.heads(self.conversation, device.own_logs + device.received_logs))
        if device.received_logs:
            self.write(earshot.receipts([device.receipt(log) for log in device.received_logs]))

    # 2.4 The handshake

    def initiate(self):
        self.wire.send(self.hello)
        self.wire.send(self.noise.write_message())
        peer = self.read_introduction()
        self.wire.send(self.noise.write_message(self.device.introduction()))
        return peer

    def respond(self):
        theirs = earshot.message(self.wire.wait(), version=(1, 0), tag=(2, b""))
        ours = earshot.message(self.hello, version=(1, 0), tag=(2, b""))
        require(theirs == ours, "the node says hello in another way: %r" % theirs)
        self.noise.read_message(self.wire.wait())
        self.wire.send(self.noise.write_message(self.device.introduction()))
        return self.read_introduction()

    def read_introduction(self):
        state = self.noise.noise_protocol.handshake_state
        payload = bytes(self.noise.read_message(self.wire.wait()))
        values = earshot.message(payload, credential=(1, b""), run=(2, 0), refusal=(3, 0), clock=(4, 0))
        require(abs(earshot.signed(values["clock"]) - now()) < 60_000, "the node's clock is not this host's")
        if values["refusal"]:
            raise Refused(reason=values["refusal"])
        credential = Credential(values["credential"])
        require(credential.agreement_key == bytes(state.rs.public_bytes), "a credential for another key")
        require(credential.not_before <= now() < credential.not_after, "the node's credential is not valid now")
        require(values["run"] != 0, "the node has no number of its run")
        return credential

    # 2.6 The stream

    def write(self, frames, piece=earshot.PIECE_BYTES):
        for at in range(0, len(frames), piece):
            self.wire.send(self.noise.encrypt(frames[at : at + piece]))

    def received(self):
        """Takes in what has come. Returns whether the link goes on."""
        self.wire.fill()
        return self.take()

    def take(self):
        while (sealed := self.wire.next()) is not None:
            self.plaintext += self.noise.decrypt(sealed)
            found, self.plaintext = earshot.cut_frames(self.plaintext)
            for kind, content in found:
                if not self.received_frame(kind, content):
                    return False
        return True

    def received_frame(self, kind, content):
        if kind == earshot.HEADS:
            self.received_heads(content)
        elif kind == earshot.ENTRIES:
            self.received_entries(content)
        elif kind == earshot.RECEIPTS:
            for item in earshot.repeated(content, 1):
                self.received_receipt(item)
        elif kind == earshot.WANTED:
            self.received_wanted(content)
        elif kind == earshot.UNPLACED:
            self.received_unplaced(content)
        elif kind == earshot.TAKEN:
            values = earshot.message(content, log=(1, b""), through=(2, b""))
            tell("taken", sequence=earshot.read_place(values["through"])[0])
        elif kind == earshot.PING:
            self.write(earshot.frame(earshot.PONG))
        elif kind == earshot.PONG:
            tell("pong")
        elif kind == earshot.REKEY:
            self.noise.rekey_inbound_cipher()
        elif kind == earshot.DIAL_BACK:
            self.received_dial_back(content)
        elif kind == earshot.DIAL_BACK_RESULT:
            tell("reachable", **earshot.message(content, nonce=(1, 0), reachable=(2, 0)))
        elif kind == earshot.CLOSE:
            tell("closed", reason=earshot.message(content, reason=(1, 0))["reason"])
            return False
        return True

    # 2.12 Dial-back

    def received_dial_back(self, content):
        values = earshot.message(content, port=(1, 0), nonce=(2, 0))
        require(1 <= values["port"] <= 65535, "a port is 1 to 65535")
        host = self.wire.connection.getpeername()[0]
        try:
            socket.create_connection((host, values["port"]), timeout=3).close()
            reachable = True
        except OSError:
            reachable = False
        self.write(earshot.dial_back_result(values["nonce"], reachable))

    # 5.1 Heads

    def received_heads(self, content):
        values = earshot.message(content, conversation=(1, b""), complete=(3, 0))
        items = [earshot.read_head(item) for item in earshot.repeated(content, 2)]
        own = [(epoch, place) for device, epoch, place in items if device == self.device.device_id]
        require(not items or values["conversation"] == self.conversation, "heads of another conversation")
        for epoch, place in own:
            log = Log(self.conversation, self.device.device_id, epoch)
            branches = self.device.own.get(log.log_id, [])
            found = [branch for branch in branches if branch.holds(*place)]
            for branch in found:
                self.known[branch.end] = max(place[0], self.known.get(branch.end, 0))
            if not found:
                self.asked[log.log_id] = (log, place, False)
        tell("heads", count=len(own), sequence=max([place[0] for _, place in own], default=0))
        if values["complete"] and not self.has_heads:
            self.has_heads = True
            for log, end, _ in list(self.asked.values()):
                self.ask(log, end, [branch.end for branch in self.device.own.get(log.log_id, [])])
            for log in self.device.own_logs:
                if log.log_id not in self.asked:
                    self.send_rest(log)

    def send_rest(self, log):
        """Sends what the node does not have of a branch. It begins where another branch that the node has parts."""
        known = self.known.get(log.end, 0)
        for other in self.device.own[log.log_id]:
            if other is not log:
                common = [at for at in range(self.known.get(other.end, 0) + 1) if log.holds(at, other.chain[at])]
                known = max(known, common[-1])
        if log.sequence > known:
            self.write(log.entries(known + 1, self.device.signing))
        self.known[log.end] = log.sequence

    # 5.5 Asking, and being asked

    def ask(self, log, end, known):
        known = known or [(0, log.log_id)]
        tell("asks", sequence=end[0], count=len(known))
        self.write(earshot.wanted(log, end, known))

    def received_unplaced(self, content):
        values = earshot.message(content, log=(1, b""))
        log = Log.of(values["log"])
        require(log.log_id in self.asked, "the node places nothing that it was not asked for")
        log, end, was_spaced = self.asked[log.log_id]
        require(not was_spaced, "the node does not hold what it says")
        tell("unplaced")
        self.asked[log.log_id] = (log, end, True)
        places = {(0, log.log_id)}
        for branch in self.device.own.get(log.log_id, []):
            distance = 1
            while distance < branch.sequence:
                places.add((branch.sequence - distance, branch.chain[branch.sequence - distance]))
                distance *= 2
        self.ask(log, end, sorted(places))

    def received_wanted(self, content):
        values = earshot.message(content, log=(1, b""), end=(2, b""))
        branches = self.device.received.get(Log.of(values["log"]).log_id, [])
        end = earshot.read_place(values["end"])
        found = [branch for branch in branches if branch.holds(*end)]
        require(found, "the node wants what this peer does not hold")
        known = [earshot.read_place(item) for item in earshot.repeated(content, 3)]
        require(len(known) <= 72, "the node names too many places")
        start = max([at for at, chain in known if at <= end[0] and found[0].holds(at, chain)], default=None)
        tell("wanted", sequence=end[0], count=len(known))
        if start is None:
            self.write(earshot.unplaced(found[0]))
        else:
            for run in found[0].given(start + 1, end[0]):
                self.write(run)

    # 5.2 Entries

    def received_entries(self, content):
        values = earshot.message(content, log=(1, b""))
        log = Log.of(values["log"])
        require(log.conversation_id == self.conversation, "the node sent entries of another conversation")
        if log.device_id == self.device.device_id:
            self.received_back(log, content)
            return
        require(log.device_id == self.peer.device_id, "the node sent entries of another log")
        branch, texts = earshot.take(self.device.received.setdefault(log.log_id, []), content)
        # A real peer commits to its disk before this.
        self.write(earshot.receipts([self.device.receipt(branch)]))
        for text in texts:
            if text is not None:
                tell("message", log=log.log_id.hex(), text=text)

    def received_back(self, log, content):
        """5.6: entries of this device's own."""
        require(log.log_id in self.asked, "the node gives back what it was not asked for")
        branch, _ = earshot.take(self.device.own.setdefault(log.log_id, []), content, given_back=True)
        self.write(earshot.taken(branch, branch.end))
        _, end, _ = self.asked[log.log_id]
        if not branch.holds(*end):
            return
        del self.asked[log.log_id]
        tell("returned", sequence=branch.sequence, count=len(self.device.own[log.log_id]))
        self.known[branch.end] = end[0]
        if not self.asked:
            self.device.begin_epoch(self.peer.user_id)
            for own in self.device.own_logs:
                self.send_rest(own)

    # 5.3 Receipts

    def received_receipt(self, encoded):
        receipt = Receipt(encoded)
        require(receipt.is_signed_by(self.peer.device_id), "a receipt's signature does not hold")
        branches = self.device.own.get(receipt.log_id, [])
        if any(branch.holds(receipt.sequence, receipt.chain) for branch in branches):
            tell("receipt", sequence=receipt.sequence, read=receipt.read, handled=receipt.handled)
        else:
            # It counts when this peer has what it is about.
            tell("early", sequence=receipt.sequence)

    # Orders

    def send(self, text, piece=earshot.PIECE_BYTES):
        log = self.device.log_to(self.peer.user_id)
        body = earshot.entry_body(max(now() << 16, log.timestamp + 1), now() + 24 * HOUR, text, [("client", "python")])
        self.append(earshot.bytes_field(1, body), piece)

    def withhold(self):
        log = self.device.log_to(self.peer.user_id)
        digest = earshot.entry_hash(b"this was taken back")
        self.append(earshot.withheld_entry(self.device.signing, log.log_id, log.sequence + 1, digest))

    def append(self, entry, piece=earshot.PIECE_BYTES):
        log = self.device.log_to(self.peer.user_id)
        self.known.pop(log.end, None)
        log.append(entry)
        # Before the node has said what it holds, nothing is sent: its heads will bring it out.
        if self.has_heads:
            self.write(log.entries(log.sequence, self.device.signing), piece)
            self.known[log.end] = log.sequence

    def send_twice(self, name):
        log = self.device.log_to(self.peer.user_id)
        names = [unicodedata.normalize(form, name) for form in ("NFD", "NFC")]
        body = earshot.entry_body(
            max(now() << 16, log.timestamp + 1), now() + HOUR, "twice", zip(names, ["first", "second"]))
        self.append(earshot.bytes_field(1, body))

    def acknowledge_unknown(self):
        log = Log(self.conversation, self.peer.device_id, 1)
        chain = earshot.chain_hash(log.log_id, earshot.entry_hash(b"forgotten"))
        self.write(earshot.receipts([Receipt.sign(self.device.signing, log.log_id, 1, chain, 0)]))

    def say_read(self):
        logs = self.device.received_logs
        for log in logs:
            self.device.read[log.chain[-1]] = log.sequence
        self.write(earshot.receipts([self.device.receipt(log) for log in logs]))

    def say_handled(self):
        logs = self.device.received_logs
        for log in logs:
            self.device.handled[log.chain[-1]] = log.sequence
        self.write(earshot.receipts([self.device.receipt(log) for log in logs]))

    def forge(self):
        nobody = SigningKey(os.urandom(32))
        self.write(
            earshot.receipts([
                Receipt.sign(nobody, log.log_id, log.sequence, log.chain[-1], log.sequence)
                for log in self.device.received_logs
            ]))

    def send_long(self):
        """2.6: a length may take more bytes than it needs."""
        content = earshot.bytes_field(earshot.PING, b"", always=True)
        self.write(bytes([0x80 | len(content), 0x80, 0x80, 0x00]) + content)

    def send_malformed(self):
        self.write(earshot.frame(earshot.RECEIPTS, earshot.bytes_field(1, earshot.bytes_field(1, os.urandom(32)))))

    def send_unclear(self):
        self.write(earshot.frame(earshot.REKEY) + b"\x02")

    def rekey(self):
        self.write(earshot.frame(earshot.REKEY))
        self.noise.rekey_outbound_cipher()
        self.write(earshot.frame(earshot.PING))

    def say_goodbye(self):
        self.write(earshot.frame(earshot.CLOSE, earshot.number_field(1, 1)))
        tell("closed", reason=0)


class Peer:
    def __init__(self, arguments):
        self.arguments = arguments
        self.device = Device(arguments.name, arguments.begins, arguments.ends, arguments.ahead)
        self.selector = selectors.DefaultSelector()
        self.link = None
        self.listener = None
        if not arguments.dial:
            self.listener = socket.create_server(("127.0.0.1", 0))
            self.listener.settimeout(TIMEOUT_SECONDS)
            tell("listening", port=self.listener.getsockname()[1])

    def connect(self):
        if self.listener:
            connection, _ = self.listener.accept()
        else:
            connection = socket.create_connection(("127.0.0.1", self.arguments.dial), timeout=TIMEOUT_SECONDS)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(TIMEOUT_SECONDS)
        try:
            arguments = self.arguments
            self.link = Link(self.device, connection, not self.listener, arguments.network_key, arguments.version)
        except Refused as refusal:
            tell("refused", **refusal.values)
            return
        except ConnectionError as error:
            tell("refused", error=str(error))
            return
        self.selector.register(connection, selectors.EVENT_READ)
        if not self.link.take():
            self.cut()

    def cut(self):
        self.selector.unregister(self.link.wire.connection)
        self.link.wire.connection.close()
        self.link = None

    def obey(self, order):
        word, _, rest = order.partition(" ")
        link = self.link
        if word == "link":
            self.connect()
        elif word == "send":
            link.send(rest)
        elif word == "text":
            # In many small pieces, as the page allows.
            link.send("é" * (int(rest) // 2), piece=1000)
        elif word == "forget":
            self.forget(int(rest))
        elif word == "fork":
            number, _, text = rest.partition(" ")
            self.forget(int(number), text)
        elif word == "twice":
            link.send_twice(rest)
        elif word == "dialback":
            link.write(earshot.dial_back(int(rest), 77))
        elif word == "drop":
            self.cut()
        elif word == "close":
            link.say_goodbye()
            self.cut()
        elif word == "ping":
            link.write(earshot.frame(earshot.PING))
        else:
            {
                "withhold": link.withhold, "read": link.say_read, "handle": link.say_handled, "forge": link.forge, "rekey": link.rekey,
                "unknown": link.acknowledge_unknown, "long": link.send_long, "malformed": link.send_malformed,
                "unclear": link.send_unclear,
            }[word]()

    def forget(self, number, text=None):
        """An older copy of the disk is back. With a text, that was written there and has left already."""
        (log_id, branches), = self.device.own.items()
        log = branches[0].cut(number)
        self.device.own[log_id] = [log]
        if text is not None:
            body = earshot.entry_body(max(now() << 16, log.timestamp + 1), now() + HOUR, text)
            log.append(earshot.bytes_field(1, body))

    def run(self):
        """Until standard input ends."""
        self.selector.register(sys.stdin, selectors.EVENT_READ)
        orders = b""
        while True:
            for key, _ in self.selector.select():
                if key.fileobj is sys.stdin:
                    part = os.read(sys.stdin.fileno(), 1 << 16)
                    if not part:
                        return
                    *lines, orders = (orders + part).split(b"\n")
                    for line in lines:
                        self.obey(line.decode())
                elif self.link and not self.receive():
                    self.cut()

    def receive(self):
        try:
            return self.link.received()
        except ConnectionError:
            tell("closed", reason=0)
            return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--name", required=True)
    parser.add_argument("--dial", type=int, help="the node's port; without it the node dials this peer")
    parser.add_argument("--network-key", type=bytes.fromhex)
    parser.add_argument("--version", type=int, default=earshot.VERSION, help="what it says that it speaks")
    parser.add_argument("--begins", type=int, default=-HOUR, help="of its credential, milliseconds from now")
    parser.add_argument("--ends", type=int, default=24 * HOUR, help="of its credential, milliseconds from now")
    parser.add_argument("--ahead", type=int, default=0, help="how far it says that its clock is ahead, milliseconds")
    try:
        Peer(parser.parse_args()).run()
    except ProtocolViolation as error:
        tell("violation", error=str(error))
        sys.exit(1)


if __name__ == "__main__":
    main()
