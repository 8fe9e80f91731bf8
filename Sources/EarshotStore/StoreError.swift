import GRDB

/// An error of the disk or the database.
package struct StoreError: Error, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// The file is not a database, or is damaged. It is left unchanged.
        package static let damaged = Code(description: "damaged")
        /// The disk, or the quota, is full. Nothing of the commit was written.
        package static let full = Code(description: "full")
        /// The file was written by a newer version.
        package static let newer = Code(description: "newer")
        /// The file cannot be opened, read or written.
        package static let unavailable = Code(description: "unavailable")
    }

    package let code: Code
    package let message: String
    package let cause: (any Error)?

    package var description: String { message }

    package init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Translates an error of the database.
    init(_ error: any Error, path: String) {
        if let known = error as? StoreError {
            self = known
            return
        }
        let code: Code =
            switch (error as? DatabaseError)?.resultCode.primaryResultCode {
            case .SQLITE_CORRUPT, .SQLITE_NOTADB: .damaged
            case .SQLITE_FULL: .full
            default: .unavailable
            }
        let text =
            switch code {
            case .damaged: "the database \(path) is damaged"
            case .full: "no space is left on the disk of \(path)"
            default: "the database \(path) cannot be used: \((error as? DatabaseError)?.message ?? "\(error)")"
            }
        self.init(code: code, message: text, cause: error)
    }

    static func damaged(_ what: String, path: String) -> StoreError {
        StoreError(code: .damaged, message: "the database \(path) is damaged: \(what)")
    }

    static func older(path: String) -> StoreError {
        StoreError(
            code: .unavailable,
            message: "the database \(path) is of an older version, and is brought up to date when a node opens it")
    }

    static func newer(path: String) -> StoreError {
        StoreError(code: .newer, message: "the database \(path) was written by a newer version")
    }
}
