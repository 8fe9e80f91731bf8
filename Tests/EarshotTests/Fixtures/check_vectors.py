"""Computes the test vectors of docs/vectors.json with the Python peer's code, and tells which of them differ."""

import hashlib
import json
import sys

import earshot_protocol as earshot
from earshot_protocol import Credential, Log, Receipt, SigningKey


def check(section, computed, published):
    wrong = [name for name, value in computed.items() if published[section][name] != value]
    for name in wrong:
        print("%s.%s is %s, not %s" % (section, name, computed[name], published[section][name]))
    return len(computed), len(wrong)


def secret(values, name):
    return bytes.fromhex(values[name])


def credential(values):
    identity, signing = SigningKey(secret(values, "identitySecret")), SigningKey(secret(values, "signingSecret"))
    agreement = earshot.agreement_public_key(secret(values, "agreementSecret"))
    return Credential.issue(
        values["name"], identity, signing, agreement, int(values["notBefore"]), int(values["notAfter"]))


def identity(values):
    found = credential(values)
    text = earshot.base32(found.user_id)
    return {
        "userID": found.user_id.hex(),
        "userIDText": text,
        "fingerprint": " ".join(text[at : at + 4] for at in range(0, 20, 4)),
        "deviceID": found.device_id.hex(),
        "agreementKey": found.agreement_key.hex(),
        "credential": found.encoded.hex(),
    }


def safety_number(published):
    users = {name: credential(published[name]).user_id for name in ("alice", "bob")}
    hashes = {name: earshot.safety_hash(user_id) for name, user_id in users.items()}
    return {
        "aliceHash": hashes["alice"].hex(),
        "aliceDigits": earshot.safety_digits(hashes["alice"]),
        "bobHash": hashes["bob"].hex(),
        "bobDigits": earshot.safety_digits(hashes["bob"]),
        "number": earshot.safety_number(users["bob"], users["alice"]),
    }


def node_salt(seed):
    """4.2: how Earshot's nodes salt a body."""
    key = earshot.H("earshot salt v2", seed)
    return lambda body: hashlib.blake2b(body[9:], digest_size=16, key=key).digest()


def log(published):
    """Returns the values of the section, and the log."""
    alice, bob, values = credential(published["alice"]), credential(published["bob"]), published["log"]
    found = Log(earshot.direct_conversation(alice.user_id, bob.user_id), alice.device_id, int(values["epoch"]))
    signing = [SigningKey(secret(published[name], "signingSecret")) for name in ("alice", "bob")]
    salt = node_salt(secret(published["alice"], "signingSecret"))
    bodies = [
        earshot.entry_body(1_700_000_000_001 << 16 | 2, 1_702_592_000_001, "Hello, Bob", [("client", "vectors")], salt),
        earshot.entry_body(1_700_000_000_005 << 16, 1_702_592_000_005, "never mind", salt=salt),
    ]
    hashes = [earshot.entry_hash(body) for body in bodies]
    found.append(earshot.bytes_field(1, bodies[0]))
    found.append(earshot.withheld_entry(signing[0], found.log_id, 2, hashes[1]))
    checkpoint = signing[0].sign("earshot checkpoint v1", found.log_id, earshot.u64(2), found.chain[2])
    receipt = Receipt.sign(signing[1], found.log_id, 2, found.chain[2], 1)
    handled = Receipt.sign(signing[1], found.log_id, 2, found.chain[2], 1, 2)
    return {
        "conversationID": found.conversation_id.hex(),
        "logID": found.log_id.hex(),
        "messageID1": earshot.base32(found.log_id) + "-1",
        "body1": bodies[0].hex(),
        "body2": bodies[1].hex(),
        "mark2": earshot.message(found.contents[1], mark=(4, b""))["mark"].hex(),
        "entryHash1": hashes[0].hex(),
        "entryHash2": hashes[1].hex(),
        "chain1": found.chain[1].hex(),
        "chain2": found.chain[2].hex(),
        "checkpoint2": checkpoint.hex(),
        "receiptSignature": receipt.signature.hex(),
        "receiptsFrame": without_length(earshot.receipts([receipt])).hex(),
        "handledFrame": without_length(earshot.receipts([handled])).hex(),
        "headsFrame": without_length(earshot.heads(found.conversation_id, [found])).hex(),
        "entriesFrame": without_length(found.entries(1, signing[0])).hex(),
        "profileBody": earshot.profile_body(
            1_700_000_000_006 << 16, 7, "Alice", '{"floor":2}', bytes([1, 2, 3]),
            [("greet", "Greets.", "/greet WHOM")], salt).hex(),
    }, found


def frames(values, log):
    port, nonce = int(values["port"]), int(values["nonce"])
    return {
        "dialBack": without_length(earshot.dial_back(port, nonce)).hex(),
        "dialBackResult": without_length(earshot.dial_back_result(nonce, True)).hex(),
        "noHeads": without_length(earshot.heads(log.conversation_id, [])).hex(),
        "unplaced": without_length(earshot.unplaced(log)).hex(),
        "takenNothing": without_length(earshot.taken(log, (0, log.log_id))).hex(),
        "typing": without_length(earshot.typing(log.conversation_id)).hex(),
        "typingEnded": without_length(earshot.typing(log.conversation_id, ended=True)).hex(),
    }


