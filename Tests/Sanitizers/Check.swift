// Whether a sanitizer tells what is sound from what is not. script/sanitize builds it like the tests and runs it first:
// "no findings" would otherwise also be what a sanitizer says that sees nothing.
//
//   Check sound    two threads share what a Mutex guards, both wanting it at once, and what comes with a continuation that
//                  is resumed before it is awaited: no finding
//   Check race     two threads share what nothing guards: a finding of ThreadSanitizer
//   Check overrun  reads past the end of what was allocated: a finding of AddressSanitizer

import Foundation
import Synchronization

final class Counter: Sendable {
    let guarded = Mutex([Int]())
    nonisolated(unsafe) var unguarded = 0
}

/// What one thread makes and another reads. Nothing writes it afterwards.
final class Made: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

final class Signal: Sendable {
    let value = Atomic(false)
}

/// Runs it so many times on each of two threads, which begin together.
func onTwoThreads(times: Int, _ body: @escaping @Sendable () -> Void) {
    let (isReady, mayBegin, isDone) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )
    for _ in 0..<2 {
        Thread.detachNewThread {
            isReady.signal()
            mayBegin.wait()
            for _ in 0..<times { body() }
            isDone.signal()
        }
    }
    for _ in 0..<2 { isReady.wait() }
    for _ in 0..<2 { mayBegin.signal() }
    for _ in 0..<2 { isDone.wait() }
}

/// Takes objects that another thread has made, and that came before they were awaited.
func takeEarly(times: Int) async {
    for number in 0..<times {
        let made = await withUnsafeContinuation { continuation in
            let isDone = Signal()
            Thread.detachNewThread {
                continuation.resume(returning: Made(number))
                isDone.value.store(true, ordering: .relaxed)
            }
            // A relaxed load tells the sanitizer of no order between the threads.
            while !isDone.value.load(ordering: .relaxed) {}
        }
        precondition(made.number == number)
    }
}

let counter = Counter()
switch CommandLine.arguments.last {
case "sound":
    onTwoThreads(times: 100_000) { counter.guarded.withLock { $0 = $0.count < 100 ? $0 + [1] : [] } }
    await takeEarly(times: 50)
case "race":
    // Few: of an access that is long past the sanitizer has forgotten where it was, and then it says nothing.
    onTwoThreads(times: 10) { counter.unguarded += 1 }
case "overrun":
    let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: CommandLine.arguments.count)
    bytes.initialize(repeating: 1, count: CommandLine.arguments.count)
    print(bytes[CommandLine.arguments.count])
    bytes.deallocate()
default:
    exit(2)
}
