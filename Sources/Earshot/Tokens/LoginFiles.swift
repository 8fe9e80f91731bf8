import Foundation

/// Files that lead a browser to the page with a login.
///
/// Every user of the machine can read what a program is given, so a program that opens a browser is not given the login, but
/// the path of a file that only the owner can read. A file is there until its login was used or has ended.
package struct LoginFiles: Sendable {
    private let folder: String

    package init(home: Home) {
        // As other programs find it, wherever they are.
        folder = URL(fileURLWithPath: home.pageFolder).standardizedFileURL.path
    }

    /// - Parameter address: of the page, with a login in its fragment.
    /// - Returns: the file's path.
    /// - Throws: `EarshotError` `looseHome`, `unusableHome`.
    package func write(_ address: String) throws(EarshotError) -> String {
        if let error = PrivateFile.makeDirectories(folder) {
            throw EarshotError(
                .unusableHome, "\(folder) cannot be made: \(PrivateFile.words(for: error))",
                .init(.unwritable, path: folder, systemError: error))
        }
        try Home.checkPrivate(folder, try Home.status(of: folder), mode: "700")
        let path = "\(folder)/\(String(UInt64.random(in: .min ... .max), radix: 36)).html"
        let text = """
            <!doctype html>
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0;url=\(address)">
            <title>Earshot</title>
            <p><a href="\(address)">Open the page</a>: this works once, and for a minute. After that: <code>earshot web</code>.</p>

            """
        try Home.writePrivate(Array(text.utf8), to: path)
        return path
    }

    /// - Throws: `EarshotError` `unusableHome`.
    package func remove(_ path: String) throws(EarshotError) { _ = try PrivateFile.remove(path) }

    /// Removes what a node has left that did not come to its end.
    /// - Throws: `EarshotError` `unusableHome`.
    package func removeAll() throws(EarshotError) {
        guard try PrivateFile.isThere(folder) else { return }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch {
            throw EarshotError(
                .unusableHome, "\(folder) cannot be read: \(error)", .init(.unreadable, path: folder))
        }
        for name in names { try remove("\(folder)/\(name)") }
    }
}
