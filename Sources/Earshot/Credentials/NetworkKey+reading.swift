import EarshotCrypto
import Foundation

extension NetworkKey {
    /// The greatest length of a text; a longer one is refused.
    public static let maximumTextBytes = 1024

    /// Reads the text of a key from a file that is its owner's alone.
    /// - Throws: `EarshotError` `looseHome` for a file that others may read, `invalidNetworkKey`.
    public init(file path: String) throws(EarshotError) {
        self = try PrivateFile.with(path, orThrow: .invalidNetworkKey) { (descriptor) throws(EarshotError) in
            try NetworkKey(readingFrom: descriptor)
        }
    }

    /// Reads the text of a key from a file descriptor.
    /// - Parameters:
    ///   - descriptor: an open file descriptor; it stays open.
    ///   - isLine: whether to stop at the end of the first line, as on a terminal.
    /// - Throws: `EarshotError` `invalidNetworkKey`.
    public init(readingFrom descriptor: Int32, isLine: Bool = false) throws(EarshotError) {
        var count = 0
        var reason: String?
        let bytes = SecretBytes(count: Self.maximumTextBytes) { buffer in
            while let start = buffer.baseAddress, count < buffer.count {
                let got = read(descriptor, start + count, 1)
                if got < 0 { reason = String(cString: strerror(errno)) }
                if got <= 0 || (isLine && buffer[count] == UInt8(ascii: "\n")) { return }
                count += 1
            }
            reason = "the text is longer than any key"
        }
        guard reason == nil, count > 0 else {
            throw EarshotError(
                .invalidNetworkKey, "no network key could be read: \(reason ?? "there is nothing")",
                .init(count > 0 ? .tooLong : .empty))
        }
        try self.init(typed: bytes.withUnsafeBytes { String(decoding: $0.prefix(count), as: UTF8.self) })
    }
}
