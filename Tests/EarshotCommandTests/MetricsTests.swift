import Foundation
import Testing

@Suite("earshot metrics, and the log", .keepsWhatItStarts)
struct MetricsTests {
    @Test("print the counts of a running node, and need one")
    func metrics() async throws {
        let home = try await TestHome.named("alice")
        let none = try await home.run("metrics")
        #expect(none.status != 0 && none.errors.contains("earshot up"))
        _ = try await home.up()
        let result = try await home.run("metrics")
        #expect(result.status == 0)
        #expect(result.output.contains("# TYPE earshot_links gauge\nearshot_links 0\n"))
        let object = try #require(try await home.run("metrics", "--json").objects().first)
        #expect((object["metrics"] as? String)?.contains("earshot_commit_failures_total 0\n") == true)
    }

    @Test("write one object a line on standard error as JSON")
    func log() async throws {
        let home = try await TestHome.named("alice")
        let (node, _) = try await home.up("--log-level", "info", "--log-format", "json")
        try await node.expectError(#""message":"node is up""#)
        let line = try #require(node.errorText.split(separator: "\n").first { $0.contains("node is up") })
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(object["level"] as? String == "info")
        #expect((object["metadata"] as? [String: String])?["port"] != nil)
        #expect((object["time"] as? String)?.contains(try Regex(#"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#)) == true)
    }
}
