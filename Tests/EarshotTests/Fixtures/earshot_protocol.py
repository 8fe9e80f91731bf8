"""Earshot's protocol, version 2, written from docs/PROTOCOL.md alone: bytes in, bytes out, no sockets.

The numbers in the comments are that page's sections. Noise comes from the package `noiseprotocol`, Ed25519 from
`cryptography`, BLAKE2b from the standard library; the few protobuf messages are read and written by hand.
"""

import hashlib
import os
import struct
import unicodedata

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from noise.connection import Keypair, NoiseConnection

VERSION = 2
FRAME_BYTES = 1024 * 1024
HANDSHAKE_MESSAGE_BYTES = 2048
PIECE_BYTES = 65519


class ProtocolViolation(Exception):
    """The other side did what the page forbids."""


def require(condition, sentence):
    if not condition:
        raise ProtocolViolation(sentence)


# Protobuf, as far as it is needed: varints, 8-byte numbers, byte strings.


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def read_varint(data, at):
    number = shift = 0
    while True:
        require(at < len(data) and shift < 70, "a number has no end")
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, at
        shift += 7


def number_field(field, value):
    return varint(field << 3) + varint(value) if value else b""


def fixed_field(field, value):
    return varint(field << 3 | 1) + struct.pack("<Q", value) if value else b""


def bytes_field(field, value, always=False):
    return varint(field << 3 | 2) + varint(len(value)) + value if value or always else b""


