package import EarshotCrypto
import Foundation

/// Seals an identity's secret key. It lies in wiped memory.
public struct Passphrase: Sendable, Equatable {
    /// The greatest length; a longer passphrase is refused.
    public static let maximumBytes = 1024

    let secret: SecretBytes
    /// What a guess costs. What was sealed before opens at the cost that is written in it.
    let cost: PassphraseCost

    /// Takes a copy; the owner of the original should wipe it.
    public init(copying bytes: some Collection<UInt8>) { self.init(copying: bytes, cost: .moderate) }

    package init(copying bytes: some Collection<UInt8>, cost: PassphraseCost) {
        secret = SecretBytes(copying: bytes)
        self.cost = cost
    }

    /// Reads the first line from a file descriptor, without the line's end.
    /// - Throws: `EarshotError` `passphraseNeeded` for an empty or overlong line or an unreadable descriptor.
    public init(readingFrom descriptor: Int32) throws(EarshotError) {
        var count = 0
        var reason: String?
        // One more byte, for the end of the longest line.
        let line = SecretBytes(count: Self.maximumBytes + 1) { buffer in
            while count < buffer.count {
                let got = read(descriptor, buffer.baseAddress! + count, 1)
                if got < 0 { reason = String(cString: strerror(errno)) }
                if got <= 0 || buffer[count] == UInt8(ascii: "\n") { return }
                count += 1
            }
            reason = "it is longer than \(Self.maximumBytes) bytes"
        }
        guard reason == nil, count > 0 else {
            throw EarshotError(
                .passphraseNeeded, "no passphrase could be read: \(reason ?? "it is empty")",
                .init(count > 0 ? .tooLong : .empty, limit: Self.maximumBytes))
        }
        self = line.withUnsafeBytes { Passphrase(copying: $0.prefix(count)) }
    }

    /// Reads the first line of a file that is its owner's alone.
    /// - Throws: `EarshotError`.
    public init(file path: String) throws(EarshotError) {
        self = try PrivateFile.with(path, orThrow: .passphraseNeeded) { (descriptor) throws(EarshotError) in
            try Passphrase(readingFrom: descriptor)
        }
    }
}
