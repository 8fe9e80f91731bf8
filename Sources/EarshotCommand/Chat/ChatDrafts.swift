import Earshot
import EarshotGateway

/// What programs have drafted in a dialog, and somebody may send, change or discard: numbered from 1, the oldest first.
struct ChatDrafts: Sendable {
    /// What is done with a draft.
    enum Deed: String, CaseIterable, Sendable {
        case take, send, discard
    }

    private(set) var all: [GatewayDraft] = []

    /// - Returns: those that are new, with their numbers.
    mutating func update(_ drafts: [GatewayDraft]) -> [(number: Int, draft: GatewayDraft)] {
        let known = Set(all.map(\.id))
        all = drafts
        return drafts.enumerated().filter { !known.contains($0.element.id) }.map { ($0.offset + 1, $0.element) }
    }

    /// The draft that a command names.
    /// - Parameter text: its number; empty if there is only one.
    /// - Throws: `Failure`.
    func named(_ text: String) throws -> GatewayDraft {
        guard !all.isEmpty else { throw Failure(.unknownDraft, "no draft waits here") }
        if text.isEmpty, all.count == 1 { return all[0] }
        guard let number = Int(text), all.indices.contains(number - 1) else {
            let numbers = all.count == 1 ? "there is only draft 1" : "there are drafts 1 to \(all.count)"
            throw Failure(.unknownDraft, text.isEmpty ? "which? \(numbers)" : numbers, remedy: "/drafts")
        }
        return all[number - 1]
    }

    /// Who has inserted it: that is always said, because its text may look like a person's own.
    static func author(_ draft: GatewayDraft) -> String { draft.insertedBy.map(SafeText.line) ?? "you" }

    /// A draft, as it is shown apart from the history.
    static func lines(_ number: Int, _ draft: GatewayDraft) -> [String] {
        let lines = SafeText.lines(draft.shownWhole)
        let rest = lines.dropFirst().prefix(mostLines - 1).map { "  " + $0 }
        return ["draft \(number) by \(author(draft)), not sent: \(lines[0])"] + rest
            + (lines.count > mostLines ? ["  … (/draft take \(number) shows all of it)"] : [])
    }

    /// What can be done with the drafts.
    static let hint = "/draft send N, /draft take N into the line, or /draft discard N"

    private static let mostLines = 8
}
