import Foundation

/// Completes what is typed in a chat: the name of a command, or the name that `/talk` takes.
enum ChatCompletion: Hashable {
    case nothing
    /// What stands before the cursor then.
    case completed(String)
    /// Several go on like this.
    case choices([String])

    /// - Parameters:
    ///   - text: what is before the cursor.
    ///   - commands: names without slashes.
    ///   - names: what `/talk` takes.
    init(_ text: String, commands: [String], names: [String]) {
        let talk = "/talk "
        if text.hasPrefix(talk) {
            self.init(after: talk, String(text.dropFirst(talk.count)), names, ending: "")
        } else if text.hasPrefix("/"), !text.contains(where: \.isWhitespace) {
            self.init(after: "/", String(text.dropFirst()), commands, ending: " ")
        } else {
            self = .nothing
        }
    }

    private init(after beginning: String, _ typed: String, _ all: [String], ending: String) {
        let candidates = Set(all.filter { $0.hasPrefix(typed) }).sorted()
        guard let first = candidates.first else {
            self = .nothing
            return
        }
        guard candidates.count > 1 else {
            self = .completed(beginning + first + ending)
            return
        }
        let common = candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
        self = common.count > typed.count ? .completed(beginning + common) : .choices(candidates)
    }
}