def fields(data):
    """All fields of a message: their number and value, in the order in which they came."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        field, kind = key >> 3, key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            length, at = read_varint(data, at)
            value, at = data[at : at + length], at + length
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
            value, at = int.from_bytes(data[at : at + length], "little"), at + length
        else:
            raise ProtocolViolation("a field of an unknown type")
        require(at <= len(data), "a message ends within a field")
        yield field, value


def message(data, **names):
    """The last value of each named field, or what stands for its absence."""
    values = {name: default for name, (_, default) in names.items()}
    by_number = {number: name for name, (number, _) in names.items()}
    for field, value in fields(data):
        if field in by_number:
            name = by_number[field]
            require(isinstance(value, type(values[name])), "a field has another type")
            values[name] = value
    return values


def repeated(data, number):
    return [value for field, value in fields(data) if field == number]


def signed(number):
    return number - (1 << 64) if number >> 63 else number


# 3.1 Identifiers

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def base32(data):
    bits = "".join(format(byte, "08b") for byte in data)
    bits += "0" * (-len(bits) % 5)
    return "".join(ALPHABET[int(bits[at : at + 5], 2)] for at in range(0, len(bits), 5))


def u64(number):
    return struct.pack(">Q", number)


# 3.4 Hashes


def labelled(label, *parts):
    return bytes([len(label)]) + label.encode("ascii") + b"".join(parts)


def H(label, *parts):
    return hashlib.blake2b(labelled(label, *parts), digest_size=32).digest()


def network_tag(network_key):
    return base32(H("earshot network v1", network_key)[:10]) if network_key else ""


def direct_conversation(a, b):
    return H("earshot direct conversation v1", min(a, b), max(a, b))


def open_conversation(network_key, name):
    tag = network_tag(network_key).encode()
    return H("earshot open conversation v2", u64(len(tag)), tag, name.encode())


def private_conversation(creator_id, salt):
    return H("earshot private conversation v2", creator_id, salt)


def control_log_id(conversation_id, device_id, epoch):
    return H("earshot control log v2", conversation_id, device_id, u64(epoch))


def log_id(conversation_id, device_id, epoch):
    return H("earshot log v1", conversation_id, device_id, u64(epoch))


def branch_id(log, first, chain):
    return H("earshot branch v2", log, u64(first), chain)


def entry_hash(body):
    return H("earshot entry v1", body)


def chain_hash(previous, entry):
    return H("earshot chain v1", previous, entry)


# 3.5 Signatures


def holds(public_key, signature, label, *parts):
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, labelled(label, *parts))
    except InvalidSignature:
        return False
    return True


class SigningKey:
    def __init__(self, seed):
        self.key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, label, *parts):
        return self.key.sign(labelled(label, *parts))


def agreement_public_key(secret):
    public = X25519PrivateKey.from_private_bytes(secret).public_key()
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


# 3.6 Safety numbers


def safety_hash(user_id):
    found = hashlib.sha512(b"\xea\x01" + user_id + base32(user_id).encode("ascii") + user_id).digest()
    for _ in range(5199):
        found = hashlib.sha512(found + user_id).digest()
    return found


def safety_digits(found):
    return "".join("%05d" % (int.from_bytes(found[at : at + 5], "big") % 100_000) for at in range(0, 30, 5))


def safety_number(a, b):
    return "".join(sorted(safety_digits(safety_hash(user_id)) for user_id in (a, b)))


# 3.7 The text of a network key


def network_key_text(network_key):
    checksum = H("earshot network key text v1", network_key)[:5]
    text = base32(network_key + checksum)
    return "earshot-network-1-" + "-".join(text[at : at + 5] for at in range(0, 60, 5))


# 3.2, 3.3 Names and credentials


def is_name(text):
    # Python has no table of the default-ignorable characters; most of them are of the category Cf.
    categories = {unicodedata.category(character) for character in text if character not in "\u200c\u200d"}
    return (
        1 <= len(text.encode()) <= 63
        and not categories & {"Cc", "Cf", "Zl", "Zp", "Cs", "Cn"}
        and text == text.strip()
        and unicodedata.is_normalized("NFC", text)
    )


class Credential:
    def __init__(self, encoded):
        outer = message(encoded, body=(1, b""), signature=(2, b""), countersignature=(3, b""))
        inner = message(
            outer["body"], name=(1, b""), identity=(2, b""), signing=(3, b""), agreement=(4, b""), begin=(5, 0),
            end=(6, 0))
        self.encoded = encoded
        self.name = inner["name"].decode("utf-8")
        self.user_id, self.device_id, self.agreement_key = inner["identity"], inner["signing"], inner["agreement"]
        self.not_before, self.not_after = signed(inner["begin"]), signed(inner["end"])
        for key in (self.user_id, self.device_id, self.agreement_key):
            require(len(key) == 32, "a key in a credential has the wrong length")
        require(is_name(self.name), "a credential's name is not valid")
        require(
            holds(self.user_id, outer["signature"], "earshot credential v1", outer["body"]),
            "a credential is not signed by the identity that it names")
        require(
            holds(self.device_id, outer["countersignature"], "earshot credential device v1", outer["body"]),
            "a credential is not signed by the device that it names")

    @staticmethod
    def issue(name, identity, device, agreement_key, not_before, not_after):
        body = (
            bytes_field(1, name.encode()) + bytes_field(2, identity.public) + bytes_field(3, device.public)
            + bytes_field(4, agreement_key) + number_field(5, not_before) + number_field(6, not_after))
        signature = identity.sign("earshot credential v1", body)
        countersignature = device.sign("earshot credential device v1", body)
        return Credential(bytes_field(1, body) + bytes_field(2, signature) + bytes_field(3, countersignature))


# 2.4 The first word, and the handshake's payloads


def hello(network_key, version=VERSION):
    return number_field(1, version) + bytes_field(2, network_tag(network_key).encode())


def introduction(credential, run, clock):
    return bytes_field(1, credential.encoded) + fixed_field(2, run) + number_field(4, clock)


def noise_connection(static_secret, network_key, is_initiator, ephemeral_secret=None):
    name = b"Noise_XXpsk3_25519_ChaChaPoly_SHA256" if network_key else b"Noise_XX_25519_ChaChaPoly_SHA256"
    noise = NoiseConnection.from_name(name)
    noise.set_prologue(b"earshot v2 " + network_tag(network_key).encode())
    noise.set_keypair_from_private_bytes(Keypair.STATIC, static_secret)
    if ephemeral_secret:
        noise.set_keypair_from_private_bytes(Keypair.EPHEMERAL, ephemeral_secret)
    if network_key:
        noise.set_psks(network_key)
    noise.set_as_initiator() if is_initiator else noise.set_as_responder()
    noise.start_handshake()
    return noise


def framed(content):
    """2.3: the message behind its length."""
    return struct.pack(">H", len(content)) + bytes(content)


# 2.5 Refusals


def refusal_record(reason):
    return bytes([0, 0, reason, VERSION])


def refusing_introduction(reason, clock):
    return number_field(3, reason) + number_field(4, clock)


# 2.6, 2.7 Frames

(
    HEADS, ENTRIES, RECEIPTS, PING, PONG, REKEY, CLOSE, DIAL_BACK, DIAL_BACK_RESULT, WANTED, TAKEN, UNPLACED
) = range(1, 13)
TYPING, REVOCATIONS = 20, 31


def frame(kind, content=b""):
    encoded = bytes_field(kind, content, always=True)
    return varint(len(encoded)) + encoded


def dial_back(port, nonce):
    return frame(DIAL_BACK, number_field(1, port) + fixed_field(2, nonce))


def dial_back_result(nonce, reachable):
    return frame(DIAL_BACK_RESULT, fixed_field(1, nonce) + number_field(2, int(reachable)))


def cut_frames(stream):
    """Cuts whole frames off a stream of plaintext.

    Returns each frame's kind and content, and what is left of the stream; kinds that are unknown are left out.
    """
    found = []
    while stream:
        length = shift = at = 0
        while at < len(stream):
            byte = stream[at]
            length |= (byte & 0x7F) << shift
            shift += 7
            at += 1
            require(length <= FRAME_BYTES and at <= 4, "a frame is too long")
            if byte < 0x80:
                break
        else:
            break
        if len(stream) < at + length:
            break
        content = [item for item in fields(stream[at : at + length]) if HEADS <= item[0] <= UNPLACED]
        found += content[-1:]
        stream = stream[at + length :]
    return found, stream


# 4 Logs


class Receipt:
    """4.5"""

    def __init__(self, encoded):
        values = message(encoded, log=(1, b""), sequence=(2, 0), chain=(3, b""), read=(4, 0), signature=(5, b""), handled=(7, 0))
        self.encoded = encoded
        self.log_id, self.chain, self.signature = values["log"], values["chain"], values["signature"]
        self.sequence, self.read, self.handled = values["sequence"], values["read"], values["handled"]
        require(
            len(self.log_id) == len(self.chain) == 32 and len(self.signature) == 64
            and max(self.read, self.handled) <= self.sequence < 1 << 63, "a receipt is malformed")

    @staticmethod
    def sign(key, log_id, sequence, chain, read, handled=0):
        signature = key.sign("earshot receipt v1", *Receipt.parts(log_id, sequence, chain, read, handled))
        return Receipt(
            bytes_field(1, log_id) + number_field(2, sequence) + bytes_field(3, chain) + number_field(4, read)
            + bytes_field(5, signature) + number_field(7, handled))

    @staticmethod
    def parts(log_id, sequence, chain, read, handled):
        """3.5"""
        return log_id, u64(sequence), chain, u64(read), *([u64(handled)] if handled else [])

    def is_signed_by(self, device_id):
        parts = Receipt.parts(self.log_id, self.sequence, self.chain, self.read, self.handled)
        return holds(device_id, self.signature, "earshot receipt v1", *parts)


def place(sequence, chain):
    return number_field(1, sequence) + bytes_field(2, chain)


def read_place(encoded):
    values = message(encoded, sequence=(1, 0), chain=(2, b""))
    require(len(values["chain"]) == 32 and values["sequence"] < 1 << 63, "a place is malformed")
    return values["sequence"], values["chain"]


def head(log):
    """5.1: the end of a log, or of a branch of it."""
    return (
        bytes_field(1, log.device_id) + fixed_field(2, log.epoch) + number_field(4, log.sequence)
        + bytes_field(5, log.chain[-1]))


def read_head(encoded):
    """The device, the epoch, and the place."""
    values = message(encoded, device=(1, b""), epoch=(2, 0), kind=(3, 0), sequence=(4, 0), chain=(5, b""))
    require(
        len(values["device"]) == len(values["chain"]) == 32 and 1 <= values["sequence"] < 1 << 63
        and values["kind"] == 0, "a head is malformed")
    return values["device"], values["epoch"], (values["sequence"], values["chain"])


def heads(conversation_id, logs, complete=True):
    content = b"".join(bytes_field(2, head(log)) for log in logs)
    return frame(HEADS, bytes_field(1, conversation_id) + content + number_field(3, int(complete)))


# 5.5 Asking


def wanted(log, end, known):
    """`end` and `known` are pairs of a number and a chain hash."""
    content = bytes_field(1, log.description) + bytes_field(2, place(*end))
    return frame(WANTED, content + b"".join(bytes_field(3, place(*item), always=True) for item in known))


def taken(log, end):
    return frame(TAKEN, bytes_field(1, log.log_id) + bytes_field(2, place(*end)))


def unplaced(log):
    return frame(UNPLACED, bytes_field(1, log.description))


def typing(conversation_id, ended=False):
    return frame(TYPING, bytes_field(1, conversation_id) + number_field(2, int(ended)))


def receipts(items):
    return frame(RECEIPTS, b"".join(bytes_field(1, item.encoded) for item in items))


def entry_body(timestamp, expiry, text, headers=(), salt=None):
    """`salt` makes the salt of a body that has none yet; by default it is drawn at random."""
    content = bytes_field(1, text.encode())
    for name, value in headers:
        pair = bytes_field(1, name.encode(), always=True) + bytes_field(2, value.encode(), always=True)
        content += bytes_field(2, pair)
    body = fixed_field(1, timestamp) + fixed_field(2, expiry) + bytes_field(3, content)
    return body + bytes_field(5, salt(body) if salt else os.urandom(16))


def branches_body(timestamp, conversation_id, logs, salt=None):
    """4.6: what an epoch begins with that follows others."""
    content = bytes_field(1, conversation_id) + b"".join(bytes_field(2, head(log)) for log in logs)
    return lasting_body(timestamp, 6, content, salt)


def lasting_body(timestamp, field, content=b"", salt=None):
    """An entry that is no message, and does not expire. `field` is its content's number, from 6."""
    body, said = fixed_field(1, timestamp) + fixed_field(2, (1 << 63) - 1), bytes_field(field, content, always=True)
    return body + bytes_field(5, salt(body + said) if salt else os.urandom(16)) + said


