/// What `Inbox.automaticHeader` says, in the words of RFC 3834.
public enum AutoSubmitted {
    /// An answer to one message.
    public static let replied = "auto-replied"
    /// What a program sends unasked.
    public static let generated = "auto-generated"

    /// Headers with the mark of a program, unless they have one already.
    package static func marked(_ headers: [String: String], _ value: String) -> [String: String] {
        headers.merging([Inbox.automaticHeader: value]) { own, _ in own }
    }
}
