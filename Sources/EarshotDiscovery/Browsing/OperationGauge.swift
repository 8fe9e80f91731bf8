import Synchronization

/// How many operations of a source are open right now: each counts itself in when it begins and out when it is freed.
final class OperationGauge: Sendable {
    private let open = Atomic(0)

    var count: Int { open.load(ordering: .relaxed) }
    func opened() { open.add(1, ordering: .relaxed) }
    func closed() { open.subtract(1, ordering: .relaxed) }
}
