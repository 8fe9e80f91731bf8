/// Counts what must not happen to a message.
struct Faults: Hashable, Sendable {
    /// Accepted, but missing where it must be.
    var lost = 0
    /// Twice where it may be once.
    var doubled = 0
    /// After a message of the same lane that was accepted later.
    var reordered = 0
    /// Called delivered while the recipient's disk does not hold it.
    var falselyDelivered = 0
    /// Something that nobody sent.
    var invented = 0
    /// Reported as received before it was on the disk.
    var toldEarly = 0
    /// A state that went back.
    var retreated = 0
    /// A place that is missing in a log.
    var holes = 0
    /// Different in the histories of those who must agree.
    var different = 0
    /// Taken back by its author, and shown or on a disk all the same.
    var kept = 0

    static let none = Faults()

    static func += (a: inout Faults, b: Faults) {
        for field in fields { a[keyPath: field.value] += b[keyPath: field.value] }
    }

    typealias Field = (name: String, value: any WritableKeyPath<Faults, Int> & Sendable)

    /// All of them, each with its name.
    static let fields: [Field] = [
        ("lost", \.lost), ("doubled", \.doubled), ("reordered", \.reordered),
        ("falseDelivered", \.falselyDelivered), ("invented", \.invented), ("toldEarly", \.toldEarly),
        ("retreated", \.retreated), ("holes", \.holes), ("different", \.different),
        ("kept", \.kept),
    ]
}

extension Faults {
    /// The faults that happened.
    var summary: String {
        let some = Self.fields.filter { self[keyPath: $0.value] > 0 }
        return some.map { "\($0.name) \(self[keyPath: $0.value])" }.joined(separator: ", ")
    }
}
