/// An optional value that is large and mostly missing: it takes the room of a reference in what holds it.
@propertyWrapper
package struct Seldom<Value: Hashable & Sendable>: Hashable, Sendable {
    private var shared: Shared<Value>?

    package init(wrappedValue: Value?) { shared = wrappedValue.map { Shared($0) } }

    package var wrappedValue: Value? {
        get { shared?.value }
        set { shared = newValue.map { Shared($0) } }
    }
}
