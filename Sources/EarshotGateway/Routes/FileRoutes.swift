import Earshot
import NIOCore
import Synchronization

/// Files that messages bring along: taking them in, fetching them, and what they contain.
struct FileRoutes: RouteGroup {
    let node: Node
    private let places = IntakePlaces()

    init(node: Node) { self.node = node }

    var routes: [Route] {
        [
            .get("/v1/files", query: ["limit"]) { try await list($0) },
            .post("/v1/files", AddFileRequest.self, scope: .owner) { try await add($1) },
            .post("/v1/files/upload", query: ["name", "mediaType"], scope: .draft, takingIn: intake) { request in
                guard let intake = request.intake else {
                    throw GatewayError(.invalidRequest, "the body of this request is the file's content")
                }
                return try .created(GatewayAttachment(try await intake.finish()))
            },
            .get("/v1/files/rules") { _ in try await .json(representer.fileRules(node.files.rules())) },
            .post("/v1/files/rules", FileRulesRequest.self, scope: .owner) { try await setRules($1) },
            .get("/v1/files/{file}") { try await .json(shown(try file(of: $0))) },
            .get("/v1/files/{file}/content", query: ["name"], isHeld: true) { request in
                try await content(try file(of: request), as: request.query("name"))
            },
            .get("/v1/files/{file}/picture", isHeld: true) { try await picture(try file(of: $0)) },
            .post("/v1/files/{file}/fetch", scope: .all) { request in
                let fileID = try file(of: request)
                try await node.files.fetch(fileID)
                return try await .json(shown(fileID))
            },
            .post("/v1/files/{file}/decline", scope: .all) { request in
                let fileID = try file(of: request)
                try await node.files.decline(fileID)
                return try await .json(shown(fileID))
            },
            .delete("/v1/files/{file}", scope: .all) { request in
                try await node.files.remove(try file(of: request))
                return .done
            },
            .post("/v1/files/{file}/save", SaveFileRequest.self, scope: .owner) { try await save($0, $1) },
        ]
    }

    private func file(of request: Request) throws(GatewayError) -> FileID {
        let text = try request.parameter("file")
        guard let fileID = FileID(text) else {
            throw GatewayError(.unknownFile, "there is no file \"\(text.prefix(64))\"")
        }
        return fileID
    }

    private func shown(_ fileID: FileID) async throws -> GatewayFile {
        GatewayFile(try await node.files.update(of: fileID))
    }

    private func list(_ request: Request) async throws -> Response {
        let limit = try request.number("limit", in: 1...Limits.listedFiles) ?? GatewayLimits.defaultPage
        let files = try await representer.files(node.files.shared(limit: limit))
        return try await .json(GatewayFileList(files, node.files.usage()))
    }

    /// Only the owner can name folders.
    private func setRules(_ body: FileRulesRequest) async throws -> Response {
        var rules: [FileRule] = []
        for rule in body.rules {
            var sender: UserID?
            if let name = rule.sender { sender = try await node.users.recipient(name) }
            rules.append(
                FileRule(try rule.readDecision(), sender: sender, mediaType: rule.mediaType, largest: rule.largest))
        }
        try await node.files.setRules(
            FileRules(rules, quotaBytes: body.quotaBytes), areForWaiting: body.areForWaiting ?? false)
        return try await .json(representer.fileRules(node.files.rules()))
    }

    /// Only the owner can name a path: whoever has a token may be kept from the files of the owner.
    private func add(_ body: AddFileRequest) async throws -> Response {
        return try .created(
            GatewayAttachment(try await node.files.add(body.path, name: body.name, mediaType: body.mediaType)))
    }

    /// Whoever may send or prepare a message may bring along what they have themselves.
    private func intake(_ request: Request) async throws -> Intake {
        guard let name = request.query("name") else {
            throw GatewayError(.invalidRequest, "the query has the file's name: ?name=report.pdf", .init(name: "name"))
        }
        let release = try places.take()
        do {
            return Intake(
                try await node.files.upload(
                    name: name, mediaType: request.query("mediaType"), by: request.access.uploader), release: release)
        } catch {
            release()
            throw error
        }
    }

    private func save(_ request: Request, _ body: SaveFileRequest) async throws -> Response {
        let fileID = try file(of: request)
        let attachment: Attachment
        do {
            attachment = try Attachment(fileID: fileID, name: body.name, byteCount: 0)
        } catch { throw GatewayError(.invalidRequest, error.message, .init(name: "name")) }
        return try .created(SavedFile(path: try await node.files.save(attachment, to: body.folder)))
    }

    /// It is never shown in place: a browser that took it for a page would run it beside the node's own.
    private func content(_ fileID: FileID, as name: String?) async throws -> Response {
        let update = try await node.files.update(of: fileID)
        guard update.state == .held else {
            throw GatewayError(.fileMissing, "the file \(fileID) is not here yet")
        }
        return Response(
            byteCount: Int(update.byteCount), name: name.map { SavedName($0) },
            pieces: pieces(of: fileID, Int(update.byteCount)))
    }

    /// Its type is what its content says, and not what its author does.
    private func picture(_ fileID: FileID) async throws -> Response {
        let picture = try await node.files.picture(of: fileID)
        let count = Int(picture.byteCount)
        return Response(picture: picture.format.mediaType, byteCount: count, pieces: pieces(of: fileID, count))
    }

    private func pieces(of fileID: FileID, _ count: Int) -> @Sendable () async throws -> ByteBuffer? {
        let (files, offset) = (node.files, PieceOffset())
        return {
            let start = offset.advance(by: GatewayLimits.filePieceBytes)
            guard start < count else { return nil }
            return ByteBuffer(
                bytes: try await files.bytes(of: fileID, start..<min(start + GatewayLimits.filePieceBytes, count)))
        }
    }
}

