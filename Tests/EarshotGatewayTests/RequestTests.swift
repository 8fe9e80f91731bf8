import Earshot
import EarshotGateway
import Foundation
import Testing

@Suite("A request to the local API")
struct RequestTests {
    private func send(_ body: [UInt8]) async throws -> RawRequest.Response {
        try await TestNode.with("alice") { alice in
            try await RawRequest(method: "POST", path: "/v1/messages", body: body)
                .send(to: alice.node.home.socketFile)
        }
    }

    @Test("that is not UTF-8 is refused, not repaired")
    func invalidUTF8() async throws {
        let response = try await send(Array(#"{"to":"bob","text":""#.utf8) + [0xff] + Array(#""}"#.utf8))
        #expect(response.status == 400)
        #expect(try response.error().code == "invalidUTF8")
    }

    @Test(
        "that is no JSON, or lacks a field, is told what is wrong",
        arguments: [
            ("{", "the body is not JSON"), (#"{"to":"bob"}"#, #"the field "text" is missing"#),
            (#"{"to":1,"text":"x"}"#, #"the field "to" must be a text, and not a number"#),
            ("null", "the body must be an object, and not null"), ("[]", "the body must be an object, and not a list"),
            (#"{"to":"bob","text":"x",}"#, "the body is not JSON"),
            (#"{"to":null,"text":"x"}"#, #"the field "to" must be a text, and not null"#),
            (#"{"to":"bob","text":"\ud800"}"#, "the body is not JSON"),
        ])
    func malformed(body: String, message: String) async throws {
        let response = try await send(Array(body.utf8))
        #expect(response.status == 400)
        #expect(try response.error().code == "invalidRequest")
        #expect(try response.error().message.hasPrefix(message))
    }

    @Test("with a field that the node does not know is refused by its name")
    func unknownFields() async throws {
        let response = try await send(Array(#"{"to":"bob","text":"x","colour":"red"}"#.utf8))
        #expect(response.status == 400)
        #expect(try response.error().message.hasPrefix(#"there is no field "colour""#))
    }

    @Test("to decide about a user under another name than they have now is refused, and changes nothing")
    func renamed() async throws {
        try await TestNode.pair { alice, bob in
            for name in ["carol", " "] {
                let response = try await RawRequest(
                    method: "POST", path: "/v1/users/\(bob.node.userID)/trust",
                    body: Array(#"{"decision":"block","name":"\#(name)"}"#.utf8)
                ).send(to: alice.node.home.socketFile)
                #expect(response.status == 409)
                #expect(try response.error().code == "nameChanged")
            }
            #expect(await alice.node.users.user(bob.node.userID)?.trust == .unverified)
            let response = try await RawRequest(
                method: "POST", path: "/v1/users/\(bob.node.userID)/trust",
                body: Array(#"{"decision":"block","name":"bob"}"#.utf8)
            ).send(to: alice.node.home.socketFile)
            #expect(response.status == 200)
        }
    }

    @Test("is read up to a limit")
    func tooLarge() async throws {
        let response = try await send(Array(repeating: 0x20, count: GatewayLimits.bodyBytes + 1))
        #expect(response.status == 413)
        #expect(try response.error().code == "tooLarge")
    }

    @Test(
        "with a time to live that is none is refused",
        arguments: ["0", "-1", "1e300", "1e-9", "0.0009", "3153600000.0000005"])
    func timeToLive(seconds: String) async throws {
        try await TestNode.pair { alice, _ in
            let body = Array(#"{"to":"bob","text":"x","timeToLiveSeconds":\#(seconds)}"#.utf8)
            let response = try await RawRequest(method: "POST", path: "/v1/messages", body: body)
                .send(to: alice.node.home.socketFile)
            #expect(response.status == 400)
        }
    }

    @Test(
        "to no endpoint, or with a query that is wrong, is answered in the form of all errors",
        arguments: [
            ("/v1/nothing", 404, "unknownEndpoint"), ("/", 404, "unknownEndpoint"),
            ("/v1/status", 404, "unknownEndpoint"), ("/v1/diagnosis", 404, "unknownEndpoint"),
            ("/metrics", 404, "unknownEndpoint"), ("/v1/messages", 405, "methodNotAllowed"),
            ("/v1/node?verbose=1", 400, "invalidRequest"), ("/v1/conversations/nobody", 404, "unknownUser"),
            ("/v1/users/nobody", 404, "unknownUser"), ("/v1/messages/x", 400, "invalidRequest"),
            ("/v1/users/%ff", 400, "invalidUTF8"), ("/v1/events?names=messageEaten", 400, "invalidRequest"),
            ("/v1/events?count=0", 400, "invalidRequest"), ("/v1/events?count=1001", 400, "invalidRequest"),
        ])
    func errors(path: String, status: Int, code: String) async throws {
        try await TestNode.with("alice") { alice in
            let response = try await RawRequest(path: path).send(to: alice.node.home.socketFile)
            #expect(response.status == status)
            let error = try response.error()
            #expect(error.code == code)
        }
    }

    @Test(
        "for a page of history has one bound and a limit that the node allows",
        arguments: [
            "limit=0", "limit=1001", "limit=x", "before=a-1&after=a-1", "before=x",
        ])
    func historyQuery(query: String) async throws {
        try await TestNode.pair { alice, _ in
            let response = try await RawRequest(path: "/v1/conversations/bob/messages?\(query)")
                .send(to: alice.node.home.socketFile)
            #expect(response.status == 400)
        }
    }

    @Test(
        "names messages by numbers that a log can have",
        arguments: ["0", "9223372036854775808", "18446744073709551615", "18446744073709551616"])
    func impossibleMessage(sequence: String) async throws {
        let id = String(repeating: "0", count: 52) + "-" + sequence
        try await TestNode.with("alice") { alice in
            for request in [
                RawRequest(path: "/v1/messages/\(id)"), RawRequest(method: "POST", path: "/v1/messages/\(id)/cancel"),
                RawRequest(method: "POST", path: "/v1/messages/erase", body: Array(#"{"messages":["\#(id)"]}"#.utf8)),
            ] {
                let response = try await request.send(to: alice.node.home.socketFile)
                #expect(response.status == 400)
                #expect(try response.error().code == "invalidRequest")
            }
        }
    }

    @Test("that is long is not given back in the error")
    func longTexts() async throws {
        let text = String(repeating: "x", count: 400_000)
        try await TestNode.with("alice") { alice in
            for (path, body) in [
                ("messages", #"{"to":"\#(text)","text":"x"}"#),
                ("messages/erase", #"{"messages":["\#(text)"]}"#),
            ] {
                let response = try await RawRequest(method: "POST", path: "/v1/\(path)", body: Array(body.utf8))
                    .send(to: alice.node.home.socketFile)
                #expect(response.body.count < 1000)
                #expect(try response.error().message.contains("xxx…"))
            }
        }
    }
}
