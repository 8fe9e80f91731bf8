package import EarshotModel

/// The pairing of this node's user with a new device of theirs, on the port of the links.
extension NodeMachine {
    package var pairingStatus: PairingStatus { pairing.status }

    /// Offers a pairing code, which ends an earlier one.
    /// - Parameter deviceName: what this device is called from now on, unless it has a name.
    /// - Throws: `ProtocolError` `needsPrimary`, `tooManyDevices`.
    package mutating func beginPairing(
        _ code: PairingCode, _ terms: PairingTerms, deviceName: String, requestID: RequestID, now: Moment
    ) -> [NodeAction] {
        handle(requestID, now: now) { node throws(ProtocolError) in
            let local = node.local.link.credential
            guard local.isPrimary else {
                throw ProtocolError(.needsPrimary, "only a device that holds the identity can add another")
            }
            guard node.devices.hasRoom else {
                throw ProtocolError(.tooManyDevices, "a user has at most \(Limits.ownDevices) devices")
            }
            if node.devices.own[local.deviceID]?.name.text.isEmpty != false {
                node.run(try node.devices.rename(local.deviceID, to: deviceName, now: now), now: now)
            }
            let name = node.devices.own[local.deviceID]?.name.text ?? ""
            node.run(node.pairing.begin(code, terms, deviceName: name, now: now.uptime), now: now)
            node.wake(by: node.pairing.deadline)
            node.replication.answer(requestID, .deviceChanged(local.deviceID))
        }
    }

    /// The user of this node has compared the fingerprints.
    package mutating func decidePairing(_ isAccepted: Bool, now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.pairing.decide(isAccepted, now: now, local: $0.local.link.credential), now: now) }
    }

    package mutating func endPairing(now: Moment) -> [NodeAction] {
        handle(now: now) { $0.run($0.pairing.cancel(), now: now) }
    }

    /// Somebody who connected wants to pair, and no link.
    mutating func beginPairing(
        on connectionID: ConnectionID, tag: [UInt8], input: MessageBuffer, now: Moment
    ) {
        guard peers.handOver(connectionID) else { return }
        run(
            pairing.connected(
                connectionID, tag: tag, input: input, staticKey: local.link.agreementKey,
                ephemeralKey: { peers.drawKey() }, now: now.uptime), now: now)
        if pairing.owns(connectionID) { receivedForPairing([], on: connectionID, now: now) }
    }

    mutating func receivedForPairing(_ bytes: [UInt8], on connectionID: ConnectionID, now: Moment) {
        run(pairing.received(bytes, on: connectionID, local: local.link.credential, now: now), now: now)
    }

    mutating func tickPairing(now: Moment) {
        run(pairing.tick(now: now.uptime), now: now)
        wake(by: pairing.deadline)
    }

    mutating func run(_ output: [PairingHost.Action], now: Moment) {
        for action in output {
            switch action {
            case .write(let connectionID, let bytes): emit(.write(connectionID, bytes))
            case .disconnect(let connectionID): emit(.disconnect(connectionID))
            case .issue(let request, let withIdentity): emit(.device(.issue(request, withIdentity: withIdentity)))
            case .paired(let credential, let name):
                run(devices.met(credential, at: nil, now: now), now: now)
                if let name = DeviceName(name, givenAt: now.wallClock), !name.text.isEmpty {
                    run(devices.received([credential.deviceID: name], except: nil), now: now)
                }
            case .changed: emit(.device(.pairingChanged))
            }
        }
    }
}
