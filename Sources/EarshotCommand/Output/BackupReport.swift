import Earshot

/// The contents of a backup, for people and for programs.
struct BackupReport: Encodable {
    let file: String
    let id: String
    let name: String
    let createdMilliseconds: Int64
    let entryCount: Int
    let undeliveredCount: Int
    /// The first undelivered messages.
    let undelivered: [Message]
    let scheduledCount: Int
    /// Whether it has the files that messages bring along: they are fetched again from those who have them.
    let holdsFiles = false
    /// Left out if the backup was only written.
    let isSameDevice: Bool?

    struct Message: Encodable {
        let id: String
        let recipientID: String
        let recipient: String?
        let text: String
        let timestampMilliseconds: Int64
    }

    init(_ summary: BackupSummary, file: String, isSameDevice: Bool? = nil) {
        self.file = file
        self.isSameDevice = isSameDevice
        id = summary.userID.description
        name = summary.name.text
        createdMilliseconds = summary.createdMilliseconds
        entryCount = summary.entryCount
        undeliveredCount = summary.undeliveredCount
        scheduledCount = summary.scheduledCount
        undelivered = summary.undelivered.map { message in
            Message(
                id: message.messageID.description, recipientID: message.recipientID.description,
                recipient: message.recipientName?.text, text: message.text, timestampMilliseconds: message.timestamp)
        }
    }

    var contents: String {
        "\(Counted.text(entryCount, "message", "messages")) as of \(LocalTime.full(createdMilliseconds))"
            + (undeliveredCount > 0 ? ", \(undeliveredCount) of them not delivered yet" : "")
            + (scheduledCount > 0 ? ", and \(scheduledCount) scheduled for later" : "")
            + "; the files that messages bring along are not in it"
    }

    /// The messages that waited, and who has to deliver them.
    var waiting: [String] {
        guard let isSameDevice else { return [] }
        return undeliveredLines(isSameDevice) + scheduledLines(isSameDevice)
    }

    private func scheduledLines(_ isSameDevice: Bool) -> [String] {
        guard scheduledCount > 0 else { return [] }
        let messages = Counted.text(scheduledCount, "message is", "messages are")
        return [
            isSameDevice
                ? "\(messages) scheduled for later, and sent from here"
                : "\(messages) scheduled for later on the old machine; if it is gone, schedule them again"
        ]
    }

    private func undeliveredLines(_ isSameDevice: Bool) -> [String] {
        guard undeliveredCount > 0 else { return [] }
        let heading =
            isSameDevice
            ? "these were not delivered yet, and are delivered from here:"
            : "these were not delivered yet, and stay with the old machine; if it is gone, send them again:"
        let lines = undelivered.map { message in
            let who = SafeText.line(message.recipient ?? message.recipientID)
            return "  \(LocalTime.full(message.timestampMilliseconds))  to \(who): \(SafeText.line(message.text))"
        }
        let more = undeliveredCount - undelivered.count
        return [heading] + lines + (more > 0 ? ["  and \(more) more"] : [])
    }
}
