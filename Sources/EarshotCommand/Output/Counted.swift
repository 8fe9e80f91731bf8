/// Numbers of things, in words.
enum Counted {
    /// Like `1 message` and `2 messages`.
    static func text(_ count: some BinaryInteger, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }
}
