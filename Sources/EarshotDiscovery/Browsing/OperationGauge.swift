import Synchronization

/// Counts the operations of a source that are open: each adds itself when it begins and removes itself when it is
/// freed.
final class OperationGauge: Sendable {
    private let open = Atomic(0)
    private let onChange: @Sendable (Int) -> Void

    /// - Parameter onChange: is given the new count, on the thread of the operation that begins or ends.
    init(onChange: @escaping @Sendable (Int) -> Void = { _ in }) { self.onChange = onChange }

    var count: Int { open.load(ordering: .relaxed) }
    func opened() { onChange(open.add(1, ordering: .relaxed).newValue) }
    func closed() { onChange(open.subtract(1, ordering: .relaxed).newValue) }
}
