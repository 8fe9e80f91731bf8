import Foundation
import TestSupport
import Testing

@testable import EarshotCommand

@Suite("The test network of the command line", .timeLimit(.minutes(2)), .keepsWhatItStarts)
struct TestNetworkCommandTests {
    /// A network that runs, and the socket of each of its users.
    private struct Served {
        let program: RunningProgram
        let folder: String

        init(_ options: String...) async throws {
            program = try RunningProgram(["test-network"] + options)
            folder = try await program.expect(#""folder":"([^"]+)""#)
        }

        /// The folders of the homes whose databases the program has open.
        func homes() throws -> Set<String> {
            let descriptors = "/proc/\(program.pid)/fd/"
            let open = try FileManager.default.contentsOfDirectory(atPath: descriptors).compactMap { number in
                // It may be closed since.
                try? FileManager.default.destinationOfSymbolicLink(atPath: descriptors + number)
            }
            return Set(open.filter { $0.hasSuffix("/history.db") }.map { ($0 as NSString).deletingLastPathComponent })
        }

        func tell(_ line: String) { program.write(Data((line + "\n").utf8)) }

        /// The answer of a node's local API.
        func get(_ path: String, of user: String) async throws -> String {
            let curl = try RunningProgram(
                ["--silent", "--show-error", "--unix-socket", "\(folder)/\(user).sock", "http://node/v1/\(path)"],
                program: "/usr/bin/curl")
            let result = try await curl.end()
            try #require(result.status == 0, "\(result.errors)")
            return result.output
        }

        func end() async throws -> Program.Result {
            program.closeInput()
            return try await program.end()
        }
    }

    @Test("serves the local API of each node, delivers what they send, and removes everything at its end")
    func serves() async throws {
        let network = try await Served()
        network.tell(#"{"node":"alice"}"#)
        network.tell(#"{"node":"robot"}"#)
        try await network.program.expect(#""user":"robot""#)
        network.tell(#"{"send":{"from":"alice","to":"robot","text":"hello"}}"#)
        let message = try await network.program.expect(#"\{"message":"([^"]+)"\}"#)
        network.tell(#"{"advance":"1s"}"#)
        try await network.program.expect(#""time":"2026-01-01T00:00:01"#)
        #expect(try await network.get("messages/\(message)", of: "robot").contains(#""text":"hello""#))
        let homes = try network.homes()
        #expect(homes.count == 2)
        let result = try await network.end()
        #expect(result.status == 0, "\(result.errors)")
        for path in homes.union([network.folder]) { #expect(!FileManager.default.fileExists(atPath: path), "\(path)") }
    }

    @Test("brings a user whose node has crashed back with everything that was on their disk")
    func crash() async throws {
        let network = try await Served()
        for line in [#"{"node":"alice"}"#, #"{"node":"robot"}"#, #"{"crash":"robot"}"#] { network.tell(line) }
        network.tell(#"{"send":{"from":"alice","to":"robot","text":"hello"}}"#)
        try await network.program.expectError("no node of robot runs")
        network.tell(#"{"node":"robot"}"#)
        network.tell(#"{"send":{"from":"alice","to":"robot","text":"hello"}}"#)
        let message = try await network.program.expect(#"\{"message":"([^"]+)"\}"#)
        network.tell(#"{"crash":"robot"}"#)
        network.tell(#"{"node":"robot"}"#)
        network.tell(#"{"advance":"1h"}"#)
        try await network.program.expect(#""time":"#)
        #expect(try await network.get("messages/\(message)", of: "robot").contains(#""text":"hello""#))
        #expect(try await network.end().status == 0)
    }

    @Test("takes the place of a socket that a killed network has left, and of nothing else")
    func leftover() async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("alice.sock"), withDestinationPath: "/nonexistent/node.sock")
        try FileManager.default.createDirectory(
            atPath: folder.file("bob.sock"), withIntermediateDirectories: false)
        let network = try await Served("--folder", folder.path)
        network.tell(#"{"node":"alice"}"#)
        try await network.program.expect(#""user":"alice""#)
        #expect(try await network.get("node", of: "alice").contains(#""name":"alice""#))
        network.tell(#"{"node":"bob"}"#)
        try await network.program.expectError("bob.sock cannot be removed")
        #expect(try await network.end().status == 0)
        #expect(FileManager.default.fileExists(atPath: folder.file("bob.sock")))
    }

    @Test(
        "refuses a line that it does not understand, says why, and goes on",
        arguments: [
            ("hello", "not a JSON object"), (#"{"explode":"robot"}"#, "no field \"explode\""),
            ("{}", "a line has one of"), (#"{"node":"a","stop":"a"}"#, "a line has one of"),
            (#"{"advance":"soon"}"#, "advance takes a time"), (#"{"cut":["alice"]}"#, "takes the names of two users"),
            (#"{"send":{"from":"alice","to":"robot"}}"#, "the field \"send.text\" is missing"),
            (#"{"node":"../alice"}"#, "no name of a file"),
            (#"{"duplicateHandOut":"echo"}"#, "the field \"duplicateHandOut\""),
            (#"{"crashAfterHandOut":{"user":"robot","consumer":"echo"}}"#, "no node of robot runs"),
        ])
    func refused(line: String, reason: String) async throws {
        let network = try await Served()
        network.tell(line)
        try await network.program.expectError(reason)
        network.tell(#"{"node":"alice"}"#)
        try await network.program.expect(#""user":"alice""#)
        #expect(try await network.end().status == 0)
    }
}
