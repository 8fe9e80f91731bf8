import Synchronization

/// Counts the operations of a source that are open: each adds itself when it begins and removes itself when it is
/// freed.
final class OperationGauge: Sendable {
    private let open = Atomic(0)

    var count: Int { open.load(ordering: .relaxed) }
    func opened() { open.add(1, ordering: .relaxed) }
    func closed() { open.subtract(1, ordering: .relaxed) }
}
