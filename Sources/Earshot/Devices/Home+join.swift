import EarshotCrypto
import EarshotDiscovery
import EarshotProtocol
import NIOCore
import NIOPosix
import Synchronization

/// What the user of a new device compares before it takes anything.
public struct JoinOffer: Hashable, Sendable {
    /// The user whose device this becomes.
    public let userID: UserID
    public let name: UserName
    /// What the primary device at the other end is called.
    public let deviceName: String
    /// This device's key, of which the other end shows the same fingerprint.
    public let ownFingerprint: String
    /// Whether this becomes a primary device, which holds the identity's key.
    public let isPrimary: Bool
}

extension Home {
    /// Makes this home a device of the user whose primary device shows a pairing code.
    /// - Parameters:
    ///   - code: what `Devices.add` gave on the primary device.
    ///   - address: where the primary device's node is; without one it is looked for with DNS-SD.
    ///   - deviceName: what this device is called at first.
    ///   - passphrase: seals the identity, if this device gets that.
    ///   - interfaces: where to look for it.
    ///   - patience: how long to look for the node.
    ///   - confirm: asks this device's user. Nothing is taken before it says yes.
    /// - Returns: what was confirmed.
    /// - Throws: `EarshotError` `alreadyInitialized`, `looseHome`, `unusableHome`, `pairingNotFound`, `pairingFailed`.
    public func join(
        _ code: DevicePairingCode, at address: PeerAddress? = nil, deviceName: String? = nil,
        passphrase: Passphrase? = nil, interfaces: DiscoveryConfiguration = DiscoveryConfiguration(),
        patience: Duration = .seconds(60), confirm: @escaping @Sendable (JoinOffer) async -> Bool
    ) async throws(EarshotError) -> JoinOffer {
        try prepareDirectory()
        try checkIsEmpty()
        let joining = Joining(
            home: self, code: code.code, deviceName: deviceName ?? Devices.hostName, passphrase: passphrase,
            confirm: confirm)
        if let address { return try await joining.join(at: address, patience: patience) }
        return try await joining.search(interfaces, patience: patience)
    }
}

/// A new device that looks for the node with its code, and pairs with it.
private final class Joining: Sendable {
    private let home: Home
    private let code: PairingCode
    private let keys = DeviceKeys(signing: .generate(), agreement: .generate())
    private let deviceName: String
    private let passphrase: Passphrase?
    private let confirm: @Sendable (JoinOffer) async -> Bool
    /// Whether a node has shown that it has the code. From then on its user's time counts, and not the search's.
    private let isProved = Atomic(false)

    /// How long a connection may take.
    private static let connectTimeout = TimeAmount.seconds(3)

    init(
        home: Home, code: PairingCode, deviceName: String, passphrase: Passphrase?,
        confirm: @escaping @Sendable (JoinOffer) async -> Bool
    ) {
        self.home = home
        self.code = code
        self.deviceName = deviceName
        self.passphrase = passphrase
        self.confirm = confirm
    }

    private static let notFound = EarshotError(.pairingNotFound, "no node was found that waits for this pairing code")

    // MARK: - Who has the code

    /// Tries every node that is found until one has the code.
    func search(_ interfaces: DiscoveryConfiguration, patience: Duration) async throws(EarshotError) -> JoinOffer {
        let discovery = Discovery(
            sources: PeerDiscovery.dnssd.sources(on: interfaces), advertising: try advertisement)
        return try await within(patience) { group in
            group.addTask {
                try await discovery.run()
                throw Self.notFound
            }
            group.addTask {
                for await event in discovery.events {
                    switch event {
                    case .found(let device), .updated(let device):
                        if let offer = try await self.join(at: device.addresses) { return offer }
                    default: break
                    }
                }
                throw Self.notFound
            }
        }
    }

    func join(at address: PeerAddress, patience: Duration) async throws(EarshotError) -> JoinOffer {
        try await within(patience) { group in
            group.addTask {
                guard let offer = try await self.join(at: [address]) else { throw Self.notFound }
                return offer
            }
        }
    }

    /// Nobody is to find this device before it belongs to somebody.
    private var advertisement: Advertisement {
        get throws(EarshotError) {
            let deviceID = DeviceID(keys.signing.publicKey)
            do {
                return Advertisement(
                    name: try UserName("new device"), userID: UserID(Bytes32()), deviceID: deviceID, port: 0)
            } catch { throw EarshotError(.internalError, "\(error)", cause: error) }
        }
    }

