import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol

/// Users who write what they may not, and where they may not, and listen to what is not for them.
struct HostileAuthors {
    /// What they are in the private conversation.
    enum Role: CaseIterable {
        /// Nobody invites them.
        case stranger
        /// They are invited, and do not join.
        case invited
        /// They join, and write as they may, too.
        case participant
        /// They join, and are removed.
        case removed
    }

    struct Author {
        let mallory: Mallory
        let role: Role
        /// What they write as they may, in the private conversation; `nil` before they join.
        var log: ForgedLog?
        /// Their link to a node.
        var visit: HostileVisit?
        /// How many logs they have made up: each is told to one node only.
        var forgeries: UInt64 = 0
    }

    var authors: [Author] = []
    /// Decides what they do.
    var chance: SeededGenerator
    /// A log, and the only node that was told of it.
    struct Told: CustomStringConvertible {
        let author: Int
        let node: Int
        let conversationID: ConversationID
        let kind: LogKind

        var description: String { "node \(node) (\(kind) of mallory \(author))" }
    }

    private(set) var told: [LogID: Told] = [:]
    /// Texts for the private conversation, and the authors whom they were not for, as their writer knew.
    private var secrets: [String: Set<Int>] = [:]

    init(count: Int, seed: UInt64) {
        chance = SeededGenerator(seed: seed ^ 0x686f_7374)
        for number in 0..<count {
            var mallory = Mallory(name: "mallory \(number)")
            (mallory.identity, mallory.device) = (chance.signingKey(), chance.signingKey())
            mallory.agreement = chance.agreementKey()
            mallory.clock = Simulation.epoch
            authors.append(Author(mallory: mallory, role: Role.allCases[number % Role.allCases.count]))
        }
    }

    func author(_ userID: UserID) -> Author? { authors.first { $0.mallory.userID == userID } }

    /// A log that one node is told of.
    mutating func log(
        of number: Int, in conversationID: ConversationID, _ kind: LogKind, for node: Int, at time: Int64
    ) -> ForgedLog {
        authors[number].forgeries += 1
        let mallory = authors[number].mallory
        let epoch = 1_000 + authors[number].forgeries
        let log = ForgedLog(mallory, mallory.log(in: conversationID, epoch: epoch, kind: kind), at: time)
        told[log.log.logID] = Told(author: number, node: node, conversationID: conversationID, kind: kind)
        return log
    }

    // MARK: - Secrets

    /// A message is on its author's disk, for the first time or written anew, and its author knows so much by then.
    mutating func wrote(_ text: String, _ membership: Membership) {
        secrets[text] = Set(authors.indices.filter { !membership.isIn(authors[$0].mallory.userID) })
    }

    /// Whoever is invited is given what was written before, where there is history.
    mutating func invited(_ number: Int, _ membership: Membership) {
        for text in secrets.keys where membership.givesHistory { secrets[text]?.remove(number) }
    }

    /// Whether a text that an author has heard is none of theirs.
    /// - Parameter heard: the text, and what may stand behind it in a frame.
    func isSecret(_ heard: String, from number: Int, isIn: Bool) -> Bool {
        guard let end = heard.firstRange(of: " to ops")?.upperBound else { return true }
        if isIn { return false }
        return secrets[String(heard[..<end])]?.contains(number) ?? (authors[number].role == .stranger)
    }
}

/// A link of a hostile author to a node, without a network between them.
struct HostileVisit {
    let node: Int
    let generation: Int
    let connectionID: ConnectionID
    var state: State
    /// What the node has written, as far as it is no whole message.
    private var input: [UInt8] = []
    /// The end of what was heard.
    private var heard: [UInt8] = []

    enum State {
        case handshaking(HandshakeState)
        case linked(TransportState)
        case over
    }

    init(to node: Int, _ generation: Int, _ connectionID: ConnectionID, _ handshake: HandshakeState) {
        (self.node, self.generation, self.connectionID) = (node, generation, connectionID)
        state = .handshaking(handshake)
    }

    var isLinked: Bool { if case .linked = state { true } else { false } }

    /// What the author answers in the handshake.
    mutating func answer(_ introduction: [UInt8]) throws -> [UInt8] {
        guard case .handshaking(var handshake) = state, let message = takeMessage() else { return [] }
        state = .over
        _ = try handshake.readMessage(message)
        let bytes = Self.framed(try handshake.writeMessage(payload: introduction))
        state = .linked(try handshake.split())
        return bytes
    }

    /// The node has written.
    /// - Returns: the texts of messages in it.
    mutating func hear(_ bytes: [UInt8]) -> [String] {
        input += bytes
        var texts: [String] = []
        while case .linked(var transport) = state, let message = takeMessage() {
            do {
                heard += try transport.open(message)
                state = .linked(transport)
            } catch { state = .over }
        }
        while let text = takeText() { texts.append(text) }
        return texts
    }

    /// Frames, as they go out.
    mutating func sealed(_ frames: [[UInt8]]) throws -> [UInt8] {
        guard case .linked(var transport) = state else { return [] }
        state = .over
        var plaintext = frames.flatMap { Proto.varint(UInt64($0.count)) + $0 }[...]
        var bytes: [UInt8] = []
        while !plaintext.isEmpty {
            bytes += Self.framed(try transport.seal(Array(plaintext.prefix(60_000))))
            plaintext = plaintext.dropFirst(60_000)
        }
        state = .linked(transport)
        return bytes
    }

    static func framed(_ message: [UInt8]) -> [UInt8] {
        [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
    }

    private mutating func takeMessage() -> [UInt8]? {
        guard input.count >= 2 else { return nil }
        let end = 2 + (Int(input[0]) << 8 | Int(input[1]))
        guard input.count >= end else { return nil }
        defer { input.removeFirst(end) }
        return Array(input[2..<end])
    }

    /// The next text that a node of the simulation has written: nothing else in a frame is like it.
    private mutating func takeText() -> String? {
        let start = Array("message ".utf8)
        guard let place = heard.firstRange(of: start)?.lowerBound else {
            heard = heard.suffix(start.count - 1)
            return nil
        }
        let text = heard[place...].prefix { (0x20..<0x7f).contains($0) }
        heard.removeFirst(place + text.count)
        return String(decoding: text, as: UTF8.self)
    }
}
