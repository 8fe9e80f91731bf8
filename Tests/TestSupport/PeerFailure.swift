import Glibc

/// A failure of the machinery around a test's peer, which is never what the test is about.
package struct PeerFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }

    /// - Returns: `result`, the result of a system call.
    /// - Throws: the system's error, if the result is negative.
    package static func check(_ result: Int, _ call: String) throws -> Int {
        guard result < 0 else { return result }
        throw PeerFailure("\(call): \(String(cString: strerror(errno)))")
    }

    package static func check(_ result: Int32, _ call: String) throws -> Int32 {
        Int32(try check(Int(result), call))
    }
}
