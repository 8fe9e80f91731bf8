package import Foundation

/// Places in the source tree, found from the place of this file.
package enum PackageFolder {
    private static let support = URL(filePath: #filePath).deletingLastPathComponent()
    package static let root = support.deletingLastPathComponent().deletingLastPathComponent()
    /// The requirements of the tests' Python programs.
    static let requirements = support.appending(path: "requirements.txt")
    /// The program of `DocumentJudge`.
    static let judge = support.appending(path: "judge.py")

    /// Files that the tests of a target use.
    package static func fixtures(of target: String) -> URL {
        root.appending(path: "Tests/\(target)/Fixtures")
    }
}