/// How far a content is written.
private final class PieceOffset: Sendable {
    private let offset = Mutex(0)

    /// - Returns: where it was before.
    func advance(by count: Int) -> Int {
        offset.withLock { offset in
            defer { offset += count }
            return offset
        }
    }
}

/// The body of `POST /v1/files`.
struct AddFileRequest: RequestBody, Encodable {
    let path: String
    var name: String?
    var mediaType: String?
}

extension AddFileRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        path = try fields.required("path", .text)
        name = try fields.optional("name", .text)
        mediaType = try fields.optional("mediaType", .text)
        guard path.hasPrefix("/") else {
            throw GatewayError(.invalidRequest, "path begins with a slash", .init(name: "path"))
        }
    }
}

/// The body of `POST /v1/files/rules`.
package struct FileRulesRequest: Encodable, Sendable {
    package var rules: [FileRuleRequest]
    package var quotaBytes: UInt64?
    /// Whether rules that are new are also for files whose messages are here already.
    package var areForWaiting: Bool?

    package init(rules: [FileRuleRequest], quotaBytes: UInt64?) { (self.rules, self.quotaBytes) = (rules, quotaBytes) }

    /// The same as they are.
    package init(_ rules: GatewayFileRules) {
        self.init(rules: rules.rules.map(FileRuleRequest.init), quotaBytes: rules.quotaBytes)
    }
}

extension FileRulesRequest: RequestBody {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        rules = try fields.required("rules", .list(of: .object(FileRuleRequest.self)))
        quotaBytes = try fields.size("quotaBytes")
        areForWaiting = try fields.optional("areForWaiting", .bool)
    }
}

/// A rule for files, as a request has it.
package struct FileRuleRequest: Encodable, Sendable {
    let decision: String
    /// Named like a recipient.
    var sender: String?
    var mediaType: String?
    var largest: UInt64?
    var folder: String?

    package init(decision: String, sender: String?, mediaType: String?, largest: UInt64?, folder: String?) {
        (self.decision, self.sender, self.mediaType) = (decision, sender, mediaType)
        (self.largest, self.folder) = (largest, folder)
    }

    /// The same as it is.
    package init(_ rule: GatewayFileRule) {
        self.init(
            decision: rule.decision, sender: rule.sender?.id, mediaType: rule.mediaType, largest: rule.largest,
            folder: rule.folder)
    }

    /// - Throws: `GatewayError` `invalidRequest`.
    fileprivate func readDecision() throws(GatewayError) -> FileRule.Decision {
        guard decision == "fetch" || folder == nil else {
            throw GatewayError(.invalidRequest, "only a rule that fetches has a folder", .init(name: "folder"))
        }
        switch decision {
        case "fetch": return .fetch(folder: folder)
        case "ask": return .ask
        case "refuse": return .refuse
        default:
            throw GatewayError(
                .invalidRequest, "decision is fetch, ask or refuse",
                .init(name: "decision", suggestions: ["fetch", "ask", "refuse"]))
        }
    }
}

extension FileRuleRequest: RequestBody {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        decision = try fields.required("decision", .text)
        sender = try fields.optional("sender", .text)
        mediaType = try fields.optional("mediaType", .text)
        largest = try fields.size("largest")
        folder = try fields.optional("folder", .text)
    }
}

extension JSONFields {
    /// A number of bytes.
    fileprivate mutating func size(_ name: String) throws(GatewayError) -> UInt64? {
        guard let number = try optional(name, .integer) else { return nil }
        guard number >= 0 else {
            throw GatewayError(.invalidRequest, "\(name) is a number of bytes", .init(name: name))
        }
        return UInt64(number)
    }
}

/// The body of `POST /v1/files/{file}/save`.
struct SaveFileRequest: RequestBody, Encodable {
    let folder: String
    let name: String
}

extension SaveFileRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        folder = try fields.required("folder", .text)
        name = try fields.required("name", .text)
        guard folder.hasPrefix("/") else {
            throw GatewayError(.invalidRequest, "folder begins with a slash", .init(name: "folder"))
        }
    }
}

/// Where a file was saved.
struct SavedFile: Codable, Sendable {
    let path: String
}

/// A file that a message is to bring along, as `POST /v1/files` has answered.
struct AttachmentRequest: RequestBody, Encodable {
    let fileID: String
    let name: String
    let mediaType: String
    let byteCount: Int

    /// - Throws: `GatewayError` `invalidRequest`, `unknownFile`.
    func read() throws(GatewayError) -> Attachment {
        guard let fileID = FileID(fileID) else {
            throw GatewayError(.unknownFile, "there is no file \"\(fileID.prefix(64))\"")
        }
        do {
            return try Attachment(
                fileID: fileID, name: name, mediaType: mediaType, byteCount: UInt64(clamping: byteCount))
        } catch { throw GatewayError(.invalidRequest, error.message, .init(name: "attachments")) }
    }
}

extension AttachmentRequest {
    init(_ attachment: GatewayAttachment) {
        (fileID, name) = (attachment.fileID, attachment.name)
        (mediaType, byteCount) = (attachment.mediaType, Int(clamping: attachment.byteCount))
    }

    init(_ fields: inout JSONFields) throws(GatewayError) {
        fileID = try fields.required("fileID", .text)
        name = try fields.required("name", .text)
        mediaType = try fields.required("mediaType", .text)
        byteCount = Int(clamping: try fields.required("byteCount", .integer))
    }
}
