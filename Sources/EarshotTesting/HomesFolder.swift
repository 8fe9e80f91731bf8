import Earshot
import Foundation
import Synchronization

/// A folder for the homes of a test network's users. It is removed with the network, and at the latest when the process
/// exits: a network that is there until then, as that of the command line or of the last test, would leave its homes in
/// memory.
final class HomesFolder: Sendable {
    /// The folders of this process. They outlive each network, since nobody waits for one to end when the process does.
    private static let existing = Mutex<Set<String>>([])
    private static let removesAtExit: Void = {
        // If it is refused, for lack of memory, what is left is what any process leaves that is killed.
        _ = atexit { for path in HomesFolder.existing.withLock({ $0 }) { HomesFolder.remove(path) } }
    }()
    /// A node that is still there may make or remove a file meanwhile.
    private static let attempts = 5

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
        Self.removesAtExit
        Self.existing.withLock { _ = $0.insert(path) }
    }

    deinit {
        Self.remove(path)
        Self.existing.withLock { _ = $0.remove(path) }
    }

    private static func remove(_ path: String) {
        for _ in 0..<attempts {
            do { return try FileManager.default.removeItem(atPath: path) } catch {
                // A folder that cannot be removed is left to be cleaned up later, because there is nobody to tell.
            }
        }
    }

    func home(_ number: Int) -> Home { Home(path: "\(path)/\(number)") }
}
