import EarshotProtocol
import Foundation

/// Where the pairing of a primary device with a new one is.
public struct DevicePairing: Hashable, Sendable {
    public enum State: String, Hashable, Sendable, CaseIterable {
        /// There is none.
        case none
        /// The code waits for the new device.
        case waiting
        /// A device has shown that it has the code. This node's user decides whether it is theirs.
        case asking
        /// This node's user has accepted it; the new device's has not yet, or writes.
        case accepted
        case done
        /// It ended, and nothing was given. `reason` says why.
        case failed
    }

    public let state: State
    /// The new device, once it has shown that it has the code.
    public let deviceID: DeviceID?
    /// What the new device calls itself.
    public let deviceName: String?
    public let reason: String?

    /// What people compare: the first 100 bits of the new device's key.
    public var fingerprint: String? { deviceID.map { UserID($0.bytes32).fingerprint } }

    init(_ status: PairingStatus) {
        var (peer, reason) = (PairingPeer?.none, String?.none)
        switch status {
        case .none: state = .none
        case .waiting: state = .waiting
        case .asking(let device): (state, peer) = (.asking, device)
        case .accepted(let device): (state, peer) = (.accepted, device)
        case .done(let device): (state, peer) = (.done, device)
        case .failed(let why): (state, reason) = (.failed, why)
        }
        deviceID = peer?.deviceID
        deviceName = peer?.deviceName
        self.reason = reason
    }
}

/// Pairing with a new device. There is one pairing at a time.
extension Devices {
    /// How long a code is good for.
    public static let pairingTime = Duration.milliseconds(Timing.pairing)
    /// How long a linked device's credential is valid, unless its user chooses otherwise.
    public static let linkedLifetime = Duration.milliseconds(Timing.linkedCredentialLifetime)

    /// Offers a new code, which ends an earlier one. It is good for `pairingTime` and for one device.
    /// - Parameters:
    ///   - withIdentity: whether the new device becomes a primary one, which holds the identity's key.
    ///   - lifetime: how long the credential of a linked device is valid, at least an hour; this node renews it in time.
    /// - Throws: `EarshotError` `needsPrimary`, `passphraseNeeded` where the identity is sealed and the node was started
    ///   without its passphrase, `tooManyDevices`, `stopped`.
    public func beginPairing(
        withIdentity: Bool = false, lifetime: Duration = linkedLifetime
    ) async throws(EarshotError) -> DevicePairingCode {
        guard node.keeper.canRenew else { throw node.keeper.isLinked ? Home.needsPrimary : Home.sealedError }
        let code = PairingCode.generate()
        let terms = PairingTerms(
            isPrimary: withIdentity,
            lifetime: withIdentity
                ? Timing.credentialLifetime : max(Timing.shortestCredential, Int64(lifetime / .milliseconds(1))))
        let name = Self.hostName
        _ = try await node.shell.request { machine, requestID, now in
            machine.beginPairing(code, terms, deviceName: name, requestID: requestID, now: now)
        }
        return DevicePairingCode(code)
    }

    public var pairing: DevicePairing {
        get async { await node.shell.pairing }
    }

    /// Waits until the pairing is in another state.
    /// - Returns: where it is then, or after this time.
    package func pairing(unlike state: DevicePairing.State, within time: Duration) async -> DevicePairing {
        let (signals, end) = node.events.pairing.waiter()
        defer { end.finish() }
        let now = await pairing
        guard now.state == state else { return now }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in signals where await pairing.state != state { return } }
            // Ends early only when it is cancelled.
            group.addTask { do { try await Task.sleep(for: time) } catch {} }
            await group.next()
            group.cancelAll()
        }
        return await pairing
    }

    /// This node's user has compared the fingerprints. Without a device that asks, nothing happens.
    public func decidePairing(_ isAccepted: Bool) async {
        await node.shell.perform { machine, now in machine.decidePairing(isAccepted, now: now) }
    }

    /// Ends the pairing, if there is one.
    public func endPairing() async { await node.shell.perform { machine, now in machine.endPairing(now: now) } }

    /// What a device is called that its user has not named.
    package static var hostName: String {
        String(ProcessInfo.processInfo.hostName.prefix { $0 != "." }.prefix(Limits.nameBytes / 4))
    }
}

extension NodeShell {
    fileprivate var pairing: DevicePairing { DevicePairing(machine.pairingStatus) }
}
