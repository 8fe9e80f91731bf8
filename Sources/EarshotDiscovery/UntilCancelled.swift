/// Returns when the task is cancelled.
package func untilCancelled() async {
    let (never, continuation) = AsyncStream<Never>.makeStream()
    defer { continuation.finish() }
    for await _ in never {}
}
