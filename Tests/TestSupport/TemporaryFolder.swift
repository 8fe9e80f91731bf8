import Foundation

/// A new empty folder that only its owner may use. It is removed with the object.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Throws: the system's error if the folder cannot be made.
    package init() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("earshot-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = folder.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            FileHandle.standardError.write(Data("\(path) could not be removed: \(error)\n".utf8))
        }
    }

    /// The path of something in the folder.
    package func file(_ name: String) -> String { path + "/" + name }
}
