import EarshotCrypto
package import EarshotModel
package import EarshotProtocol

/// What an attacker writes into one log.
package struct ForgedLog: Sendable {
    package let author: Mallory
    package let log: LogDescription
    private var bodies: [[UInt8]] = []
    private var end: ChainHash
    /// Of the next entry, in milliseconds since 1970.
    private var time: Int64

    package init(_ author: Mallory, _ log: LogDescription, at time: Int64 = Mallory.now) {
        self.author = author
        self.log = log
        self.time = time
        end = .origin(of: log.logID)
    }

    package var isEmpty: Bool { bodies.isEmpty }
    /// The last entry.
    package var place: LogPlace { LogPlace(logID: log.logID, sequence: UInt64(bodies.count), chain: end) }

    /// Writes entries.
    /// - Parameters:
    ///   - isCarried: whether somebody else brings them.
    ///   - now: they are at least that old, in milliseconds since 1970.
    /// - Returns: a frame with them.
    package mutating func append(
        _ contents: EntryBody.Content..., isCarried: Bool = false, at now: Int64 = Mallory.now
    ) -> [UInt8] {
        append(contents, isCarried: isCarried, at: now)
    }

    package mutating func append(
        _ contents: [EntryBody.Content], isCarried: Bool = false, at now: Int64 = Mallory.now
    ) -> [UInt8] {
        let new = contents.enumerated().map { Mallory.body($1, at: time + Int64($0)) }
        let frame = frame(new, from: UInt64(bodies.count) + 1, after: end, isCarried: isCarried)
        time = max(time + Int64(new.count), now)
        bodies += new
        end = new.reduce(end) { $0.appending(.of(body: $1)) }
        return frame
    }

    /// A frame with all that was written, as its author or somebody else brings it.
    package func whole(isCarried: Bool = false) -> [UInt8] {
        frame(bodies, from: 1, after: .origin(of: log.logID), isCarried: isCarried)
    }

    private func frame(_ bodies: [[UInt8]], from first: UInt64, after chain: ChainHash, isCarried: Bool) -> [UInt8] {
        author.entries(
            log, from: first, bodies: bodies, after: chain, credential: isCarried ? author.encodedCredential : [])
    }
}
