import Foundation
import TestSupport

/// What comes into a directory, as the kernel tells it (inotify(7)).
enum FolderWatch {
    /// Waits until there is a file or directory of a name that is looked for.
    static func waitForName(in folder: String, where isExpected: @escaping @Sendable (String) -> Bool) async throws {
        try await onThread("what is expected comes into \(folder)") {
            let descriptor = try PeerFailure.check(inotify_init1(Int32(IN_CLOEXEC)), "inotify_init1")
            defer { close(descriptor) }
            let events = UInt32(IN_CREATE | IN_MOVED_TO)
            _ = try PeerFailure.check(inotify_add_watch(descriptor, folder, events), "inotify_add_watch")
            var buffer = [UInt8](repeating: 0, count: 4096)
            while try !FileManager.default.contentsOfDirectory(atPath: folder).contains(where: isExpected) {
                _ = try PeerFailure.check(read(descriptor, &buffer, buffer.count), "read")
            }
        }
    }
}
