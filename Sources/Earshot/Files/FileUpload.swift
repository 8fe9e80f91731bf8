import EarshotFiles

/// A file whose content comes piece by piece: `Files.upload(name:mediaType:)`. What is not finished is dropped with it.
public struct FileUpload: Sendable {
    let node: Node
    let content: IncomingContent
    let place: UploadRoom.Place
    let uploader: Uploader?
    let name: String
    let mediaType: String

    /// Takes the next piece. Each waits for the one before; pieces of a MiB or so are taken fastest.
    /// - Throws: `EarshotError` `fileTooLarge`, `storeFull`, `storeUnavailable`, `stopped`.
    public func append(_ bytes: [UInt8]) async throws(EarshotError) {
        try await node.writingHome { [content, place] () throws(EarshotError) in
            try place.take(UInt64(bytes.count))
            do throws(FilesError) { try content.append(bytes) } catch { throw EarshotError(error) }
        }
    }

    /// All of it has come.
    /// - Returns: what a message brings along: `MessageDraft.attachments`.
    /// - Throws: as `append`.
    public func finish() async throws(EarshotError) -> Attachment {
        let (store, now) = (node.store, node.environment.clock.now.wallClock)
        let (fileID, byteCount) = try await node.writingHome { [content, place, uploader] () throws(EarshotError) in
            do throws(FilesError) {
                let added = try content.finish()
                try Files.note(
                    added.fileID, byteCount: added.byteCount, .held, in: store, at: now, token: uploader?.token)
                place.finish()
                return added
            } catch { throw EarshotError(error) }
        }
        return try Files.attachment(fileID, name, mediaType, byteCount: byteCount)
    }
}
