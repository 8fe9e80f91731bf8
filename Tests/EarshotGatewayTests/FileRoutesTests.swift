import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The local API for files")
struct FileRoutesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func file(_ content: Data, _ name: String = "plan.pdf") throws -> String {
        let path = folder.file(name)
        try content.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// More than is written to a client at once.
    private static let content = Data((0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })

    @Test("takes files in, brings them along, gives their contents, and saves them")
    func exchanged() async throws {
        let path = try file(Self.content)
        try await TestNode.pair { alice, bob in
            // Then alice is no stranger to bob.
            _ = try await bob.client.send("hello", to: "alice")
            let attachment = try await alice.client.addFile(path)
            #expect(attachment.name == "plan.pdf" && attachment.mediaType == "application/pdf")
            let sent = try await alice.client.send("", to: "bob", attachments: [attachment])
            #expect(sent.attachments == [attachment] && sent.text == "")
            try await withDeadline("bob has the file") {
                try await bob.client.withEvents([.fileUpdated, .messageReceived]) { events in
                    guard (try? await bob.client.file(attachment.fileID))?.state != "held" else { return }
                    for try await event in events where event.file?.state == "held" { return }
                }
            }
            let history = try await bob.client.history(with: "alice", limit: 1)
            #expect(history.first?.attachments == [attachment])
            let request = RawRequest(method: "GET", path: "/v1/files/\(attachment.fileID)/content")
            let answer = try await request.send(to: bob.node.home.socketFile)
            #expect(answer.status == 200 && Data(answer.body) == Self.content)
            #expect(answer.head.lowercased().contains("content-disposition: attachment"))
            let named = RawRequest(method: "GET", path: "\(request.path)?name=.gr%C3%BC%C3%9Fe%22%0d%0ax:%20y.txt")
            let head = try await named.send(to: bob.node.home.socketFile).head
            #expect(head.contains("attachment; filename*=UTF-8''_gr%C3%BC%C3%9Fe___x_%20y.txt\r\n"))
            let saved = try await bob.client.saveFile(attachment, to: folder.path)
            #expect(saved == folder.file("plan (2).pdf"))
        }
    }

