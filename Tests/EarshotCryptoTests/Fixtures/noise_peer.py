"""A Noise peer on another implementation, for the tests of EarshotCrypto.

Connects to 127.0.0.1, where every message is preceded by its length: two bytes, big-endian. After the handshake it does
what the other side asks, one request a message:

    echo:TEXT        answers TEXT
    rekey-inbound    rekeys what it receives from now on, and answers "done"
    rekey-outbound   rekeys what it sends from now on, and answers "done" under the new key
    report           answers with JSON: the handshake's hash, the other side's static key, the payloads it read
    quit             ends
"""

import argparse
import json
import socket
import struct

from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from noise.connection import Keypair, NoiseConnection

TIMEOUT_SECONDS = 30


def receive_exactly(stream, count):
    data = b""
    while len(data) < count:
        part = stream.recv(count - len(data))
        if not part:
            raise ConnectionError("the other side closed the connection")
        data += part
    return data


def receive(stream):
    (length,) = struct.unpack(">H", receive_exactly(stream, 2))
    return receive_exactly(stream, length)


def send(stream, message):
    stream.sendall(struct.pack(">H", len(message)) + bytes(message))


def shake_hands(stream, noise, role):
    """Returns the payloads that the other side sent, and its static public key."""
    payloads = []
    remote_static = None
    writes = role == "initiator"
    for index in range(3):
        # The library drops its handshake state after the last message, so the state is kept here.
        state = noise.noise_protocol.handshake_state
        if writes:
            send(stream, noise.write_message(b"peer payload %d" % index))
        else:
            payloads.append(bytes(noise.read_message(receive(stream))).hex())
        if hasattr(state.rs, "public"):
            remote_static = state.rs.public.public_bytes(Encoding.Raw, PublicFormat.Raw).hex()
        writes = not writes
    return payloads, remote_static


def serve(stream, noise, report):
    while True:
        request = noise.decrypt(receive(stream))
        if request == b"quit":
            return
        if request.startswith(b"echo:"):
            answer = request[len(b"echo:"):]
        elif request == b"rekey-inbound":
            noise.rekey_inbound_cipher()
            answer = b"done"
        elif request == b"rekey-outbound":
            noise.rekey_outbound_cipher()
            answer = b"done"
        elif request == b"report":
            answer = json.dumps(report).encode()
        else:
            raise ValueError("unknown request: %r" % request)
        send(stream, noise.encrypt(answer))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=["initiator", "responder"], required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--protocol", required=True, help="the Noise protocol name")
    parser.add_argument("--static", type=bytes.fromhex, required=True)
    parser.add_argument("--prologue", type=bytes.fromhex, required=True)
    parser.add_argument("--psk", type=bytes.fromhex)
    arguments = parser.parse_args()

    noise = NoiseConnection.from_name(arguments.protocol.encode())
    noise.set_prologue(arguments.prologue)
    noise.set_keypair_from_private_bytes(Keypair.STATIC, arguments.static)
    if arguments.psk:
        noise.set_psks(arguments.psk)
    if arguments.role == "initiator":
        noise.set_as_initiator()
    else:
        noise.set_as_responder()
    noise.start_handshake()

    with socket.create_connection(("127.0.0.1", arguments.port), timeout=TIMEOUT_SECONDS) as stream:
        payloads, remote_static = shake_hands(stream, noise, arguments.role)
        report = {
            "handshakeHash": noise.get_handshake_hash().hex(),
            "remoteStaticKey": remote_static,
            "payloads": payloads,
        }
        serve(stream, noise, report)


if __name__ == "__main__":
    main()