    /// Runs tasks until the first one has a result, or nobody has shown that they have the code within a time.
    private func within(
        _ patience: Duration, _ add: (inout ThrowingTaskGroup<JoinOffer?, any Error>) -> Void
    ) async throws(EarshotError) -> JoinOffer {
        do {
            return try await withThrowingTaskGroup(of: JoinOffer?.self) { group in
                add(&group)
                group.addTask {
                    try await Task.sleep(for: patience)
                    guard self.isProved.load(ordering: .relaxed) else { throw Self.notFound }
                    return nil
                }
                defer { group.cancelAll() }
                for try await offer in group { if let offer { return offer } }
                throw Self.notFound
            }
        } catch let error as EarshotError { throw error } catch {
            throw EarshotError(.pairingFailed, "the pairing has failed: \(error)", cause: error)
        }
    }

    // MARK: - One node

    /// - Returns: `nil` for a node that does not have the code.
    private func join(at addresses: [PeerAddress]) async throws -> JoinOffer? {
        for address in addresses {
            let channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>
            // Somebody who is gone is nobody with the code.
            do { channel = try await Self.connect(to: address) } catch { continue }
            if let offer = try await pair(on: channel) { return offer }
        }
        return nil
    }

    private static func connect(to address: PeerAddress) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(connectTimeout)
        let wrap: @Sendable (any Channel) -> EventLoopFuture<NIOAsyncChannel<ByteBuffer, ByteBuffer>> = { channel in
            channel.eventLoop.makeCompletedFuture { try NIOAsyncChannel(wrappingChannelSynchronously: channel) }
        }
        if let literal = SocketAddress(literal: address) {
            return try await bootstrap.connect(to: literal, channelInitializer: wrap)
        }
        return try await bootstrap.connect(host: address.host, port: Int(address.port), channelInitializer: wrap)
    }

    /// - Returns: `nil` for a node that does not have the code, or says nothing.
    private func pair(on channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>) async throws -> JoinOffer? {
        try await withThrowingTaskGroup(of: JoinOffer?.self) { group in
            group.addTask {
                try await channel.executeThenClose { try await self.converse($0, $1) }
            }
            group.addTask {
                try await Task.sleep(for: .milliseconds(Timing.handshake))
                while self.isProved.load(ordering: .relaxed) {
                    try await Task.sleep(for: .milliseconds(Timing.pairing))
                }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    private func converse(
        _ inbound: NIOAsyncChannelInboundStream<ByteBuffer>, _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    ) async throws -> JoinOffer? {
        var machine = try PairingJoin(
            code, signingKey: keys.signing, agreementKey: keys.agreement, deviceName: deviceName,
            ephemeralKey: .ephemeral())
        var input = inbound.makeAsyncIterator()
        var accepted: JoinOffer?
        var actions = machine.start()
        while true {
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .write(let bytes): try await outbound.write(ByteBuffer(bytes: bytes))
                case .ask(let offer):
                    isProved.store(true, ordering: .relaxed)
                    let shown = JoinOffer(offer, of: keys)
                    let isAccepted = await confirm(shown)
                    if isAccepted { accepted = shown }
                    actions += machine.decide(isAccepted)
                case .take(let gift):
                    try await take(gift)
                    actions += machine.written()
                case .joined: return accepted
                case .failed(let error):
                    guard isProved.load(ordering: .relaxed) else { return nil }
                    throw EarshotError(.pairingFailed, error.message, cause: error)
                }
            }
            guard !isProved.load(ordering: .relaxed) || accepted != nil else {
                throw EarshotError(.pairingFailed, "it was declined on this device")
            }
            guard let buffer = try await input.next() else {
                actions = machine.disconnected()
                if actions.isEmpty { return nil }
                continue
            }
            actions = machine.received(Array(buffer.readableBytesView))
        }
    }

    /// Sealing an identity takes a second.
    private func take(_ gift: PairingGift) async throws(EarshotError) {
        let (home, keys, passphrase) = (home, keys, passphrase)
        try await LongWork.run { () throws(EarshotError) in try home.join(gift, keys: keys, passphrase: passphrase) }
    }
}

extension JoinOffer {
    fileprivate init(_ offer: PairingOffer, of keys: DeviceKeys) {
        userID = offer.credential.userID
        name = offer.credential.name
        deviceName = offer.deviceName
        ownFingerprint = UserID(keys.signing.publicKey).fingerprint
        isPrimary = offer.isPrimary
    }
}
