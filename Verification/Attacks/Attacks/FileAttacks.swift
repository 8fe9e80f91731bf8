import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import TestSupport

/// Attacks with files: by who sends them, by who gives them, and by who wants them.
extension Attack {
    static let files: [Attack] =
        attachments + [
            giver("a sender that says a size of a byte more than the content's", byteCount: { $0 + 1 }, asks: [.lists]),
            giver("a sender that says a size of a byte less than the content's", byteCount: { $0 - 1 }, asks: [.lists]),
            giver(
                "a sender that says the size of a byte for a content of three chunks", byteCount: { _ in 1 },
                asks: [.lists]),
            giver("a sender that gives hashes of lists that are not the file's", asks: [.lists]) { part, bytes in
                part == .lists ? bytes.map(~) : bytes
            },
            giver("a sender that gives no hash of a list", asks: [.lists]) { part, bytes in part == .lists ? [] : bytes
            },
            giver("a sender that gives hashes of chunks that are not the list's", asks: [.lists, .hashes(ofList: 0)]) {
                part, bytes in
                part == .hashes(ofList: 0) ? bytes.map(~) : bytes
            },
            giver("a sender that gives no hash of a chunk", asks: [.lists, .hashes(ofList: 0)]) { part, bytes in
                part == .hashes(ofList: 0) ? [] : bytes
            },
            giver(
                "a sender that gives chunks that are not what their hashes say",
                asks: [.lists, .hashes(ofList: 0), .chunk(0), .chunk(1), .chunk(2)]
            ) { part, bytes in
                if case .chunk = part { bytes.map(~) } else { bytes }
            },
            changedChunk, lyingSize, misleadingName, lyingType, hugePicture, hugeFrame, falsePicture,
            foreignFile, unnamedFile, namedFile, crowdedLine,
            .flood("endless questions for a file that nobody may have", kind: .files) { _, arena in
                let wanted = ForgedFile.wanted(
                    ForgedFile([1]).fileID, byteCount: 1, in: arena.alicesLogToBob.conversationID, part: 0)
                return Array(repeating: wanted, count: 1000)
            },
            unaskedChunks, endlessChunks,
        ] + (SmallDisk.isAvailable ? [fullDisk] : [])

    // MARK: - Who sends them

    private static let attachments: [Attack] =
        [
            ("a/b", "a file with a slash in its name"), ("..", "a file called .."), (".", "a file called ."),
            ("a\nb", "a file with a line break in its name"), ("a\u{0}b", "a file with a NUL in its name"),
            ("a\u{1b}[2Jb", "a file with an escape sequence in its name"), ("", "a file without a name"),
            (String(repeating: "x", count: Limits.fileNameBytes + 1), "a file with a name of 256 bytes"),
        ].map { name, what in
            bringing(what, [ForgedFile.attachment(name: Array(name.utf8))])
        } + [
            bringing("a file whose name is no UTF-8", code: "malformed", [ForgedFile.attachment(name: [0x61, 0xff])]),
            bringing("a file of a type with a line break", [ForgedFile.attachment(mediaType: "text/html\r\nx: y")]),
            bringing("a file of a type without a slash", [ForgedFile.attachment(mediaType: "html")]),
            bringing("a file of 2^40 bytes and one", [ForgedFile.attachment(byteCount: Limits.fileBytes + 1)]),
            bringing("a file of 2^64 bytes less one", [ForgedFile.attachment(byteCount: .max)]),
            bringing(
                "a file whose id has 31 bytes", code: "malformed",
                [ForgedFile.attachment([UInt8](repeating: 9, count: Bytes32.count - 1))]),
            bringing(
                "a message with 65 files", Array(repeating: ForgedFile.attachment(), count: Limits.attachments + 1)),
        ]

