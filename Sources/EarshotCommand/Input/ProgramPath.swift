import Foundation

/// Finds programs as a shell does.
enum ProgramPath {
    /// - Returns: the whole path of a program that can be run; `nil` if there is none. Without a slash it is looked for in
    ///   `PATH`.
    static func find(_ name: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":")
        let files = name.contains("/") ? [name] : folders.map { "\($0)/\(name)" }
        return files.first(where: FileManager.default.isExecutableFile).map {
            URL(fileURLWithPath: $0).standardizedFileURL.path
        }
    }
}
