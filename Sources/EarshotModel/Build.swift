/// How this package was built. What is tried out and measured is a release, so programs say when they are none.
package enum Build: String, Sendable {
    case debug
    case release

    #if DEBUG
        package static let present = debug
    #else
        package static let present = release
    #endif

    /// The last line but one of what tries out the modules of this build in its own process.
    package var driven: String { "drove the \(rawValue) build" }

    /// What a program answers to `--version`. `script/drove` reads it.
    package func named(_ program: String) -> String { self == .release ? program : "\(program) (\(rawValue) build)" }
}
