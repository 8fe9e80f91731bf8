package import Foundation

/// Places in the source tree, found from this file's own place in it.
package enum PackageFolder {
    private static let support = URL(filePath: #filePath).deletingLastPathComponent()
    package static let root = support.deletingLastPathComponent().deletingLastPathComponent()
    /// What the Python programs of the tests need.
    static let requirements = support.appending(path: "requirements.txt")

    /// Files that the tests of a target use.
    package static func fixtures(of target: String) -> URL {
        root.appending(path: "Tests/\(target)/Fixtures")
    }
}