# 4.8 What control entries, and answers to them, say

VERSION_ENTRY, JOIN, LEAVE, CREATED, ADD, REMOVE, UPDATE, PASS, HAND_OVER, CLOSED, BEGIN = 7, 8, 9, *range(20, 28)


def log_place(log_id, sequence, chain):
    return bytes_field(1, log_id) + number_field(2, sequence) + bytes_field(3, chain)


def primary_proof(identity, device_id, conversation_id):
    return identity.sign("earshot primary v2", conversation_id, device_id)


def attributes(friendly_name, custom, counter):
    return bytes_field(1, friendly_name.encode()) + bytes_field(2, custom.encode()) + number_field(3, counter)


def created(creator_id, salt, unique_name, attributes, gives_history, proof):
    return (
        bytes_field(1, creator_id) + bytes_field(2, salt) + bytes_field(3, unique_name.encode())
        + bytes_field(4, attributes) + number_field(5, gives_history) + bytes_field(7, proof))


def add(user_id, returns_after=b""):
    return bytes_field(1, user_id) + bytes_field(2, returns_after)


def remove(user_id, cuts, reason):
    return bytes_field(1, user_id) + b"".join(bytes_field(2, cut) for cut in cuts) + number_field(3, reason)


def takeover(term, follows, heads, unique_name, attributes, members, proof):
    """`members` are pairs of a user and the addition that they answer."""
    listed = b"".join(bytes_field(3, add(*member)) for member in members)
    state = bytes_field(1, unique_name.encode()) + bytes_field(2, attributes) + listed
    return (
        number_field(1, term) + bytes_field(2, follows) + number_field(3, 3)
        + b"".join(bytes_field(4, head) for head in heads) + bytes_field(5, state) + bytes_field(6, proof))


