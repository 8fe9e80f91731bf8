import EarshotCrypto
import EarshotModel
import EarshotProtocol
import EarshotSimulation
import EarshotStore
import Foundation

/// Two nodes' machines and stores, driven by hand on one thread: what a message passes through, without sockets, threads and
/// tasks. Its instructions can be counted, and repeat.
///
///     EarshotPaths MESSAGES GROUP
///
/// Sends so many messages of 100 bytes, each with a call of its own, and lets GROUP of them be under way at once.
@main
enum EarshotPaths {
    static func main() throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else {
            FileHandle.standardError.write(Data("usage: EarshotPaths MESSAGES GROUP\n".utf8))
            exit(64)
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "earshot-paths-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var pair = try DrivenPair(in: folder)
        try pair.send(numbers[0], inGroupsOf: numbers[1])
        try pair.close()
        try FileManager.default.removeItem(at: folder)
        print("\(pair.delivered) delivered")
    }
}
