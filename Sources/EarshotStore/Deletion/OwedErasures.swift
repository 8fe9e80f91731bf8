/// Tells that the write-ahead log still holds what was erased, because somebody was reading or the disk was full.
package final class OwedErasures: Sendable {
    /// One element, however often that is so before somebody looks.
    package let owed: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (owed, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    func owe() { continuation.yield() }
}