def profile_body(timestamp, counter, friendly_name, attributes, picture, commands, salt=None):
    """4.9: what a user says of themselves. `commands` are names, summaries and usages; nothing for a person."""
    texts = (b"".join(bytes_field(number + 1, text.encode()) for number, text in enumerate(command)) for command in commands)
    bot = b"".join(bytes_field(1, command, always=True) for command in texts)
    content = (bytes_field(1, friendly_name.encode()) + bytes_field(2, attributes.encode()) + bytes_field(3, picture)
               + number_field(4, counter) + (bytes_field(5, bot, always=True) if commands else b""))
    body = fixed_field(1, timestamp) + fixed_field(2, (1 << 63) - 1)
    profile = bytes_field(50, content, always=True)
    return body + bytes_field(5, salt(body + profile) if salt else os.urandom(16)) + profile


# 11.4, 11.5 What a user decides and erases, and the end of a device

CUT, DECISION, ERASURE = 13, 40, 41


def decision(identity, log_device, user_id, name, verdict, counter):
    """11.5: what a user has decided about another, in a log of one of their devices."""
    said = bytes_field(1, user_id) + bytes_field(2, name.encode()) + number_field(3, verdict) + number_field(4, counter)
    proof = identity.sign(
        "earshot decision v2", log_device, user_id, u64(verdict), u64(counter), name.encode())
    return said + bytes_field(5, proof)


