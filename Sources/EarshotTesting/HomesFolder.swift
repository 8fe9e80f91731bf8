import Earshot
import Foundation

/// A folder for the homes of a test network's users. It is removed with the network.
final class HomesFolder: Sendable {
    private let path: String

    /// In memory, if Linux has a place for that.
    /// - Throws: `EarshotError` `unusableHome`.
    init() throws(EarshotError) {
        let memory = "/dev/shm"
        let place = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        path = place + "/earshot-test-\(UUID().uuidString)"
        guard mkdir(path, 0o700) == 0 else {
            throw EarshotError(
                .unusableHome, "the folder \(path) cannot be made: \(String(cString: strerror(errno)))",
                .init(.unwritable, path: path, systemError: errno))
        }
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch {
            // A folder that cannot be removed is left to be cleaned up later, because there is nobody to tell.
        }
    }

    func home(_ number: Int) -> Home { Home(path: "\(path)/\(number)") }
}
