import Earshot
import Foundation
import TestSupport
import Testing

@testable import EarshotGateway

@Suite("The local API for notifications")
struct NotificationRoutesTests {
    @Test("registers a program or a server for the owner on the socket alone")
    func command() async throws {
        try await TestNode.with("alice") { alice in
            let token = try await alice.client.createToken("page", scopes: [.all]).token
            for body in [
                #"{"kind":"command","command":["/bin/true"]}"#, #"{"kind":"webhook","url":"http://127.0.0.1:9/"}"#,
            ] {
                let request = RawRequest(
                    method: "POST", path: "/v1/notifications/targets", body: Array(body.utf8),
                    headers: ["authorization: Bearer \(token)"])
                for answer in [
                    try await request.send(toPort: alice.httpPort),
                    try await request.send(to: alice.node.home.socketFile),
                ] {
                    #expect(answer.status == 403)
                    #expect(try answer.error().code == "forbidden")
                }
            }
            let before = try await alice.client.notificationTargets()
            let registered = try await alice.client.register(.command(path: "/bin/true", arguments: ["x"]))
            let after = try await alice.client.notificationTargets()
            try await alice.client.deregister("command")
            let end = try await alice.client.notificationTargets()
            #expect(before.isEmpty && after == [registered.target] && end.isEmpty)
            #expect(registered.target.command == ["/bin/true", "x"] && registered.secret == nil)
        }
    }

    @Test("keeps nothing of a program that does not take the test, and says why")
    func failing() async throws {
        try await TestNode.with("alice") { alice in
            let error = await #expect(throws: GatewayError.self) {
                try await alice.client.register(.command(path: "/bin/false", arguments: []))
            }
            #expect(error?.code == .targetUnusable)
            #expect(error?.message == "the test notification did not get through: /bin/false has ended with 1")
            let targets = try await alice.client.notificationTargets()
            #expect(targets.isEmpty)
        }
    }

    @Test("sets and shows the level of a conversation, also of one in which nothing was written")
    func level() async throws {
        try await TestNode.pair { alice, _ in
            let before = try await alice.client.conversation("bob")
            let answer = try await alice.client.setNotificationLevel(.mentions, of: "bob")
            let after = try await alice.client.conversation("bob")
            #expect([before, answer, after].map(\.notificationLevel) == ["all", "mentions", "mentions"])
            let refused = RawRequest(
                method: "POST", path: "/v1/conversations/bob/notifications", body: Array(#"{"level":"some"}"#.utf8))
            let status = try await refused.send(to: alice.node.home.socketFile).status
            #expect(status == 400)
        }
    }

    @Test("says what a notification is about")
    func handle() async throws {
        try await TestNode.with("alice") { alice in
            let test = try await alice.client.handleNotification(#"{"type":"test"}"#)
            #expect(test.type == "test" && !test.isNews && test.messageID == nil)
            let error = await #expect(throws: GatewayError.self) {
                try await alice.client.handleNotification("nothing")
            }
            #expect(error?.code == .invalidNotification)
        }
    }
}
