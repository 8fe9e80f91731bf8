import Foundation

/// Output that is not the result: the log, notes, questions.
enum StandardError {
    private static let writer = DescriptorWriter(STDERR_FILENO)
    private static let logWriter = DescriptorWriter(STDERR_FILENO, patience: DescriptorWriter.patienceOfNode)

    /// Writes in one piece, as far as possible. If that fails, as on a full disk or after the reader has gone, the text
    /// is lost: a node must not end because its log cannot be written, and there is no other place to say so.
    /// `FileHandle` would end the process.
    static func write(_ text: String) { _ = writer.write(Array(text.utf8)) { _ in "" } }

    /// The same for what a node does while it runs, which waits for no reader.
    static func log(_ text: String) { log(Array(text.utf8)) }

    static func log(_ bytes: some Sequence<UInt8>) {
        _ = logWriter.write(Array(bytes)) { "earshot: \($0) lines are missing here: nobody read them\n" }
    }
}
