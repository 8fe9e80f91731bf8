/// Colours (ECMA-48 SGR), or none.
struct Style: Sendable {
    let isColoured: Bool

    /// - Parameter isColoured: the user's `NO_COLOR` overrides it (no-color.org).
    init(isColoured: Bool) {
        let refusal = EnvironmentVariable.value("NO_COLOR") ?? ""
        self.isColoured = isColoured && refusal.isEmpty
    }

    func bold(_ text: String) -> String { wrap(text, "1") }
    func dim(_ text: String) -> String { wrap(text, "2") }
    func red(_ text: String) -> String { wrap(text, "31") }
    func green(_ text: String) -> String { wrap(text, "32") }
    func cyan(_ text: String) -> String { wrap(text, "36") }

    /// Black on white, also where the terminal has other colours of these names.
    func inkOnPaper(_ text: String) -> String { wrap(text, "38;5;16;48;5;231") }

    private func wrap(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}
