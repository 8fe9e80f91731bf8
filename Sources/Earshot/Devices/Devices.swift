import EarshotProtocol
import Logging

/// The devices of a node's own user.
///
/// A primary device holds the user's identity key. It vouches for linked devices, which hold only keys of their own, and
/// renews their credentials over its links to them.
public struct Devices: Sendable {
    let node: Node

    /// This device first, then the others that this one knows, ordered by name.
    public var all: [UserDevice] {
        get async { await node.shell.devices.sorted { $0.order < $1.order } }
    }

    /// A shorter text is not taken for the beginning of an id.
    public static let shortestPrefix = 4

    /// Finds the one device that a text names: a name, an id, or the beginning of one.
    /// - Throws: `EarshotError` `unknownDevice`, also where several fit.
    public func named(_ text: String) async throws(EarshotError) -> UserDevice {
        let all = await self.all
        let isPrefix = text.count >= Self.shortestPrefix
        let matches = all.filter { device in
            device.name == text || isPrefix && device.deviceID.description.hasPrefix(text.lowercased())
        }
        guard let match = matches.first, matches.count == 1 else {
            let what = matches.isEmpty ? "no device" : "\(matches.count) devices"
            throw EarshotError(
                .unknownDevice, "this user has \(what) called \(text)",
                .init(name: text, suggestions: matches.map { String($0.deviceID.description.prefix(8)) }))
        }
        return match
    }

    /// Calls a device by another name, on all devices of the user as soon as they are linked.
    /// - Parameters:
    ///   - deviceID: one of the user's devices.
    ///   - name: at most `Limits.nameBytes` of UTF-8, on one line; empty to take the name away.
    /// - Throws: `EarshotError` `unknownDevice`, `invalidName`, `storeFull`, `storeUnavailable`, `stopped`.
    public func rename(_ deviceID: DeviceID, to name: String) async throws(EarshotError) {
        do {
            _ = try await node.shell.request { machine, requestID, now in
                machine.rename(deviceID, to: name, requestID: requestID, now: now)
            }
        } catch {
            guard error.code == .invalidMessage else { throw error }
            throw EarshotError(.invalidName, error.message, .init(name: name), cause: error)
        }
    }

    /// Revokes a device for good. Every device that hears of it refuses the revoked one from then on.
    ///
    /// About groups about which it decided for this user this device decides from then on. What the device has written that this
    /// one does not hold by now counts for nobody who hears of it. Who has not
    /// heard of it yet still links to the device until its credential ends.
    /// - Throws: `EarshotError` `needsPrimary` on a linked device, `passphraseNeeded` where the identity is sealed and the
    ///   node was started without its passphrase; `unknownDevice`, also for this device itself; `tooManyDevices` where as many
    ///   are revoked as others remember; `storeFull`, `storeUnavailable`, `stopped`.
    public func revoke(_ deviceID: DeviceID) async throws(EarshotError) {
        guard !node.keeper.isLinked else { throw Home.needsPrimary }
        guard deviceID != node.deviceID else {
            throw EarshotError(.unknownDevice, "a device does not revoke itself: use another primary device")
        }
        let keeper = node.keeper
        let ends = await node.shell.ends(of: deviceID)
        let (revocation, cuts) = try await LongWork.run { () throws(EarshotError) in
            (try keeper.revocation(of: deviceID), try keeper.cuts(of: deviceID, after: ends))
        }
        _ = try await node.shell.request { machine, requestID, now in
            machine.revoke(revocation, cuts: cuts, requestID: requestID, now: now)
        }
        // Groups about which the revoked device decided go on: what fails now is done with the next decision.
        for record in await node.shell.conversationsOfMany {
            let conversation = Conversation(record, node: node)
            do throws(EarshotError) { try await conversation.takeOver() } catch {
                node.configuration.logger.warning(
                    "a group that a revoked device decided about was not taken over yet",
                    metadata: ["conversation": "\(conversation.conversationID)", "error": "\(error)"])
            }
        }
    }
}

/// A device of a node's own user, as the node knows it.
public struct UserDevice: Hashable, Sendable {
    public let deviceID: DeviceID
    /// What the user calls it; empty for a device without a name.
    public let name: String
    /// Whether it holds the identity key, as its credential proves.
    public let isPrimary: Bool
    /// Whether it is the device that this node runs on.
    public let isThisDevice: Bool
    /// Whether there is a link to it now.
    public let isOnline: Bool
    public let isRevoked: Bool
    /// When the credential ends that it showed last, in milliseconds since 1970.
    package let credentialEnd: Int64?
    /// When it was linked last, in milliseconds since 1970; `nil` for this device.
    package let lastSeen: Int64?

    /// What people compare: the first 100 bits of the device's key.
    public var fingerprint: String { UserID(deviceID.bytes32).fingerprint }

    fileprivate var order: (Int, String, DeviceID) { (isThisDevice ? 0 : 1, name, deviceID) }
}

extension NodeShell {
    func needsTakeover(_ conversationID: ConversationID) -> Bool { machine.needsTakeover(conversationID) }

    func ends(of deviceID: DeviceID) -> [ConversationID: [LogPlace]] { machine.ends(of: deviceID) }

    /// In no order.
    var devices: [UserDevice] {
        let local = machine.localCredential
        let online = Set(machine.establishedLinks.map(\.peer.deviceID))
        let others = machine.ownDevices.filter { $0.deviceID != local.deviceID }
        let name = machine.ownDevices.first { $0.deviceID == local.deviceID }?.name.text ?? ""
        return [
            UserDevice(
                deviceID: local.deviceID, name: name, isPrimary: local.isPrimary, isThisDevice: true, isOnline: true,
                isRevoked: machine.isRevoked(local.deviceID, of: local.userID), credentialEnd: local.notAfter,
                lastSeen: nil)
        ]
            + others.map { record in
                let credential = record.shownCredential
                return UserDevice(
                    deviceID: record.deviceID, name: record.name.text, isPrimary: credential?.isPrimary == true,
                    isThisDevice: false, isOnline: online.contains(record.deviceID),
                    isRevoked: machine.isRevoked(record.deviceID, of: local.userID),
                    credentialEnd: credential?.notAfter, lastSeen: record.lastSeen)
            }
    }
}

extension OwnDeviceRecord {
    /// `nil` for one that was damaged on the disk.
    fileprivate var shownCredential: Credential? {
        do { return try Credential(decoding: credential) } catch { return nil }
    }
}