    /// A message that no node sends: the link ends, and nothing of it is taken.
    private static func bringing(_ name: String, code: String = "violation", _ attachments: [[UInt8]]) -> Attack {
        .frames(name, kind: .files, code: code) { link, arena in
            let log = link.mallory.log(to: arena.alice.node.userID)
            link.send(Mallory.heads(), link.mallory.entries(log, bodies: [ForgedFile.message(attachments)]))
        }
    }

    /// The attacker brings a file along, which alice wants.
    private static func offer(
        _ file: ForgedFile, _ attachment: [UInt8], by mallory: Mallory, _ arena: Arena, _ source: String
    ) async throws -> Held {
        let held = try await Held.link(mallory, arena, source)
        let isTaken = try await blocking {
            try held.with { link in
                let log = mallory.log(to: arena.alice.node.userID)
                link.send(Mallory.heads(), mallory.entries(log, bodies: [ForgedFile.message([attachment])]))
                return link.waitForReceipt()
            }
        }
        guard isTaken else { throw HostileSocket.Failure(description: "the message was not taken") }
        try await arena.alice.node.files.fetch(file.fileID)
        return held
    }

    // MARK: - Who gives them

    /// Alice wants a file of the attacker's, who gives something else or has said something else of it.
    /// - Parameters:
    ///   - byteCount: the size that the message says.
    ///   - parts: what alice asks for until she has had enough.
    ///   - change: makes something else of a part.
    private static func giver(
        _ name: String, byteCount: @escaping @Sendable (Int) -> Int = { $0 }, asks parts: [FilePart],
        _ change: @escaping @Sendable (FilePart, [UInt8]) -> [UInt8] = { $1 }
    ) -> Attack {
        Attack(
            kind: .files, name: name,
            expected: "nothing is kept; asked for no more; the link goes on"
        ) { arena, source in
            let file = ForgedFile.random(bytes: 2 * FileShape.chunkBytes + 1000)
            let said = file.attachment(byteCount: byteCount(file.content.count))
            let held = try await offer(file, said, by: Mallory(name: "g \(source)"), arena, source)
            let (asked, isAlive) = try await blocking {
                try held.with { link in
                    let asked = link.give(file, change).flatMap(\.self)
                    return (asked, link.answersPing())
                }
            }
            let state = try await arena.alice.node.files.state(of: file.fileID)
            try await arena.alice.node.files.decline(file.fileID)
            return Outcome(
                "asked for \(asked); \(state); the link \(isAlive ? "goes on" : "is dead")",
                asked == parts && state == .fetching(receivedBytes: 0) && isAlive)
        }
    }

    private static let changedChunk = Attack(
        kind: .files, name: "a participant that changes every chunk of a file that it passes on",
        expected: "refused, and fetched whole from bob"
    ) { arena, source in
        let gathering = try await Gathering.open(arena, source)
        let mallory = Mallory(name: "p \(source)")
        // More than one link is asked for at once.
        let file = ForgedFile.random(bytes: (Limits.askedChunksPerLink + 16) * FileShape.chunkBytes)
        let path = arena.folder.file("file \(source)")
        try Data(file.content).write(to: URL(filePath: path))
        let held = try await Held.link(mallory, arena, source)
        let isIn = try await blocking {
            try held.with { link in
                link.send(
                    Mallory.heads(), Mallory.digests(of: [gathering.conversationID]),
                    mallory.entries(
                        mallory.log(in: gathering.conversationID), bodies: [Mallory.body(.join(), at: Mallory.now)]))
                return link.waitForReceipt()
            }
        }
        guard isIn else { return Outcome("the attacker is not in", false) }
        var draft = MessageDraft("the plan")
        draft.attachments = [try await arena.bob.node.files.add(path)]
        try await arena.bob.node.messages.send(draft, to: gathering.conversation)
        let asked = try await blocking {
            try held.with { link in
                link.give(file, within: 5) { part, bytes in
                    guard case .chunk = part else { return bytes }
                    return [~bytes[0]] + bytes.dropFirst()
                }
            }
        }
        let chunks = asked.flatMap(\.self).count { if case .chunk = $0 { true } else { false } }
        try await arena.alice.waitForHeld(file.fileID)
        let kept = try await arena.alice.node.files.bytes(of: file.fileID, 0..<file.content.count)
        try await gathering.check()
        return Outcome(
            "asked for \(chunks) chunks; the file is \(kept == file.content ? "whole" : "another")",
            chunks > 0 && chunks <= Limits.askedChunksPerLink && kept == file.content)
    }

