/// A key that a program gives to what it does, and whose it is. Two programs that give the same key never meet.
package struct IdempotencyKey: Hashable, Sendable {
    package let text: String
    /// The name of the token that the program shows; `nil` for the owner's own programs.
    package let token: String?

    package init(_ text: String, of token: String? = nil) {
        self.text = text
        self.token = token
    }
}

/// A literal is a key of the owner's own.
extension IdempotencyKey: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}
