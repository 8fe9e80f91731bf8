/// A large value that never changes, and that its copies share: to hand it on costs a reference, whatever its size.
final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }

    static func == (a: Shared, b: Shared) -> Bool { a === b || a.value == b.value }
    func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// Values of which mostly none is there: all together they take the room of one reference in what holds them, and are then
/// nothing to copy.
struct Seldom<Values: SeldomValues>: Hashable, Sendable {
    private var shared: Shared<Values>?

    init(_ values: Values = Values()) { self.values = values }

    var values: Values {
        get { shared?.value ?? Values() }
        set { shared = newValue == Values() ? nil : Shared(newValue) }
    }

    /// The values, unless none is there: to read one of them, no other is copied.
    var present: Values? { shared?.value }
}

/// Values that are all missing when they are made.
protocol SeldomValues: Hashable, Sendable {
    init()
}