    @Test("breaks off a download whose token is revoked, however slowly it is read")
    func revoked() async throws {
        // More than the sockets of both ends hold.
        let path = try file(Data(count: 64 * 1024 * 1024), "large.bin")
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("reader", scopes: [.read]).token
            let attachment = try await alice.client.addFile(path)
            let connection = try RawConnection(port: alice.httpPort)
            try await connection.begin(
                "GET /v1/files/\(attachment.fileID)/content HTTP/1.1\r\nhost: 127.0.0.1:\(alice.httpPort)\r\n"
                    + "authorization: Bearer \(token)\r\n\r\n")
            #expect(try await connection.peek().hasPrefix("HTTP/1.1 200 "))
            try await alice.client.revokeToken("reader")
            let answer = try await connection.exchange([])
            #expect(!answer.isEmpty && answer.count < attachment.byteCount)
        }
    }

    @Test("takes in contents that are larger than any other body, also with a token for drafts alone")
    func uploaded() async throws {
        // More than the body of other requests may have, and more than is written at once.
        let content = Array(Self.content) + Array(Self.content)
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("preparer", scopes: [.draft]).token
            let request = RawRequest(
                method: "POST", path: "/v1/files/upload?name=big%20plan.bin", body: content,
                headers: ["authorization: Bearer \(token)"])
            let answer = try await request.send(toPort: alice.httpPort)
            #expect(answer.status == 201)
            let attachment = try JSONDecoder().decode(GatewayAttachment.self, from: Data(answer.body))
            #expect(attachment.name == "big plan.bin" && attachment.byteCount == UInt64(content.count))
            let draft = """
                {"to":"me","text":"","attachments":[{"fileID":"\(attachment.fileID)","name":"\(attachment.name)",
                "mediaType":"\(attachment.mediaType)","byteCount":\(attachment.byteCount)}]}
                """
            let insert = RawRequest(
                method: "POST", path: "/v1/drafts", body: Array(draft.utf8), headers: ["authorization: Bearer \(token)"]
            )
            #expect(try await insert.send(toPort: alice.httpPort).status == 201)
            #expect(try await alice.client.drafts().map(\.attachments) == [[attachment]])
            let read = RawRequest(method: "GET", path: "/v1/files/\(attachment.fileID)/content")
            #expect(try await read.send(to: alice.node.home.socketFile).body.elementsEqual(content))
        }
    }

    @Test("refuses an upload before its body: without a name, with a wrong one, and without the scope")
    func refusedUploads() async throws {
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("reader", scopes: [.read]).token
            for (target, headers, status) in [
                ("/v1/files/upload", [], 400), ("/v1/files/upload?name=..", [], 422),
                ("/v1/files/upload?name=a%2Fb", [], 422), ("/v1/files/upload?name=a&mediaType=x", [], 422),
                ("/v1/files/upload?name=a", ["authorization: Bearer \(token)"], 403),
            ] {
                // What is to be read is asked for first, with 100.
                let request = RawRequest(
                    method: "POST", path: target, body: [1, 2, 3], headers: headers + ["expect: 100-continue"])
                let answer =
                    try await
                    (headers.isEmpty
                    ? request.send(to: alice.node.home.socketFile) : request.send(toPort: alice.httpPort))
                #expect(answer.status == status, "\(target)")
            }
        }
    }

    @Test("shows a picture as what it is, whatever its author says, and nothing else")
    func pictures() async throws {
        let dot = Data("GIF89a\u{1}\0\u{1}\0\0\0\0,\0\0\0\0\u{1}\0\u{1}\0\0\u{2}\u{2}D\u{1}\0;".utf8)
        let (picture, page) = (try file(dot, "page.html"), try file(Data("<script>".utf8), "dot.png"))
        try await TestNode.with("alice") { alice in
            let shown = try await RawRequest(
                method: "GET", path: "/v1/files/\(alice.client.addFile(picture).fileID)/picture"
            ).send(to: alice.node.home.socketFile)
            #expect(shown.status == 200 && Data(shown.body) == dot)
            #expect(shown.head.lowercased().contains("content-type: image/gif"))
            #expect(shown.head.lowercased().contains("nosniff"))
            let refused = try await RawRequest(
                method: "GET", path: "/v1/files/\(alice.client.addFile(page).fileID)/picture"
            ).send(to: alice.node.home.socketFile)
            #expect(refused.status == 422)
            #expect(try refused.error().code == "notAPicture")
        }
    }

    @Test("names paths for the owner on the socket alone, and only whole ones")
    func paths() async throws {
        let path = try file(Data("x".utf8))
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("page", scopes: [.all]).token
            let attachment = try await alice.client.addFile(path)
            for (target, body) in [
                ("/v1/files", #"{"path":"\#(path)"}"#),
                ("/v1/files/\(attachment.fileID)/save", #"{"folder":"\#(folder.path)","name":"a"}"#),
            ] {
                let request = RawRequest(
                    method: "POST", path: target, body: Array(body.utf8), headers: ["authorization: Bearer \(token)"])
                #expect(try await request.send(toPort: alice.httpPort).status == 403)
            }
            for (target, body) in [
                ("/v1/files", #"{"path":"plan.pdf"}"#),
                ("/v1/files/\(attachment.fileID)/save", #"{"folder":".","name":"a"}"#),
                ("/v1/files/\(attachment.fileID)/save", #"{"folder":"/tmp","name":"../a"}"#),
            ] {
                let request = RawRequest(method: "POST", path: target, body: Array(body.utf8))
                #expect(try await request.send(to: alice.node.home.socketFile).status == 400)
            }
        }
    }

    @Test("lists and removes files, and takes rules of the owner alone")
    func rules() async throws {
        let path = try file(Data("x".utf8))
        try await TestNode.pair { alice, bob in
            let attachment = try await alice.client.addFile(path)
            _ = try await alice.client.send("", to: "bob", attachments: [attachment])
            let list = try await alice.client.files(limit: 10)
            #expect(list.files.map(\.name) == ["plan.pdf"] && list.files.first?.state == "held")
            #expect(list.heldCount == 1 && list.heldBytes == 1 && list.quotaBytes == nil && list.freeBytes > 0)
            try await alice.client.removeFile(attachment.fileID)
            #expect(try await alice.client.file(attachment.fileID).state == "declined")
            let rule = FileRuleRequest(
                decision: "fetch", sender: "bob", mediaType: "image/*", largest: 5, folder: folder.path)
            let rules = try await alice.client.setFileRules(FileRulesRequest(rules: [rule], quotaBytes: 100))
            #expect(rules.rules.first?.sender?.name == "bob" && rules.quotaBytes == 100)
            #expect(try await alice.client.setFileRules(FileRulesRequest(rules)) == rules)
            #expect(try await alice.client.fileRules() == rules)
            let token = try await alice.client.createToken("page", scopes: [.all]).token
            let request = RawRequest(
                method: "POST", path: "/v1/files/rules", body: Array(#"{"rules":[]}"#.utf8),
                headers: ["authorization: Bearer \(token)"])
            #expect(try await request.send(toPort: alice.httpPort).status == 403)
            for body in [
                #"{"rules":[{"decision":"perhaps"}]}"#, #"{"rules":[{"decision":"ask","folder":"/a"}]}"#,
                #"{"rules":[],"quotaBytes":-1}"#, #"{"rules":[{"decision":"ask","mediaType":"x"}]}"#,
            ] {
                let request = RawRequest(method: "POST", path: "/v1/files/rules", body: Array(body.utf8))
                #expect([400, 422].contains(try await request.send(to: alice.node.home.socketFile).status))
            }
        }
    }

    @Test("says that it knows nothing of a file that nothing brings along")
    func unknown() async throws {
        try await TestNode.with("alice") { alice in
            let nobodys = String(repeating: "0", count: 52)
            for fileID in ["x", nobodys] {
                let error = await #expect(throws: GatewayError.self) { try await alice.client.file(fileID) }
                #expect(error?.code == .unknownFile)
            }
            let attachment = #"{"fileID":"\#(nobodys)","name":"a","mediaType":"a/b","byteCount":1}"#
            let body = #"{"to":"me","text":"look","attachments":[\#(attachment)]}"#
            let request = RawRequest(method: "POST", path: "/v1/messages", body: Array(body.utf8))
            let answer = try await request.send(to: alice.node.home.socketFile)
            #expect(answer.status == 404)
            #expect(try answer.error().code == "unknownFile")
        }
    }
}
