import Earshot
import EarshotCrypto
import EarshotForgery
import EarshotModel
import EarshotProtocol
import Foundation
import TestSupport

/// Attacks on the room that files take of the disk.
extension Attack {
    static let fileSpace: [Attack] = [inventedFiles, manyNames, endlessUploads, names]

    /// What a folder takes of the disk, in bytes.
    private static func takenBytes(_ path: String) -> Int {
        var sum = 0
        guard let names = FileManager.default.enumerator(atPath: path) else { return 0 }
        for case let name as String in names {
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            sum += Int(status.st_blocks) * 512
        }
        return sum
    }

    /// A user to whom alice has written once, and so no stranger.
    static func acquaintance(_ name: String, _ arena: Arena, _ source: String) async throws -> (Mallory, Held) {
        let mallory = Mallory(name: "\(name) \(source)")
        let held = try await Held.link(mallory, arena, source)
        try await arena.alice.node.messages.send("hello", to: mallory.userID)
        return (mallory, held)
    }

    private static let inventedFiles = Attack(
        kind: .files, name: "64 invented files of 64 MiB, with all their hashes, from a user who was written to once",
        expected: "less than 8 MiB of the disk are taken; the link goes on"
    ) { arena, source in
        let folder = arena.alice.node.home.path + "/files"
        let before = takenBytes(folder)
        let chunks = 256
        let files = (0..<Limits.attachments).map { _ in ForgedFile.claim(chunks: chunks) }
        let (mallory, held) = try await acquaintance("v", arena, source)
        let (asked, isAlive) = try await blocking {
            try held.with { link in
                let attachments = files.map { $0.attachment(byteCount: chunks * FileShape.chunkBytes) }
                let log = mallory.log(to: arena.alice.node.userID)
                link.send(Mallory.heads(), mallory.entries(log, bodies: [ForgedFile.message(attachments)]))
                return (link.giveHashes(of: files, within: 5), link.answersPing())
            }
        }
        let taken = takenBytes(folder) - before
        for file in files { try await arena.alice.node.files.decline(file.fileID) }
        let claimed = Limits.attachments * chunks * FileShape.chunkBytes
        return Outcome(
            "\(asked) files asked for; \(taken >> 10) KiB taken of \(claimed >> 20) MiB claimed; "
                + "the link \(isAlive ? "goes on" : "is dead")",
            asked > 0 && taken < 8 << 20 && isAlive)
    }

    private static let manyNames = Attack(
        kind: .files, name: "a message that names one file of 5 MB 64 times, to somebody whose rule copies it",
        expected: "one copy, of 5 MB"
    ) { arena, source in
        let copies = arena.folder.file("copies \(source)")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
        let (mallory, held) = try await acquaintance("w", arena, source)
        let node = arena.alice.node
        try await node.files.setRules(FileRules([FileRule(.fetch(folder: copies), sender: mallory.userID)]))
        let (large, last) = (ForgedFile.random(bytes: 5_000_000), ForgedFile.random(bytes: 1000))
        for (number, file) in [large, last].enumerated() {
            let count = number == 0 ? Limits.attachments : 1
            let attachments = (0..<count).map { file.attachment(name: "\(number) \($0).bin") }
            _ = try await blocking {
                try held.with { link in
                    let log = mallory.log(to: node.userID, epoch: UInt64(1 + number))
                    if number == 0 { link.send(Mallory.heads()) }
                    link.send(mallory.entries(log, bodies: [ForgedFile.message(attachments)]))
                    return link.give(file)
                }
            }
            // Copies are made one after the other: what is there of the last one is all there is of the first.
            try await arena.alice.events.until("the copy") {
                FileManager.default.fileExists(atPath: "\(copies)/\(number) 0.bin")
            }
        }
        try await node.files.setRules(FileRules())
        let names = try FileManager.default.contentsOfDirectory(atPath: copies)
        let taken = takenBytes(copies)
        return Outcome(
            "\(names.count - 1) copies; \(taken / 1_000_000) MB", names.count == 2 && taken < 6_000_000)
    }

    private static let endlessUploads = Attack(
        kind: .localAPI, name: "a token that may only prepare drafts, and uploads 64 files of 8 MiB at once",
        expected: "no more than 256 MiB are taken; the error says what to do; the owner may go on"
    ) { arena, _ in
        let node = arena.alice.node
        let uploader = Uploader(token: "drafts", limit: Limits.draftUploadBytes)
        let before = takenBytes(node.home.path + "/files")
        var (uploads, reason): ([FileUpload], String) = ([], "none was refused")
        for number in 0..<64 {
            do throws(EarshotError) {
                let upload = try await node.files.upload(name: "a.bin", mediaType: nil, by: uploader)
                for _ in 0..<8 { try await upload.append([UInt8](repeating: UInt8(number), count: 1 << 20)) }
                uploads.append(upload)
            } catch { reason = error.message }
        }
        let taken = takenBytes(node.home.path + "/files") - before
        let owners = try await node.files.upload(name: "b.bin")
        try await owners.append([1, 2, 3])
        let fits = Int(Limits.draftUploadBytes) / (8 << 20)
        return Outcome(
            "\(taken >> 20) MiB of 512; \(reason)",
            uploads.count == fits && taken <= Int(Limits.draftUploadBytes) + (1 << 20)
                && reason.contains("send its drafts"))
    }
}

extension Attack {
    fileprivate static let names = Attack(
        kind: .files, name: "files called .bash_profile, -rf, con and a:b, to somebody whose rule copies them",
        expected: "copied as _bash_profile, _rf, _con and a_b"
    ) { arena, source in
        let copies = arena.folder.file("names \(source)")
        try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: false)
        let (mallory, held) = try await acquaintance("n", arena, source)
        let node = arena.alice.node
        try await node.files.setRules(FileRules([FileRule(.fetch(folder: copies), sender: mallory.userID)]))
        let named = [(".bash_profile", "_bash_profile"), ("-rf", "_rf"), ("con", "_con"), ("a:b", "a_b")]
        for (number, (name, saved)) in named.enumerated() {
            let file = ForgedFile.random(bytes: 1000 + number)
            _ = try await blocking {
                try held.with { link in
                    let log = mallory.log(to: node.userID, epoch: UInt64(1 + number))
                    if number == 0 { link.send(Mallory.heads()) }
                    link.send(mallory.entries(log, bodies: [ForgedFile.message([file.attachment(name: name)])]))
                    return link.give(file)
                }
            }
            try await arena.alice.events.until("the copy") {
                FileManager.default.fileExists(atPath: "\(copies)/\(saved)")
            }
        }
        try await node.files.setRules(FileRules())
        let names = try FileManager.default.contentsOfDirectory(atPath: copies).sorted()
        return Outcome("copied as \(names)", names == named.map(\.1).sorted())
    }
}

extension HostileLink {
    /// Gives the node the hashes that it asks for of files that do not exist, and none of their chunks.
    /// - Returns: of how many files it has asked for something.
    fileprivate func giveHashes(of files: [ForgedFile], within seconds: Int) -> Int {
        let known = Dictionary(uniqueKeysWithValues: files.map { ($0.fileID.bytes, $0) })
        socket.setPatience(1)
        defer { socket.setPatience(10) }
        var asked: Set<[UInt8]> = []
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end, !socket.isClosed {
            guard let frame = nextFrame(), frame.number == 40 else { continue }
            let question = FileQuestion(frame.content)
            guard let file = known[question.fileID] else { continue }
            asked.insert(question.fileID)
            if case .chunk = question.parts.first { continue }
            for answer in file.answers(to: question, { $1 }) { send(answer) }
        }
        return asked.count
    }
}
