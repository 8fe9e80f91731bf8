import ArgumentParser
import Earshot

/// The argument that names a message: its id, or the beginning of its log's id and its number, as histories show it.
enum MessageArgument {
    /// - Throws: `ValidationError` for text that is neither.
    static func check(_ text: String) throws {
        guard MessageID(text) != nil || ShortMessageID(text) != nil else {
            throw ValidationError("\"\(SafeText.line(text))\" is not the id of a message.")
        }
    }
}
