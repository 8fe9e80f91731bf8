/// Why a soak cannot go on: something of the bench broke, and not a rule.
struct SoakError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
