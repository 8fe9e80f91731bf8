/// Why a file cannot be kept, or read.
package struct FilesError: Error, CustomStringConvertible {
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// No space is left on the disk, or so little that the node's history needs it.
        package static let full = Code(description: "full")
        /// There is no such file.
        package static let missing = Code(description: "missing")
        /// It is a folder, a pipe, or anything else but a file with a content.
        package static let notAFile = Code(description: "notAFile")
        /// It changed while it was read.
        package static let changed = Code(description: "changed")
        /// It is larger than a message may bring along.
        package static let tooLarge = Code(description: "tooLarge")
        /// What was received is not what was asked for.
        package static let wrongContent = Code(description: "wrongContent")
        /// It is none of the pictures that are shown.
        package static let notAPicture = Code(description: "notAPicture")
        /// It is a picture that would take too much memory.
        package static let pictureTooLarge = Code(description: "pictureTooLarge")
        /// What the disk has is not what was written there.
        package static let damaged = Code(description: "damaged")
        /// It cannot be opened, read or written.
        package static let unavailable = Code(description: "unavailable")
    }

    package let code: Code
    package let message: String
    /// What the system said (`errno`), if it said something.
    package let systemError: Int32?

    package var description: String { message }

    package init(_ code: Code, _ message: String, systemError: Int32? = nil) {
        (self.code, self.message, self.systemError) = (code, message, systemError)
    }
}
