import Foundation
import Testing

@Suite("The examples")
struct ExamplesTests {
    private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../examples").standardizedFileURL

    @Test("hello: a Swift program sends a message and prints its states")
    func hello() async throws {
        let pair = try await Pair.met()
        // The program is a node of its own, so the one that runs on this home makes room. They have met before.
        pair.aliceNode.signal(SIGTERM)
        _ = try await pair.aliceNode.end()
        let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appendingPathComponent("hello")
            .path
        let example = try RunningProgram([pair.alice.path, "bob", "hello from a program"], program: program)
        let result = try await example.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines == ["queued", "sent", "delivered"])
        let history = try await pair.bob.run("history", "alice", "--json").objects()
        #expect(history.last?["text"] as? String == "hello from a program")
    }

    @Test("two-users.sh: a script lets two users talk")
    func twoUsers() async throws {
        let script = folder.appendingPathComponent("two-users.sh").path
        let example = try RunningProgram([script], program: "/bin/bash", environment: ["EARSHOT_BIN": Program.path])
        let result = try await example.end()
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.lines.filter { $0 == "delivered" }.count == 2)
        #expect(result.lines.suffix(2) == ["alice: Hello Bob!", "bob: Hello Alice!"])
    }
}