def cut(identity, conversation_id, device_id, ends):
    """11.5: up to where the logs of a revoked device count. `ends` are log ids, numbers and chain hashes."""
    signed_ends = [part for log_id, sequence, chain in ends for part in (log_id, u64(sequence), chain)]
    proof = identity.sign("earshot cut v2", conversation_id, device_id, *signed_ends)
    places = b"".join(bytes_field(2, log_place(*end)) for end in ends)
    return bytes_field(1, device_id) + places + bytes_field(3, proof)


def erasure(runs):
    """11.5: what a user has erased: places, each with how many entries end there."""
    return b"".join(bytes_field(1, bytes_field(1, log_place(*last)) + number_field(2, count)) for last, count in runs)


def revocations(identity, user_id, device_ids):
    """11.4"""
    return frame(REVOCATIONS, b"".join(
        bytes_field(1, bytes_field(1, user_id) + bytes_field(2, device_id)
                    + bytes_field(3, identity.sign("earshot revocation v2", device_id)))
        for device_id in device_ids))


def withheld_entry(key, log_id, sequence, digest):
    """4.3: the hash of an entry, with its author's word that nothing more will come."""
    return bytes_field(2, digest) + bytes_field(4, key.sign("earshot withheld v2", log_id, u64(sequence), digest))


def deleted_entry(digest, timestamp):
    """5.6: the hash of an entry whose content the sender had, and has deleted."""
    return bytes_field(2, digest) + fixed_field(3, timestamp)