    private static let lyingSize = Attack(
        kind: .files, name: "a sender that says another size of a file which bob sends later",
        expected: "fetched whole from bob", isSlow: true
    ) { arena, source in
        let file = ForgedFile.random(bytes: 2 * FileShape.chunkBytes + 1000)
        let path = arena.folder.file("file \(source)")
        try Data(file.content).write(to: URL(filePath: path))
        let said = file.attachment(byteCount: 5 * file.content.count)
        let held = try await offer(file, said, by: Mallory(name: "g \(source)"), arena, source)
        defer { held.close() }
        let gathering = try await Gathering.open(arena, source)
        var draft = MessageDraft("the plan")
        draft.attachments = [try await arena.bob.node.files.add(path)]
        try await arena.bob.node.messages.send(draft, to: gathering.conversation)
        try await arena.alice.waitForHeld(file.fileID, askingAgain: true)
        let update = try await arena.alice.node.files.update(of: file.fileID)
        let kept = try await arena.alice.node.files.bytes(of: file.fileID, 0..<Int(update.byteCount))
        return Outcome(
            "\(update.byteCount) bytes, \(kept == file.content ? "bob's" : "others")", kept == file.content)
    }

    private static let misleadingName = Attack(
        kind: .files, name: "a file whose name turns the direction of its end, so that it seems to be a picture",
        expected: "saved by a name that shows its end, in the folder that was chosen"
    ) { arena, source in
        let file = ForgedFile([1, 2, 3])
        let mallory = Mallory(name: "n \(source)")
        let said = file.attachment(name: "harmless\u{202e}gnp.\u{2067}exe")
        let held = try await offer(file, said, by: mallory, arena, source)
        _ = try await blocking { try held.with { $0.give(file) } }
        try await arena.alice.waitForHeld(file.fileID)
        let folder = arena.folder.file("saved \(source)")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let conversation = arena.alice.node.conversations.direct(with: mallory.userID)
        guard let attachment = try await conversation.history(limit: 1).first?.attachments.first else {
            return Outcome("no message", false)
        }
        let path = try await arena.alice.node.files.save(attachment, to: folder)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Outcome(
            "saved as \(names)", path == "\(folder)/harmless_gnp._exe" && names == ["harmless_gnp._exe"])
    }

    private static let lyingType = Attack(
        kind: .files, name: "a page with a script, that says it is a picture",
        expected: "the local API gives bytes of no type, to be saved and never shown"
    ) { arena, source in
        let file = ForgedFile(Array("<html><script>alert(1)</script></html>\n\(source)".utf8))
        let said = file.attachment(name: "a.png", mediaType: "image/png")
        let held = try await offer(file, said, by: Mallory(name: "t \(source)"), arena, source)
        _ = try await blocking { try held.with { $0.give(file) } }
        try await arena.alice.waitForHeld(file.fileID)
        let request = "GET /v1/files/\(file.fileID)/content HTTP/1.1\r\nHost: x\r\n\r\n"
        let answer = try await blocking { try LocalRequest.answer(request, from: arena.alice.node.home.socketFile) }
        let head = answer.lowercased()
        let wanted = [
            "content-type: application/octet-stream", "content-disposition: attachment",
            "x-content-type-options: nosniff",
        ]
        let missing = wanted.filter { !head.contains("\r\n\($0)\r\n") }
        return Outcome(
            "\(answer.prefix { $0 != "\r\n" }); without \(missing)",
            missing.isEmpty && answer.hasPrefix("HTTP/1.1 200") && answer.contains("alert(1)"))
    }

    private static let hugePicture = picture(
        "a PNG picture of 65,535 × 65,535 pixels, in 57 bytes", code: "pictureTooLarge",
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + Array("IHDR".utf8)
            + [0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff, 8, 6, 0, 0, 0, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 24))

    private static let hugeFrame = picture(
        "a GIF picture of a pixel, with a frame of 65,535 × 65,535", code: "pictureTooLarge",
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 2, 0, 0x3b])

