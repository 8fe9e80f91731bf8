import NIOHTTP1

/// Files that messages bring along.
extension GatewayClient {
    /// Takes in what a file contains now. It may take long: a large file is read as a whole.
    /// - Parameter path: one that begins with a slash.
    package func addFile(_ path: String, name: String? = nil) async throws(GatewayError) -> GatewayAttachment {
        try await decode(
            call(.POST, "files", body: AddFileRequest(path: path, name: name), within: GatewayLimits.longResponse))
    }

    package func file(_ fileID: String) async throws(GatewayError) -> GatewayFile {
        try await get("files/\(Self.escape(fileID))")
    }

    /// Fetches a file, whatever its size and whoever sent it.
    @discardableResult
    package func fetchFile(_ fileID: String) async throws(GatewayError) -> GatewayFile {
        try await decode(call(.POST, "files/\(Self.escape(fileID))/fetch"))
    }

    /// Does not fetch a file, or not any more.
    @discardableResult
    package func declineFile(_ fileID: String) async throws(GatewayError) -> GatewayFile {
        try await decode(call(.POST, "files/\(Self.escape(fileID))/decline"))
    }

    /// Removes a content from the node's disk.
    package func removeFile(_ fileID: String) async throws(GatewayError) {
        _ = try await call(.DELETE, "files/\(Self.escape(fileID))")
    }

    /// The files that messages bring along, those of the last messages first.
    package func files(limit: Int) async throws(GatewayError) -> GatewayFileList {
        try await get("files?limit=\(limit)")
    }

    package func fileRules() async throws(GatewayError) -> GatewayFileRules { try await get("files/rules") }

    @discardableResult
    package func setFileRules(_ rules: FileRulesRequest) async throws(GatewayError) -> GatewayFileRules {
        try await decode(call(.POST, "files/rules", body: rules))
    }

    /// Writes a copy of a file into a folder.
    /// - Returns: the path of the copy.
    package func saveFile(_ attachment: GatewayAttachment, to folder: String) async throws(GatewayError) -> String {
        let saved: SavedFile = try await decode(
            call(
                .POST, "files/\(Self.escape(attachment.fileID))/save",
                body: SaveFileRequest(folder: folder, name: attachment.name), within: GatewayLimits.longResponse))
        return saved.path
    }
}
