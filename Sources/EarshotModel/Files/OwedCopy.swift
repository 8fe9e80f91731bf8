/// A copy of a file that is here and that a rule has put into no folder yet. It is tried again until it is there.
public struct OwedCopy: Hashable, Sendable {
    public let attachment: Attachment
    public let folder: String
    /// Since when it is owed, in milliseconds since 1970.
    package let since: Int64
    /// Why the folder did not take it; `nil` if that was not tried yet.
    public let reason: String?

    package init(_ attachment: Attachment, in folder: String, since: Int64, reason: String? = nil) {
        (self.attachment, self.folder) = (attachment, folder)
        (self.since, self.reason) = (since, reason)
    }
}
