/// Why a soak cannot go on: something in the bench broke, not a promise.
struct SoakError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
