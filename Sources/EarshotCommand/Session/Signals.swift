import Dispatch
import Foundation
import Synchronization

/// Signals, as something to wait for.
enum Signals {
    /// Where the handler writes the numbers of signals that come. A handler may use nothing but this and write(2), and a
    /// process has only one for each signal (signal-safety(7)).
    private static let pipe = Atomic<Int32>(-1)

    /// Calls a closure for the first of some signals, on a thread of its own, instead of the signal's usual effect.
    ///
    /// Dispatch's own sources of signals cannot be used twice: the second one for a signal installs no handler.
    /// - Returns: an observation. Cancelling it gives the signals their usual effect again.
    static func onFirst(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) -> SignalObservation {
        var ends: [Int32] = [-1, -1]
        // Without a pipe signals keep their usual effect.
        guard Glibc.pipe(&ends) == 0 else { return SignalObservation(numbers: [], source: nil) }
        let (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let source = DispatchSource.makeReadSource(fileDescriptor: reading, queue: .global())
        source.setEventHandler {
            var number: UInt8 = 0
            if read(reading, &number, 1) == 1 { body(Int32(number)) }
        }
        source.setCancelHandler {
            close(reading)
            close(writing)
        }
        source.resume()
        pipe.store(writing, ordering: .sequentiallyConsistent)
        for number in numbers { signal(number) { Signals.caught($0) } }
        return SignalObservation(numbers: numbers, source: source)
    }

    private static func caught(_ number: Int32) {
        let error = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pipe.load(ordering: .sequentiallyConsistent), &byte, 1)
        errno = error
    }

    /// Catches signals from now on.
    static func awaiting(_ numbers: [Int32]) -> SignalWait {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingOldest(1))
        return SignalWait(observation: onFirst(numbers) { _ in continuation.yield() }, stream: stream)
    }
}

/// A signal that may come.
struct SignalWait {
    fileprivate let observation: SignalObservation
    fileprivate let stream: AsyncStream<Void>

    /// Returns when a signal has come, or when the task is cancelled. A second signal has its usual effect.
    func wait() async {
        for await _ in stream { break }
        observation.cancel()
    }
}

/// An observation of signals.
struct SignalObservation: Sendable {
    fileprivate let numbers: [Int32]
    // A dispatch source may be cancelled from any thread, but the protocol does not say so.
    nonisolated(unsafe) fileprivate let source: (any DispatchSourceRead)?

    func cancel() {
        for number in numbers { signal(number, SIG_DFL) }
        source?.cancel()
    }
}
