import EarshotModel

/// The addresses of one target, and where its next dial goes.
///
/// Advertised addresses may be forged, and the first address that accepts a connection wins a dial. So once somebody
/// else answered a dial, or nobody, the target is dialled at one address at a time, until it is reached.
struct DialAddresses: Sendable {
    /// Addresses that are advertised or were given, the best first.
    private var advertised: [PeerAddress] = []
    /// Addresses where a handshake has proved the target to be, the latest first.
    private var proved: [PeerAddress] = []

    /// How many dials have failed.
    private var failures = 0
    /// The number of the last failed dial to each address. A new address goes behind those that are already known.
    private var turns: [PeerAddress: Int] = [:]
    /// Addresses where somebody else answered, or nobody.
    private var wrong: Set<PeerAddress> = []
    private var isOneByOne = false
    private var lastFailed: [PeerAddress] = []
    /// The addresses of the dial that is under way.
    private var dialled: [PeerAddress] = []
    /// The address of these that has accepted the connection.
    private var reached: PeerAddress?

    init(advertised: [PeerAddress] = [], proved: [PeerAddress] = []) {
        self.advertised = advertised
        remember(proved)
    }

    var isEmpty: Bool { advertised.isEmpty && proved.isEmpty }

    private var unproved: [PeerAddress] { advertised.filter { !proved.contains($0) } }

    // MARK: - What is known

    mutating func advertise(_ addresses: [PeerAddress]) {
        let known = Set(advertised + proved)
        advertised = addresses
        if failures > 0 { for address in addresses where !known.contains(address) { turns[address] = failures } }
        forgetOthers()
    }

    /// Takes over what an earlier run has proved, unless this run knows better.
    mutating func remember(_ addresses: [PeerAddress]) {
        if proved.isEmpty { proved = Array(addresses.prefix(Limits.provedAddresses)) }
    }

    private mutating func forgetOthers() {
        let known = Set(advertised + proved)
        turns = turns.filter { known.contains($0.key) }
        wrong.formIntersection(known)
    }

    // MARK: - Dials

    /// Where to dial now.
    mutating func next() -> [PeerAddress] {
        dialled = isOneByOne ? nextSingle() : nextRace()
        reached = nil
        return dialled
    }

    private func nextRace() -> [PeerAddress] {
        let all = inTurn(proved + unproved)
        let hopeful = all.filter { !wrong.contains($0) }
        return Array((hopeful.isEmpty ? all : hopeful).prefix(Limits.addressesPerDevice))
    }

    /// Takes turns between proved and other addresses, so that neither kind waits for any number of the other; and
    /// avoids the address that just failed if there is another.
    private func nextSingle() -> [PeerAddress] {
        let all = proved + unproved
        let others = all.filter { !lastFailed.contains($0) }
        let candidates = inTurn(others.isEmpty ? all : others)
        let isProvedNext = !failures.isMultiple(of: 2)
        let next = candidates.first { proved.contains($0) == isProvedNext } ?? candidates.first
        return next.map { [$0] } ?? []
    }

    private func inTurn(_ addresses: [PeerAddress]) -> [PeerAddress] {
        let ranked = addresses.enumerated().map { (turn: turns[$1] ?? 0, offset: $0, address: $1) }
        return ranked.sorted { ($0.turn, $0.offset) < ($1.turn, $1.offset) }.map(\.address)
    }

    // MARK: - What became of a dial

    mutating func reached(_ address: PeerAddress) { reached = address }

    /// The target is not where this dial went. Without a dial this means nothing.
    mutating func failed() {
        guard !dialled.isEmpty else { return }
        failures += 1
        lastFailed = dialled
        if let reached, dialled.contains(reached) {
            lastFailed = [reached]
            wrong.insert(reached)
            isOneByOne = true
        } else if !isOneByOne {
            wrong = []
        }
        for address in lastFailed { turns[address] = failures }
        forgetOthers()
        ended()
    }

    /// The last dial does not count.
    mutating func ended() {
        dialled = []
        reached = nil
    }

    /// A handshake has shown that the target is here.
    mutating func prove(_ address: PeerAddress) {
        proved.removeAll { $0 == address }
        proved = Array(([address] + proved).prefix(Limits.provedAddresses))
        turns[address] = nil
        wrong.remove(address)
        isOneByOne = false
        forgetOthers()
        ended()
    }

    /// Anything may have changed.
    mutating func forgive() {
        wrong = []
        isOneByOne = false
        ended()
    }
}
