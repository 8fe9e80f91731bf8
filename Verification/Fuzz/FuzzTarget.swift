/// One parser of bytes from outside, or several that belong together.
struct FuzzTarget: Sendable {
    let name: String
    /// The longest input to try. It is long enough to pass a limit that is checked, and otherwise short, because short
    /// inputs are quick.
    let maximumBytes: Int
    /// Done once, before the first input.
    var prepare: @Sendable () -> Void = {}
    /// The fuzzer looks for crashes; `require` turns a broken promise into one.
    let body: @Sendable (inout FuzzInput) -> Void

    init(
        _ name: String, maximumBytes: Int, prepare: @escaping @Sendable () -> Void = {},
        body: @escaping @Sendable (inout FuzzInput) -> Void
    ) {
        self.name = name
        self.maximumBytes = maximumBytes
        self.prepare = prepare
        self.body = body
    }

    func run(_ input: FuzzInput) {
        var input = input
        body(&input)
    }
}

/// Ends the program, with the reason, if a promise is broken.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    guard condition else { fatalError("broken promise: \(promise())") }
}

/// Runs what cannot fail by construction of the fuzzer.
func certain<T>(_ body: () throws -> T) -> T {
    do { return try body() } catch { fatalError("the fuzzer itself is wrong: \(error)") }
}
