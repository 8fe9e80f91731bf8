import Dispatch
import Foundation

/// Signals, as something to wait for.
enum Signals {
    /// Calls a closure for the first of some signals, on a thread of its own, instead of the signal's usual effect.
    ///
    /// - Returns: an observation. Cancelling it gives the signals their usual effect again.
    static func onFirst(_ numbers: [Int32], _ body: @escaping @Sendable (Int32) -> Void) -> SignalObservation {
        let sources = numbers.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { body(number) }
            source.resume()
            return source
        }
        return SignalObservation(numbers: numbers, sources: sources)
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
    // Dispatch sources may be cancelled from any thread, but the protocol does not say so.
    nonisolated(unsafe) fileprivate let sources: [any DispatchSourceSignal]

    func cancel() {
        for source in sources { source.cancel() }
        for number in numbers { signal(number, SIG_DFL) }
    }
}
