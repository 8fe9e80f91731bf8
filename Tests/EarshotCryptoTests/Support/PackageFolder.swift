import Foundation

/// Places in the source tree, found from this file's own place in it.
enum PackageFolder {
    static let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    static let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    static let fixtures = tests.appending(path: "Fixtures")
}
