// `poll.h` is part of it, too, as Swift sees it.

import Glibc

/// Finds out whether multicast DNS (RFC 6762) can get out of this machine and in: sends one question on each interface,
/// and listens for it.
///
/// The kernel gives a copy of each multicast packet to this machine's own members of the group, through the same
/// firewall rules that packets of others pass. So the test shows what this machine does to multicast, not what the
/// network does.
package struct MulticastSelfTest: Sendable {
    /// How long the questions may take to come back.
    package static let patience = Duration.seconds(1)
    /// How many questions are asked at most: one an interface and family.
    package static let probeLimit = 64

    /// The result of one question.
    package enum Outcome: Sendable, Hashable {
        case works
        /// It could not be sent; as a rule a firewall forbids it. With the operating system's words.
        case cannotSend(String)
        /// It was sent and did not come back; as a rule a firewall drops incoming packets.
        case notHeard
        /// The group cannot be joined, or another program keeps the port for itself. With the operating system's words.
        case cannotJoin(String)
    }

    package struct Result: Sendable, Hashable {
        /// The name of the interface.
        package let interface: String
        package let family: AddressFamily
        package let outcome: Outcome
    }

    private let targets: [MulticastProbe.Target]

    /// - Parameter interfaces: those that are up and can multicast are tested, in each family that they have an address
    ///   of; the others are left out, and what is beyond `probeLimit`.
    package init(interfaces: [HostInterface]) {
        targets = Array(interfaces.flatMap(MulticastProbe.targets(of:)).prefix(Self.probeLimit))
    }

    /// Tests all interfaces at once, on a thread of its own.
    /// - Returns: as soon as all questions are back, or after `patience`; in the order of the interfaces, IPv4 first.
    /// - Throws: `outOfResources`, and `CancellationError` when it is cancelled meanwhile.
    package func run() async throws -> [Result] {
        let results = try await BlockingWork.run { [targets] wakeUp throws(DiscoveryError) in
            try Self.run(targets, wakeUp)
        }
        try Task.checkCancellation()
        return results
    }

    private static func run(_ targets: [MulticastProbe.Target], _ wakeUp: WakeUp) throws(DiscoveryError) -> [Result] {
        let identifiers = MulticastQuery.identifiers(count: targets.count)
        let probes = zip(targets, identifiers).map { MulticastProbe($0, MulticastQuery(identifier: $1)) }
        for probe in probes { probe.begin() }
        let deadline = ContinuousClock.now.advanced(by: patience)
        while probes.contains(where: \.isWaiting), ContinuousClock.now < deadline {
            guard try wait(for: probes.filter(\.isWaiting), until: deadline, wakeUp) else { break }
        }
        return probes.map { Result(interface: $0.target.interface, family: $0.target.family, outcome: $0.outcome) }
    }

    /// - Returns: `false` when it was woken up to end.
    private static func wait(
        for probes: [MulticastProbe], until deadline: ContinuousClock.Instant, _ wakeUp: WakeUp
    ) throws(DiscoveryError) -> Bool {
        let descriptors = [wakeUp.fileDescriptor] + probes.map(\.fileDescriptor)
        let isReadable = try Polling.readable(descriptors, milliseconds: Polling.milliseconds(until: deadline))
        for (probe, isReadable) in zip(probes, isReadable.dropFirst()) where isReadable { probe.receive() }
        return !isReadable[0]
    }
}
