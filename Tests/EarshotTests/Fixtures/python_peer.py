"""An Earshot peer that shares no code with the node it talks to, for the tests of the SDK.

It obeys orders on standard input, one a line, and tells what happens on standard output, one JSON object a line:

    link           links: dials, or waits to be dialled        -> linked, heads, refused
    send TEXT      appends an entry to its log and sends it    -> receipt, when the node has acknowledged it
    text COUNT     as `send`, with a text of COUNT bytes
    withhold       appends an entry and sends its hash only    -> receipt
    read           says that it has seen all it received
    ping           asks for a sign of life                     -> pong
    rekey          renews its sending key, then as `ping`      -> pong
    forge          acknowledges with a signature of nobody     -> closed
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
        self.own_log = None
        self.received = {}
        self.read = {}

    def introduction(self):
        return earshot.introduction(self.credential, self.run, now() + self.ahead)

    def log_to(self, user_id):
        if self.own_log is None:
            self.own_log = Log(earshot.direct_conversation(self.user_id, user_id), self.device_id, now())
        return self.own_log

    def receipt(self, log):
        return Receipt.sign(self.signing, log.log_id, log.sequence, log.chain[-1], self.read.get(log.log_id, 0))


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
        self.peer = self.initiate() if is_initiator else self.respond()
        tell("linked", user=self.peer.user_id.hex(), device=self.peer.device_id.hex(), name=self.peer.name)
        own = [log for log in device.received.values() if log.device_id == self.peer.device_id]
        self.write(earshot.heads([device.receipt(log) for log in own]))

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
        require(not self.has_heads, "the node says twice what it holds")
        log = self.device.log_to(self.peer.user_id)
        known = 0
        held = earshot.repeated(content, 1)
        for item in held:
            receipt = self.check(Receipt(item))
            known = receipt.sequence if receipt.log_id == log.log_id else known
        tell("heads", count=len(held), sequence=known)
        self.has_heads = bool(earshot.message(content, complete=(2, 0))["complete"])
        if self.has_heads and log.sequence > known:
            self.write(log.entries(known + 1, self.device.signing))

    # 5.2 Entries

    def received_entries(self, content):
        values = earshot.message(content, log=(1, b""), first=(2, 0), checkpoint=(4, b""))
        described = earshot.message(values["log"], conversation=(1, b""), device=(2, b""), epoch=(3, 0))
        ours = earshot.direct_conversation(self.device.user_id, self.peer.user_id)
        require(
            (described["conversation"], described["device"]) == (ours, self.peer.device_id),
            "the node sent entries of another log")
        log = Log(ours, self.peer.device_id, described["epoch"])
        log = self.device.received.setdefault(log.log_id, log)
        entries = earshot.repeated(content, 3)
        require(entries and 1 <= values["first"] <= log.sequence + 1, "entries are missing")
        known = log.sequence + 1 - values["first"]
        texts = [log.append(entry) for entry in entries[known:]]
        require(log.is_proved_by(values["checkpoint"]), "a checkpoint does not hold")
        # A real peer commits to its disk before this.
        self.write(earshot.receipts([self.device.receipt(log)]))
        for text in texts:
            tell("message", log=log.log_id.hex(), text=text)

    # 5.3 Receipts

    def received_receipt(self, encoded):
        receipt = self.check(Receipt(encoded))
        tell("receipt", sequence=receipt.sequence, read=receipt.read)

    def check(self, receipt):
        log = self.device.log_to(self.peer.user_id)
        require(receipt.log_id == log.log_id, "a receipt for another log")
        require(receipt.sequence <= log.sequence, "a receipt beyond the log's end")
        require(receipt.is_signed_by(self.peer.device_id), "a receipt's signature does not hold")
        require(receipt.chain == log.chain[receipt.sequence], "a receipt for other entries")
        return receipt

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
        log.append(entry)
        # Before the node has said what it holds, nothing is sent: its heads will bring it out.
        if self.has_heads:
            self.write(log.entries(log.sequence, self.device.signing), piece)

    def say_read(self):
        logs = list(self.device.received.values())
        for log in logs:
            self.device.read[log.log_id] = log.sequence
        self.write(earshot.receipts([self.device.receipt(log) for log in logs]))

    def forge(self):
        nobody = SigningKey(os.urandom(32))
        self.write(
            earshot.receipts([
                Receipt.sign(nobody, log.log_id, log.sequence, log.chain[-1], log.sequence)
                for log in self.device.received.values()
            ]))

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
            {"withhold": link.withhold, "read": link.say_read, "forge": link.forge, "rekey": link.rekey}[word]()

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
