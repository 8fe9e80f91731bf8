import Earshot
import Foundation

/// How a file comes, in one line on standard error that is written again and again: its size, its speed and the time that is left.
/// Where standard error is no terminal, nothing is written.
final class TransferLine {
    private let name: String
    private let byteCount: UInt64
    private let isShown = isatty(STDERR_FILENO) == 1
    private var first: (bytes: UInt64, at: ContinuousClock.Instant)?
    private var hasLine = false

    init(name: String, byteCount: UInt64) {
        (self.name, self.byteCount) = (name, byteCount)
    }

    func show(_ bytes: UInt64) {
        guard isShown else { return }
        let now = ContinuousClock.now
        let first = first ?? (bytes, now)
        self.first = first
        let text = Self.text(
            bytes, of: byteCount, moved: bytes >= first.bytes ? bytes - first.bytes : 0, in: now - first.at)
        StandardError.write("\r\u{1b}[K\(SafeText.line(name))  \(text)")
        hasLine = true
    }

    func end() {
        guard hasLine else { return }
        StandardError.write("\r\u{1b}[K")
        hasLine = false
    }

    /// - Parameters:
    ///   - moved: the bytes that came while this was shown, by which the speed is reckoned.
    ///   - duration: for how long it was shown.
    static func text(_ bytes: UInt64, of byteCount: UInt64, moved: UInt64, in duration: Duration) -> String {
        let share = byteCount == 0 ? 100 : Int(bytes * 100 / byteCount)
        let begin = "\(share) %  \(ByteText.of(bytes)) of \(ByteText.of(byteCount))"
        let seconds = duration / .seconds(1)
        guard moved > 0, seconds >= 0.5 else { return bytes == 0 ? begin + ", waiting for somebody who has it" : begin }
        let rate = Double(moved) / seconds
        let left = Int((Double(byteCount - min(bytes, byteCount)) / rate).rounded(.up))
        return begin + "  \(ByteText.of(UInt64(rate)))/s  \(left / 60):\(left % 60 < 10 ? "0" : "")\(left % 60) left"
    }
}
