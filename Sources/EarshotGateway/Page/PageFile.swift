import CServedFiles

/// One file of the page, as it lies in `Page/Files`.
struct PageFile: Sendable {
    let contentType: String
    /// Its place among those that the program holds (`CServedFiles`).
    private let number: UInt

    /// All of them, by path.
    static let all: [String: PageFile] = {
        var files: [String: PageFile] = [:]
        var number: UInt = 0
        while let file = served_page_file(number) {
            let path = String(cString: file.pointee.path)
            let ending = path.split(separator: ".").last.map(String.init) ?? ""
            files[path] = PageFile(contentType: contentTypes[ending] ?? "application/octet-stream", number: number)
            number += 1
        }
        return files
    }()

    private static let contentTypes = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    ]

    var text: String { served_page_file(number).map { String(cString: $0.pointee.text) } ?? "" }
}
