/// A large value that never changes, and that its copies share: to hand it on costs a reference, whatever its size.
package final class Shared<Value: Hashable & Sendable>: Hashable, Sendable {
    package let value: Value

    package init(_ value: Value) { self.value = value }

    package static func == (a: Shared, b: Shared) -> Bool { a === b || a.value == b.value }
    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}

/// Values of which mostly none is there: all together they take the room of one reference in what holds them, and are then
/// nothing to copy.
package struct Seldom<Values: SeldomValues>: Hashable, Sendable {
    package private(set) var shared: Shared<Values>?

    package init() {}

    init(_ values: Values) { self.values = values }

    @inlinable package var present: Values? { shared?.value }
    /// To ask this copies nothing.
    @inlinable package var isEmpty: Bool { shared == nil }

    var values: Values {
        get { shared?.value ?? Values() }
        set { shared = newValue == Values() ? nil : Shared(newValue) }
    }
}

/// Values that are all missing when they are made.
package protocol SeldomValues: Hashable, Sendable {
    init()
}
