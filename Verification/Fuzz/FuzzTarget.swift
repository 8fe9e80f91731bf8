/// One parser, or several that belong together, that meets bytes from outside.
struct FuzzTarget: Sendable {
    let name: String
    /// Longer inputs are not tried: where a limit is checked, so that it is passed; else as short as may be, since short
    /// inputs are quick.
    let maximumBytes: Int
    /// Done once, before the first input.
    var prepare: @Sendable () -> Void = {}
    /// A crash is what is looked for; `require` makes one of a broken promise.
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

/// Ends the program, with the reason, where something is not as it is promised to be.
func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    guard condition else { fatalError("broken promise: \(promise())") }
}

/// What is there by construction of the fuzzer.
func certain<T>(_ body: () throws -> T) -> T {
    do { return try body() } catch { fatalError("the fuzzer itself is wrong: \(error)") }
}