def refusals(published):
    clock = int(published["alice"]["clock"])
    return {
        "version": earshot.refusal_record(4).hex(),
        "network": earshot.refusal_record(5).hex(),
        "introduction": earshot.refusing_introduction(10, clock).hex(),
        "close": without_length(earshot.frame(earshot.CLOSE, earshot.number_field(1, 10))).hex(),
    }


def branches(published, log):
    """4.6, 5.5, 5.6: a log that parts, and the epoch after it."""
    seeds = [secret(published[name], "signingSecret") for name in ("alice", "bob")]
    alice, bob = (SigningKey(seed) for seed in seeds)
    salt = node_salt(seeds[0])
    other = log.cut(1)
    body = earshot.entry_body(1_700_000_000_009 << 16, 1_702_592_000_009, "another second", salt=salt)
    other.append(earshot.bytes_field(1, body))
    branch = earshot.branch_id(log.log_id, 2, other.chain[2])
    deleted = log.cut(1)
    digest = earshot.content_hash(log.contents[1])
    deleted.append(earshot.deleted_entry(digest, 1_700_000_000_005 << 16), given_back=True)
    following = Log(log.conversation_id, log.device_id, int(published["branches"]["nextEpoch"]))
    first = earshot.branches_body(1_700_000_000_010 << 16, log.conversation_id, [other, log], salt)
    following.append(earshot.bytes_field(1, first))
    receipt = Receipt.sign(bob, log.log_id, 2, other.chain[2], 0)
    places = [(number, log.chain[number]) for number in (0, 1)]
    return {
        "body2": body.hex(),
        "chain2": other.chain[2].hex(),
        "branchID": branch.hex(),
        "messageID2": earshot.base32(branch) + "-2",
        "branchFrame": without_length(other.entries(2, alice)).hex(),
        "receiptsFrame": without_length(earshot.receipts([receipt])).hex(),
        "headsFrame": without_length(earshot.heads(log.conversation_id, [other, log])).hex(),
        "wantedByEnds": without_length(earshot.wanted(log, log.end, [other.end])).hex(),
        "unplaced": without_length(earshot.unplaced(log)).hex(),
        "wantedByPlaces": without_length(earshot.wanted(log, log.end, places + [other.end])).hex(),
        "deletedFrame": without_length(deleted.entries(2, alice)).hex(),
        "taken": without_length(earshot.taken(log, log.end)).hex(),
        "nextLogID": following.log_id.hex(),
        "nextBody1": first.hex(),
        "nextFrame": without_length(following.entries(1, alice)).hex(),
    }


def conversations(published):
    """4.8: the ids of conversations of many, and what is said of who belongs to them."""
    alice, bob, values = credential(published["alice"]), credential(published["bob"]), published["conversations"]
    identity, seed = SigningKey(secret(published["alice"], "identitySecret")), secret(published["alice"], "signingSecret")
    node, start = node_salt(seed), int(values["start"])
    drawn, name = secret(values, "salt"), values["uniqueName"]
    conversation = earshot.private_conversation(alice.user_id, drawn)
    control = earshot.control_log_id(conversation, alice.device_id, int(values["epoch"]))
    proof = earshot.primary_proof(identity, alice.device_id, conversation)
    first, second = earshot.attributes("The crew", '{"a":1}', 0), earshot.attributes("Crew", "", 1)

    def body(number, field, content=b""):
        return earshot.lasting_body(start + number << 16, field, content, node)

    found = {
        "created": body(0, earshot.CREATED, earshot.created(alice.user_id, drawn, name, first, True, proof)),
        "add": body(1, earshot.ADD, earshot.add(bob.user_id)),
    }
    chain, places = control, []
    for number, said in enumerate(found.values(), 1):
        chain = earshot.chain_hash(chain, earshot.entry_hash(said))
        places.append(earshot.log_place(control, number, chain))
    cut = earshot.log_place(*(secret(published["log"], key) if key else 1 for key in ("logID", None, "chain1")))
    restated = [(bob.user_id, places[1])]
    found.update({
        "remove": body(2, earshot.REMOVE, earshot.remove(bob.user_id, [cut], 0)),
        "removeWhoHasLeft": body(3, earshot.REMOVE, earshot.remove(bob.user_id, [], 1)),
        "addAgain": body(4, earshot.ADD, earshot.add(bob.user_id, places[1])),
        "update": body(5, earshot.UPDATE, earshot.bytes_field(1, second)),
        "pass": body(6, earshot.PASS, earshot.bytes_field(1, bob.device_id)),
        "handOver": body(7, earshot.HAND_OVER, earshot.bytes_field(1, bob.user_id)),
        "closed": body(8, earshot.CLOSED),
        "begin": body(
            9, earshot.BEGIN, earshot.takeover(2, places[1], [places[0]], name, second, restated, proof)),
        "version": body(10, earshot.VERSION_ENTRY, earshot.bytes_field(1, places[1])),
        "join": body(11, earshot.JOIN, earshot.bytes_field(1, places[1])),
        "leave": body(12, earshot.LEAVE, earshot.bytes_field(1, places[1])),
        "joinOpen": body(13, earshot.JOIN),
        "leaveOpen": body(14, earshot.LEAVE),
    })
    return {
        "openID": earshot.open_conversation(None, name).hex(),
        "openIDWithNetworkKey": earshot.open_conversation(secret(published["network"], "key"), name).hex(),
        "privateID": conversation.hex(),
        "controlLogID": control.hex(),
        "proof": proof.hex(),
        **{name: said.hex() for name, said in found.items()},
    }


