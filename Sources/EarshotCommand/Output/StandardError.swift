import Foundation

/// Output that is not the result: the log, notes, questions.
enum StandardError {
    /// Writes in one piece, as far as possible. If that fails, as on a full disk or after the reader has gone, the text
    /// is lost: a node must not end because its log cannot be written, and there is no other place to say so.
    /// `FileHandle` would end the process.
    static func write(_ text: String) { write(Array(text.utf8)) }

    static func write(_ bytes: some Sequence<UInt8>) {
        var rest = Array(bytes)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            guard count > 0 || count < 0 && errno == EINTR else { return }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
