import Foundation

/// Paths as the node needs them, which runs in another folder.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        URL(fileURLWithPath: (path as NSString).expandingTildeInPath).path
    }
}
