import EarshotCrypto
import EarshotForgery
import EarshotModel

/// How a connection of the attacker ended, as she sees it.
struct LinkEnd: Sendable, CustomStringConvertible {
    /// Whether the node closed it.
    var isClosed: Bool
    /// The reason that the node gave, inside the link or in the clear.
    var reason: UInt32?
    var frames: [UInt64] = []

    var description: String {
        guard isClosed else { return "open" }
        return reason.map { "closed with reason \($0)" } ?? "closed"
    }
}

/// A link of the attacker to a node, which the node considers established.
final class HostileLink {
    let mallory: Mallory
    let socket: HostileSocket
    private(set) var transport: TransportState
    private var plaintext: [UInt8] = []

    private init(_ mallory: Mallory, _ socket: HostileSocket, _ transport: TransportState) {
        self.mallory = mallory
        self.socket = socket
        self.transport = transport
    }

    /// Completes the handshake by the rules, with what `mallory` claims to be.
    static func connect(_ mallory: Mallory, to port: UInt16, from source: String) throws -> HostileLink {
        let socket = try HostileSocket(to: port, from: source)
        var handshake = try mallory.handshake(.initiator)
        socket.write(
            HostileSocket.framed(mallory.hello) + HostileSocket.framed(try handshake.writeMessage(payload: [])))
        guard let second = socket.readMessage() else {
            throw HostileSocket.Failure(description: "the node gave no answer")
        }
        guard second.count > 2 else {
            throw HostileSocket.Failure(description: "refused in the clear with reason \(second.first ?? 0)")
        }
        _ = try handshake.readMessage(second)
        socket.write(HostileSocket.framed(try handshake.writeMessage(payload: mallory.introduction)))
        return HostileLink(mallory, socket, try handshake.split())
    }

    /// - Returns: whether all of it went out.
    @discardableResult
    func send(_ frames: [UInt8]...) -> Bool {
        send(plaintext: frames.flatMap { Proto.varint(UInt64($0.count)) + $0 })
    }

    @discardableResult
    func send(plaintext: [UInt8]) -> Bool {
        var sealed: [UInt8] = []
        var rest = plaintext[...]
        repeat {
            sealed += HostileSocket.framed(seal(Array(rest.prefix(65_000))))
            rest = rest.dropFirst(65_000)
        } while !rest.isEmpty
        return socket.write(sealed)
    }

    func seal(_ piece: [UInt8]) -> [UInt8] {
        do { return try transport.seal(piece) } catch { preconditionFailure("a piece can be sealed: \(error)") }
    }

    /// The next frame's number and content.
    /// - Returns: `nil` if the node has closed, or was silent for the socket's patience.
    func nextFrame() -> (number: UInt64, content: [UInt8])? {
        while true {
            if let frame = takeFrame() { return frame }
            guard let message = socket.readMessage(), let opened = try? transport.open(message) else { return nil }
            plaintext += opened
        }
    }

    private func takeFrame() -> (UInt64, [UInt8])? {
        guard let (length, prefix) = Proto.readVarint(plaintext[...]), plaintext.count >= prefix + Int(length) else {
            return nil
        }
        let frame = Array(plaintext[prefix..<prefix + Int(length)])
        plaintext.removeFirst(prefix + Int(length))
        guard let (tag, tagBytes) = Proto.readVarint(frame[...]),
            let (_, lengthBytes) = Proto.readVarint(frame[tagBytes...])
        else { return (0, []) }
        return (tag >> 3, Array(frame[(tagBytes + lengthBytes)...]))
    }

    /// Reads until the node closes, or is silent for so many seconds.
    func end(within seconds: Int = 10) -> LinkEnd {
        socket.setPatience(seconds)
        var end = LinkEnd(isClosed: false)
        while let frame = nextFrame() {
            end.frames.append(frame.number)
            guard frame.number == 7 else { continue }
            end.reason = Proto.readVarint(frame.content.dropFirst()).map { UInt32(truncatingIfNeeded: $0.value) }
        }
        end.isClosed = socket.isClosed
        return end
    }
}
