import Earshot
import Foundation

/// A folder for the homes of a test network's users. It is removed with the network.
final class HomesFolder: Sendable {
    private let path: String

    /// In memory, if Linux has a place for that.
    init() throws {
        let memory = "/dev/shm"
        let place = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = place + "/earshot-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            // A folder that cannot be removed is left to be cleaned up later, because there is nobody to tell.
        }
    }

    func home(_ number: Int) -> Home { Home(path: "\(path)/\(number)") }
}