class Log:
    """A log as one side holds it, or one branch of it from the log's beginning on."""

    def __init__(self, conversation_id, device_id, epoch):
        self.conversation_id, self.device_id, self.epoch = conversation_id, device_id, epoch
        self.log_id = log_id(conversation_id, device_id, epoch)
        self.chain = [self.log_id]
        self.contents = []
        self.timestamps = [0]
        self.checkpoints = {}

    @staticmethod
    def of(description):
        values = message(description, conversation=(1, b""), device=(2, b""), epoch=(3, 0), kind=(4, 0))
        require(values["kind"] == 0, "a log of an unknown kind")
        return Log(values["conversation"], values["device"], values["epoch"])

    @property
    def description(self):
        return bytes_field(1, self.conversation_id) + bytes_field(2, self.device_id) + fixed_field(3, self.epoch)

    @property
    def sequence(self):
        return len(self.contents)

    @property
    def timestamp(self):
        return self.timestamps[-1]

    @property
    def end(self):
        return self.sequence, self.chain[-1]

    def holds(self, sequence, chain):
        return sequence <= self.sequence and self.chain[sequence] == chain

    def cut(self, sequence):
        """The same log up to an entry."""
        log = Log(self.conversation_id, self.device_id, self.epoch)
        log.chain, log.contents = self.chain[: sequence + 1], self.contents[:sequence]
        log.timestamps = self.timestamps[: sequence + 1]
        log.checkpoints = {number: value for number, value in self.checkpoints.items() if number <= sequence}
        return log

    def append(self, content, given_back=False):
        """Adds an entry: a body, or a hash in the place of a withheld one. Returns its text, if it has one.

        `content` is the encoded `Entry`. One that its author gets back needs no mark.
        """
        values = message(content, body=(1, b""), hash=(2, b""), deleted=(3, 0), mark=(4, b""))
        text = None
        if values["body"]:
            body = message(values["body"], timestamp=(1, 0), expiry=(2, 0), text=(3, b""))
            require(self.timestamp < body["timestamp"] < 1 << 63, "an entry is not later than the one before it")
            timestamp = body["timestamp"]
            if body["text"]:
                text = message(body["text"], text=(1, b""))["text"].decode("utf-8")
        else:
            require(len(values["hash"]) == 32, "an entry has neither a body nor a hash")
            parts = self.log_id, u64(self.sequence + 1), values["hash"]
            require(
                given_back or holds(self.device_id, values["mark"], "earshot withheld v2", *parts),
                "a withheld entry has no mark that holds")
            timestamp = max(self.timestamp + 1, values["deleted"] if given_back else 0)
        self.contents.append(content)
        self.chain.append(chain_hash(self.chain[-1], content_hash(content)))
        self.timestamps.append(timestamp)
        return text

    def entries(self, first, key):
        """An `Entries` frame with all from `first` on, signed by their author."""
        return self.run(first, self.sequence, self.sign(self.sequence, key))

    def sign(self, sequence, key):
        return key.sign("earshot checkpoint v1", self.log_id, u64(sequence), self.chain[sequence])

    def run(self, first, last, checkpoint):
        content = bytes_field(1, self.description) + number_field(2, first)
        content += b"".join(bytes_field(3, entry) for entry in self.contents[first - 1 : last])
        return frame(ENTRIES, content + bytes_field(4, checkpoint) + bytes_field(5, self.chain[first - 1]))

    def given(self, first, last):
        """5.5: `Entries` frames with entries of somebody else, each up to one with a checkpoint."""
        for end in sorted(self.checkpoints):
            if first <= end <= last:
                yield self.run(first, end, self.checkpoints[end])
                first = end + 1

    def is_proved_by(self, checkpoint):
        parts = self.log_id, u64(self.sequence), self.chain[-1]
        return holds(self.device_id, checkpoint, "earshot checkpoint v1", *parts)


def content_hash(content):
    values = message(content, body=(1, b""), hash=(2, b""))
    return entry_hash(values["body"]) if values["body"] else values["hash"]


def take(branches, run, given_back=False):
    """5.2: takes an `Entries` frame into the branches of its log, the list `branches`.

    Returns the branch that it belongs to, and the texts of its new entries.
    """
    values = message(run, log=(1, b""), first=(2, 0), checkpoint=(4, b""), previous=(5, b""))
    entries = repeated(run, 3)
    require(entries and 1 <= values["first"] <= (1 << 63) - 1 - len(entries), "a run has no place in a log")
    if not branches:
        branches.append(Log.of(values["log"]))
    found, known = None, -1
    for branch in branches:
        if branch.holds(values["first"] - 1, values["previous"]):
            count = 0
            while count < len(entries) and values["first"] + count <= branch.sequence:
                at = values["first"] + count
                if chain_hash(branch.chain[at - 1], content_hash(entries[count])) != branch.chain[at]:
                    break
                count += 1
            if count > known:
                found, known = branch, count
    require(found, "entries are missing")
    if known == len(entries):
        return found, []
    if found.sequence >= values["first"] + known:
        found = found.cut(values["first"] + known - 1)
        branches.append(found)
        require(len(branches) <= 4, "a log has more than four branches")
    texts = [found.append(entry, given_back) for entry in entries[known:]]
    require(found.is_proved_by(values["checkpoint"]), "a checkpoint does not hold")
    found.checkpoints[found.sequence] = values["checkpoint"]
    return found, texts