def devices(published, log):
    """11: a pairing code, what a user decides and erases, and the end of a revoked device."""
    alice, bob = credential(published["alice"]), credential(published["bob"])
    identity = SigningKey(secret(published["alice"], "identitySecret"))
    node = node_salt(secret(published["alice"], "signingSecret"))
    code, end = bytes(range(1, 17)), (log.log_id, 1, log.chain[1])

    def body(field, content):
        return earshot.lasting_body(1_700_000_000_007 << 16, field, content, node).hex()

    return {
        "pairingKey": earshot.H("earshot pairing key v2", code).hex(),
        "pairingTag": earshot.H("earshot pairing tag v2", code)[:8].hex(),
        "decisionBody": body(
            earshot.DECISION, earshot.decision(identity, alice.device_id, bob.user_id, bob.name, 2, 1)),
        "cutBody": body(earshot.CUT, earshot.cut(identity, log.conversation_id, bob.device_id, [end])),
        "erasureBody": body(earshot.ERASURE, earshot.erasure([(end, 1)])),
        "revocation": without_length(earshot.revocations(identity, alice.user_id, [bob.device_id])).hex(),
    }


def without_length(frame):
    return frame[earshot.read_varint(frame, 0)[1] :]


def handshake(published, network_key, log):
    alice, bob = published["alice"], published["bob"]
    no_heads = earshot.heads(log.conversation_id, [])
    entries = log.entries(1, SigningKey(secret(alice, "signingSecret")))

    def connection(values, is_initiator):
        secrets = secret(values, "agreementSecret"), secret(values, "ephemeralSecret")
        return earshot.noise_connection(secrets[0], network_key, is_initiator, ephemeral_secret=secrets[1])

    dialling, answering = connection(alice, True), connection(bob, False)
    introductions = [
        earshot.introduction(credential(values), int(values["run"]), int(values["clock"])) for values in (alice, bob)]
    first = dialling.write_message()
    answering.read_message(first)
    second = answering.write_message(introductions[1])
    dialling.read_message(second)
    third = dialling.write_message(introductions[0])
    answering.read_message(third)

    def sealed(noise, *frames):
        return earshot.framed(noise.encrypt(b"".join(frames))).hex()

    ping, pong, rekey = (earshot.frame(kind) for kind in (earshot.PING, earshot.PONG, earshot.REKEY))
    values = {
        "prologue": (b"earshot v2 " + earshot.network_tag(network_key).encode()).hex(),
        "helloAndMessage1": (earshot.framed(earshot.hello(network_key)) + earshot.framed(first)).hex(),
        "message2": earshot.framed(second).hex(),
        "message3": earshot.framed(third).hex(),
        "initiatorHeads": sealed(dialling, no_heads),
        "responderHeads": sealed(answering, no_heads),
        "initiatorEntries": sealed(dialling, entries),
        "initiatorPingAndRekey": sealed(dialling, ping, rekey),
        "responderPongAndRekey": sealed(answering, pong, rekey),
    }
    dialling.rekey_outbound_cipher()
    goodbye = earshot.frame(earshot.CLOSE, earshot.number_field(1, 1))
    values["initiatorCloseAfterRekey"] = sealed(dialling, goodbye)
    return values


def main(file):
    with open(file, encoding="utf-8") as opened:
        published = json.load(opened)
    network_key = secret(published["network"], "key")
    log_values, alices_log = log(published)
    sections = {
        "alice": identity(published["alice"]),
        "bob": identity(published["bob"]),
        "network": {"tag": earshot.network_tag(network_key), "text": earshot.network_key_text(network_key)},
        "safetyNumber": safety_number(published),
        "frames": frames(published["frames"], alices_log),
        "refusals": refusals(published),
        "log": log_values,
        "branches": branches(published, alices_log),
        "conversations": conversations(published),
        "devices": devices(published, alices_log),
        "handshake": handshake(published, None, alices_log),
        "handshakeWithNetworkKey": handshake(published, network_key, alices_log),
    }
    results = [check(name, values, published) for name, values in sections.items()]
    print("%d values computed, %d of them differ" % tuple(map(sum, zip(*results))))
    return any(wrong for _, wrong in results)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
