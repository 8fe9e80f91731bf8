import Earshot
import Foundation
import Testing

@Suite("An error of the SDK")
struct ErrorTextTests {
    /// Every type of error that is public, as `docs/api/Earshot.txt` lists them.
    private static let errors: [any Error & CustomStringConvertible] = [
        EarshotError(.unknownUser, "nobody called \"bob\" is known"), Attachment.Invalid.unsafeName,
        MessageDraft.Invalid.emptyText, UserName.Invalid.empty, WebLink.Invalid.wrongHost,
    ]

    @Test("has its message as the text that Foundation shows", arguments: errors.indices)
    func localized(index: Int) {
        let error = Self.errors[index]
        #expect((error as any Error).localizedDescription == error.description)
        #expect(!error.description.contains("Earshot"))
    }

    @Test("shows its code in logs")
    func debugText() {
        let error = EarshotError(.unknownUser, "nobody called \"bob\" is known")
        #expect(String(reflecting: error) == "unknownUser: nobody called \"bob\" is known")
    }

    @Test("is of one of the types that are tested")
    func kind() throws {
        let list = try String(contentsOfFile: APIList.path, encoding: .utf8)
        let types = list.split(separator: "\n").filter { line in
            line.contains(" Error,")
                && ["struct ", "enum "].contains { line.hasPrefix($0) || line.contains(": \($0)") }
        }
        #expect(types.count == Self.errors.count, "\(types)")
    }

    @Test("is EarshotError, whatever cannot be made")
    func oneType() throws {
        let fileID = try FileID(parsing: String(repeating: "0", count: 52))
        let makers: [(EarshotError.Code, () throws -> Void)] = [
            (.invalidName, { _ = try UserName("") }), (.invalidName, { _ = try UserName(typed: " bob") }),
            (.invalidLink, { _ = try WebLink("example.org") }),
            (.invalidAttachment, { _ = try Attachment(fileID: fileID, name: "a/b", byteCount: 1) }),
            (.invalidMessage, { try MessageDraft("").validate() }),
        ]
        for (code, make) in makers {
            #expect {
                try make()
            } throws: { error in
                guard let error = error as? EarshotError else { return false }
                return error.code == code && !error.message.isEmpty && error.cause != nil
            }
        }
    }

    @Test("is what a damaged text gets: each value that is stored as its text can be read from it by every program")
    func readable() throws {
        let list = try String(contentsOfFile: APIList.path, encoding: .utf8)
        let lines = list.split(separator: "\n").map(String.init)
        let types = lines.filter { $0.contains(" : CodingKeyRepresentable") }.map { $0.split(separator: " ")[1] }
        #expect(types.count == 14)
        for type in types {
            let reader = "\(type): init(parsing text: String) throws(EarshotError)"
            #expect(lines.contains(reader), "\(type)")
        }
    }

    @Test("is the only one that public functions throw, but for the cancellation of a task")
    func declaredTypes() throws {
        let list = try String(contentsOfFile: APIList.path, encoding: .utf8)
        let others = list.split(separator: "\n").filter { $0.contains("throws(") }.filter {
            !$0.contains("throws(EarshotError)") && !$0.contains("throws(CancellationError)")
        }
        #expect(others.isEmpty, "\(others.joined(separator: "\n"))")
    }
}

/// What programs see of the package.
enum APIList {
    static let path = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/docs/api/Earshot.txt"
}
