import EarshotModel
public import Foundation

// What people read who know only `Error`: `error.localizedDescription` is the message, and not the number of a case.

extension EarshotError: LocalizedError {
    public var errorDescription: String? { message }
}

extension Attachment.Invalid: LocalizedError {
    public var errorDescription: String? { description }
}

extension MessageDraft.Invalid: LocalizedError {
    public var errorDescription: String? { description }
}

extension UserName.Invalid: LocalizedError {
    public var errorDescription: String? { description }
}

extension WebLink.Invalid: LocalizedError {
    public var errorDescription: String? { description }
}