    private static let falsePicture = picture(
        "a drawing with a script, that says it is a PNG picture", code: "notAPicture",
        Array("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8))

    /// A picture that is not shown, and why. It is kept all the same, and can be saved.
    private static func picture(_ name: String, code: String, _ content: [UInt8]) -> Attack {
        Attack(kind: .files, name: name, expected: "kept; not shown: \(code)") { arena, source in
            let file = ForgedFile(content)
            let said = file.attachment(name: "a.png", mediaType: "image/png")
            let held = try await offer(file, said, by: Mallory(name: "i \(source)"), arena, source)
            _ = try await blocking { try held.with { $0.give(file) } }
            try await arena.alice.waitForHeld(file.fileID)
            let request = "GET /v1/files/\(file.fileID)/picture HTTP/1.1\r\nHost: x\r\n\r\n"
            let answer = try await blocking { try LocalRequest.answer(request, from: arena.alice.node.home.socketFile) }
            let status = answer.split(separator: " ").dropFirst().first ?? "nothing"
            return Outcome(
                "HTTP \(status), \(answer.contains(code) ? code : answer)",
                status.hasPrefix("4") && answer.contains("\"\(code)\"") && !answer.contains("alert(1)"))
        }
    }

    // MARK: - Who wants them

    /// Alice has a file, which she sends into a conversation of hers and bob's.
    private static func shared(
        _ arena: Arena, _ source: String, bytes count: Int
    ) async throws -> (Attachment, in: ConversationID) {
        let path = arena.folder.file("secret \(source)")
        try Data(ForgedFile.random(bytes: count).content).write(to: URL(filePath: path))
        let attachment = try await arena.alice.node.files.add(path)
        let gathering = try await Gathering.open(arena, source)
        var draft = MessageDraft("for bob")
        draft.attachments = [attachment]
        try await arena.alice.node.messages.send(draft, to: gathering.conversation)
        return (attachment, gathering.conversationID)
    }

    private static let foreignFile = stealing(
        "a peer that asks for a file of a conversation in which it does not take part"
    ) { $2 }

    private static let unnamedFile = stealing(
        "a peer that asks for a file which no message of its conversation brings along"
    ) { arena, mallory, _ in .direct(arena.alice.node.userID, mallory.userID) }

    private static let namedFile = stealing(
        "a peer that asks for a file which only their own message to alice names", isNaming: true
    ) { arena, mallory, _ in .direct(arena.alice.node.userID, mallory.userID) }

    /// A peer asks for a file that is for bob: the hashes, and a chunk. Then alice sends it to them, too.
    /// - Parameter isNaming: whether the peer first sends alice a message that names the file.
    private static func stealing(
        _ name: String, isNaming: Bool = false,
        _ conversationID: @escaping @Sendable (Arena, Mallory, ConversationID) -> ConversationID
    ) -> Attack {
        Attack(kind: .files, name: name, expected: "told that it is absent; given once alice sends it to them") {
            arena, source in
            let mallory = Mallory(name: "s \(source)")
            let (secret, place) = try await shared(arena, source, bytes: 1000)
            let held = try await Held.link(mallory, arena, source)
            let asked = conversationID(arena, mallory, place)
            if isNaming {
                let named = ForgedFile.attachment(secret.fileID.bytes, byteCount: secret.byteCount)
                let isTaken = try await blocking {
                    try held.with { link in
                        let log = mallory.log(to: arena.alice.node.userID)
                        link.send(Mallory.heads(), mallory.entries(log, bodies: [ForgedFile.message([named])]))
                        return link.waitForReceipt()
                    }
                }
                guard isTaken else { return Outcome("the message was not taken", false) }
            }
            @Sendable func want(_ part: UInt64, in conversationID: ConversationID) async throws -> String {
                try await blocking {
                    try held.with { link in
                        link.send(
                            ForgedFile.wanted(
                                secret.fileID, byteCount: secret.byteCount, in: conversationID, part: part))
                        while let frame = link.nextFrame() {
                            if frame.number == 41 || frame.number == 42 { return "given" }
                            if frame.number == 43 { return "state \(Proto.number(3, of: frame.content) ?? 0)" }
                        }
                        return "nothing"
                    }
                }
            }
            let before = [try await want(0, in: asked), try await want(1, in: asked), try await want(2, in: asked)]
            var draft = MessageDraft("for you, too")
            draft.attachments = [secret]
            try await arena.alice.node.messages.send(draft, to: mallory.userID)
            let after = try await want(2, in: .direct(arena.alice.node.userID, mallory.userID))
            return Outcome(
                "\(before), then \(after)", before == ["state 2", "state 2", "state 2"] && after == "given")
        }
    }

    private static let crowdedLine = Attack(
        kind: .files, name: "a peer that asks 200 times for 16 chunks, and takes none",
        expected: "closed with reason 3; event violation; memory grows by 64 MiB at most"
    ) { arena, source in
        let mallory = Mallory(name: "c \(source)")
        let (file, _) = try await shared(arena, source, bytes: Limits.chunksPerQuestion * FileShape.chunkBytes)
        let held = try await Held.link(mallory, arena, source)
        var draft = MessageDraft("for you, too")
        draft.attachments = [file]
        try await arena.alice.node.messages.send(draft, to: mallory.userID)
        let before = residentBytes()
        let end = try await blocking {
            try held.with { link in
                let wanted = ForgedFile.wanted(
                    file.fileID, byteCount: file.byteCount,
                    in: .direct(arena.alice.node.userID, mallory.userID), part: 2,
                    count: UInt64(Limits.chunksPerQuestion))
                let framed = Proto.varint(UInt64(wanted.count)) + wanted
                link.send(plaintext: Array(repeating: framed, count: 200).flatMap(\.self))
                return link.end()
            }
        }
        let growth = (residentBytes() - before) >> 20
        let outcome = await Outcome(end, reason: 3, code: "violation", at: arena.alice, from: source)
        return Outcome("\(outcome.happened); \(growth) MiB", outcome.isAsExpected && growth <= 64)
    }

    // MARK: - What nobody asked for

    private static let unaskedChunks = Attack(
        kind: .files, name: "chunks, hashes and news of a file that nobody asked for",
        expected: "skipped; nothing is known of the file; the link goes on"
    ) { arena, source in
        let file = ForgedFile.random(bytes: FileShape.chunkBytes)
        let isAlive = try await blocking {
            let mallory = Mallory(name: "u \(source)")
            let link = try HostileLink.connect(mallory, to: arena.alice.port, from: source)
            try link.expectHeads()
            for part in [FilePart.lists, .hashes(ofList: 0), .chunk(0), .chunk(Int(Int32.max))] {
                for answer in file.answers(to: FileQuestion([part]), { $1 }) { link.send(answer) }
            }
            for state in UInt64(0)...4 {
                let conversationID = ConversationID.direct(arena.alice.node.userID, mallory.userID)
                link.send(
                    Proto.field(
                        43,
                        Proto.field(1, file.fileID.bytes) + Proto.field(2, conversationID.bytes)
                            + Proto.field(3, state)))
            }
            return link.answersPing()
        }
        var code: EarshotError.Code?
        do throws(EarshotError) { _ = try await arena.alice.node.files.state(of: file.fileID) } catch {
            code = error.code
        }
        return Outcome(
            "\(code?.description ?? "known"); the link \(isAlive ? "goes on" : "is dead")",
            isAlive && code == .unknownFile)
    }

    private static let endlessChunks = Attack(
        kind: .files, name: "100 MiB of chunks that nobody asked for",
        expected: "closed with reason 17; event tooManyRequests; memory grows by 64 MiB at most"
    ) { arena, source in
        let held = try await Held.link(Mallory(name: "e \(source)"), arena, source)
        let content = [UInt8](repeating: 1, count: FileShape.chunkBytes)
        let before = residentBytes()
        let end = try await blocking {
            try held.with { link in
                for index in 0..<400 {
                    guard link.send(ForgedFile.chunk(index, of: FileID(Bytes32()), content)) else { break }
                }
                return link.end(within: 5)
            }
        }
        let growth = (residentBytes() - before) >> 20
        let failure = await arena.alice.events.failure(from: source)
        return Outcome(
            "\(end); event \(failure?.code ?? "none"); \(growth) MiB",
            end.isClosed && failure?.code == "tooManyRequests" && growth <= 64)
    }

    // MARK: - Where there is no room

    private static let fullDisk = Attack(
        kind: .files, name: "a file for which the disk has no room",
        expected: "the fetch fails and says why; messages come; fetched once there is room"
    ) { arena, source in
        let disk = try SmallDisk(kibibytes: 96 * 1024, ballast: 40 << 20)
        let home = Home(path: disk.file("home"))
        try home.create(name: "dave")
        let dave = try await RunningNode.start(home, peers: [arena.bob.port])
        try await dave.waitForLink(to: arena.bob.node.userID)
        try await arena.bob.waitForLink(to: dave.node.userID)
        let file = ForgedFile.random(bytes: 8 << 20)
        let path = arena.folder.file("file \(source)")
        try Data(file.content).write(to: URL(filePath: path))
        var draft = MessageDraft("large")
        draft.attachments = [try await arena.bob.node.files.add(path)]
        try await arena.bob.node.messages.send(draft, to: dave.node.userID)
        let isThere = await dave.events.first { event -> Bool? in
            if case .messageReceived(let message) = event, message.text == "large" { true } else { nil }
        }
        try await dave.node.files.fetch(file.fileID)
        let reason = await dave.events.first { event -> String? in
            if case .fileUpdated(let update) = event, case .failed(let reason) = update.state { reason } else { nil }
        }
        let later = try await arena.bob.node.messages.send("and small", to: dave.node.userID)
        let comes = await dave.events.first { event -> Bool? in
            if case .messageReceived(let message) = event, message.messageID == later.messageID { true } else { nil }
        }
        try disk.makeSpace()
        try await dave.node.files.fetch(file.fileID)
        try await dave.waitForHeld(file.fileID)
        let kept = try await dave.node.files.bytes(of: file.fileID, 0..<file.content.count)
        try await dave.stop()
        return Outcome(
            "\(reason ?? "no reason"); messages \(comes == true ? "come" : "wait"); then "
                + (kept == file.content ? "whole" : "another"),
            isThere == true && reason?.contains("free some space") == true && comes == true && kept == file.content)
    }
}

extension FileQuestion {
    fileprivate init(_ parts: [FilePart]) { (fileID, self.parts) = ([], parts) }
}

extension RunningNode {
    /// Waits until a file is here.
    /// - Parameter askingAgain: whether its user asks for it again and again meanwhile.
    fileprivate func waitForHeld(_ fileID: FileID, askingAgain: Bool = false) async throws {
        for _ in 0..<(askingAgain ? 10 : 0) {
            guard try await node.files.state(of: fileID) != .held else { return }
            try await node.files.fetch(fileID)
            try await Task.sleep(for: .seconds(5))
        }
        let node = node
        try await events.until("the file", within: .seconds(10)) {
            do { return try await node.files.state(of: fileID) == .held } catch { return false }
        }
    }
}
