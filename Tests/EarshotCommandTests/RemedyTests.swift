import Earshot
import EarshotGateway
import EarshotModel
import Foundation
import Testing

@testable import EarshotCommand

@Suite("The remedy that a command names for an error")
struct RemedyTests {
    @Test(
        "can be typed as it stands",
        arguments: [
            (.notInitialized, .init(path: "/h"), "earshot init"),
            (.looseHome, .init(path: "/h/device.key", mode: "600"), "chmod 600 /h/device.key"),
            (.unusableHome, .init(.notADirectory, path: "/h"), "--home"),
            (.unusableHome, .init(.malformed, path: "/h/device.key"), "restore it from a backup"),
            (.unusableHome, .init(.leftover, path: "/h/backup-1"), "remove /h/backup-1: it holds keys"),
            (.passphraseNeeded, .init(.sealed), "--passphrase-file"),
            (.networkKeyExists, .init(path: "/h"), "--replace"),
            (.fileExists, .init(.underWay, path: "/a"), "wait"),
            (.storeFull, .init(), "free some space"),
            (.storeNewer, .init(), "update this program"),
            (.portInUse, .init(port: 7000), "--port"),
            (.unknownUser, .init(name: "Bbo", suggestions: ["bob"]), "did you mean bob?"),
            (.unknownUser, .init(name: "nobody"), "earshot users"),
            (.undelivered, .init(), "earshot cancel"),
            (.noNode, .init(), "earshot up"),
            (.timedOut, .init(.mayBeAccepted), "earshot history NAME"),
        ] as [(EarshotError.Code, EarshotError.Parameters, String)])
    func words(code: EarshotError.Code, about: EarshotError.Parameters, expected: String) {
        let words = Remedy.words(for: code, about)
        #expect(words?.contains(expected) == true, "\(words ?? "none")")
    }

    @Test("of several users of a name gives the key for a name in which a shell would see more than letters")
    func hostileNames() {
        let (bob, mallory) = (Self.userID(1), Self.userID(2))
        let about = EarshotError.Parameters(
            candidates: [bob, mallory], suggestions: ["bob@\(bob.description.prefix(8))", "$(x)@00000000"])
        let words = Remedy.words(for: .ambiguousUser, about) ?? ""
        #expect(words.contains("bob@\(bob.description.prefix(8)) or \(mallory.description)"))
        #expect(!words.contains("$"))
    }

    @Test("goes with the parameters in JSON")
    func json() throws {
        let error = EarshotError(.looseHome, "others may read /h", .init(path: "/h", mode: "700"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(Failure(error)), as: UTF8.self)
        #expect(text.contains(#""parameters":{"mode":"700","path":"/h"}"#), "\(text)")
        #expect(text.contains(#""remedy":"chmod 700 /h""#), "\(text)")
    }

    private static func userID(_ byte: UInt8) -> UserID {
        [UInt8](repeating: byte, count: 32).withUnsafeBytes { UserID(Bytes32(exactly: $0)) }
    }
}
