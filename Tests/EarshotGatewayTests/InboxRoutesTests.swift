import Earshot
import EarshotGateway
import Foundation
import Testing

@Suite("The inbox in the local API")
struct InboxRoutesTests {
    private func ask(
        _ node: TestNode, _ method: String, _ path: String, _ body: String = "", headers: [String] = []
    ) async throws -> RawRequest.Response {
        try await RawRequest(method: method, path: path, body: Array(body.utf8), headers: headers)
            .send(to: node.node.home.socketFile)
    }

    private func receive(_ node: TestNode, _ query: String) async throws -> GatewayBatch {
        try await ask(node, "GET", "/v1/inbox?\(query)").decoded()
    }

    @Test("hands out messages, acknowledges and answers at once, and repeats its answer")
    func answers() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("question", to: "alice")
            let batch = try await receive(alice, "consumer=bot&wait=30")
            #expect(batch.messages.map(\.text) == ["question"] && batch.cursors == [batch.cursor])
            let body = #"{"ack":"\#(batch.cursor)","send":[{"to":"bob","text":"answer"}]}"#
            let first: GatewayAcknowledgement = try await ask(alice, "POST", "/v1/inbox/bot", body).decoded()
            let second: GatewayAcknowledgement = try await ask(alice, "POST", "/v1/inbox/bot", body).decoded()
            #expect(first.messages.map(\.text) == ["answer"])
            #expect(second.messages.map(\.id) == first.messages.map(\.id))
            #expect(try await alice.client.history(with: "bob").map(\.text) == ["question", "answer"])
            let consumers: [GatewayConsumer] = try await ask(alice, "GET", "/v1/consumers").decoded()
            #expect(consumers.map(\.name) == ["bot"] && consumers.map(\.lag) == [0])
            #expect(try await ask(alice, "POST", "/v1/consumers/bot/move", #"{"from":"beginning"}"#).status == 204)
            #expect(try await receive(alice, "consumer=bot").messages.map(\.text) == ["question"])
            #expect(try await ask(alice, "DELETE", "/v1/consumers/bot").status == 204)
            #expect(try await ask(alice, "DELETE", "/v1/consumers/bot").status == 404)
        }
    }

    @Test("answers in place, and edits, reacts and answers in the conversation with an acknowledgement")
    func amendments() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("question", to: "alice")
            let batch = try await receive(alice, "consumer=bot&wait=30")
            let id = try #require(batch.messages.first).id
            let path = "/v1/messages/\(id)/reply"
            #expect(try await ask(alice, "POST", path, #"{"text":"0 %","inPlace":true}"#).status == 400)
            let shown = try await alice.client.reply("0 %", to: id, key: "k", isInPlace: true)
            #expect(try await alice.client.reply("9 %", to: id, key: "k", isInPlace: true).id == shown.id)
            let body =
                #"{"ack":"\#(batch.cursor)","send":[{"text":"answer","answering":"\#(id)"}],"#
                + #""edit":[{"message":"\#(shown.id)","text":"done"}],"react":[{"message":"\#(id)","emoji":"👍"}]}"#
            #expect(
                try await ask(alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(batch.cursor)","send":[{"text":"x"}]}"#)
                    .status == 400)
            let answer: GatewayAcknowledgement = try await ask(alice, "POST", "/v1/inbox/bot", body).decoded()
            #expect(answer.messages.map(\.text) == ["answer"])
            let history = try await alice.client.history(with: "bob")
            #expect(history.map(\.text) == ["question", "done", "answer"])
            #expect(history[0].reactions.map(\.emoji) == ["👍"])
        }
    }

    @Test("continues a session with an acknowledgement, each answer as its next step")
    func sessions() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            let move = try await bob.client.send("e4", to: "alice", session: SessionRequest(id: nil, summary: "1. e4"))
            let batch = try await receive(alice, "consumer=bot&wait=30")
            let id = try #require(batch.messages.first?.session).id
            #expect(id == move.session?.id)
            func send(_ more: String) -> String {
                #"{"text":"x","answering":"\#(move.id)","session":{"id":"\#(id)","summary":"s"}\#(more)}"#
            }
            let late = #","notBefore":"2036-01-31T09:30:00Z""#
            let refused = try await ask(
                alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(batch.cursor)","send":[\#(send(late))]}"#)
            #expect(refused.status == 422)
            let body = #"{"ack":"\#(batch.cursor)","send":[\#(send("")),\#(send(#","layout":{"caption":"c"}"#))]}"#
            let answer: GatewayAcknowledgement = try await ask(alice, "POST", "/v1/inbox/bot", body).decoded()
            #expect(answer.messages.map { $0.session?.counter } == [2, 3])
            #expect(answer.messages.last?.layout?.caption == "c")
            let history = try await alice.client.history(with: "bob")
            #expect(history.map { $0.session?.isSuperseded } == [true, true, false])
        }
    }

    @Test("repeats its answer although a name in it names nobody any more, and says whom it does not know otherwise")
    func renamedMeanwhile() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("question", to: "alice")
            let batch = try await receive(alice, "consumer=bot&wait=30")
            let id = try #require(batch.messages.first).id
            /// What Bob was called then, or is called now.
            func body(_ name: String, _ more: String = "") -> String {
                #"{"ack":"\#(batch.cursor)","send":[{"to":"\#(name)","text":"one"},"#
                    + #"{"to":"\#(name)","text":"two","answering":"\#(id)"},"#
                    + #"{"to":"\#(name)","text":"three","idempotencyKey":"k"},"#
                    + #"{"to":"\#(name)","text":"later","notBefore":"2099-01-01T00:00:00Z"}\#(more)]}"#
            }
            let early = try await ask(alice, "POST", "/v1/inbox/bot", body("rob"))
            #expect(try early.status == 404 && early.index() == 0)
            let first: GatewayAcknowledgement = try await ask(alice, "POST", "/v1/inbox/bot", body("bob")).decoded()
            let again = try await ask(alice, "POST", "/v1/inbox/bot", body("rob"))
            #expect(again.status == 200, "\(String(decoding: again.body, as: UTF8.self))")
            let second: GatewayAcknowledgement = try again.decoded()
            #expect(first.messages.map(\.text) == ["one", "two", "three"])
            #expect(second.messages.map(\.id) == first.messages.map(\.id))
            let more = try await ask(alice, "POST", "/v1/inbox/bot", body("rob", #",{"to":"rob","text":"new"}"#))
            #expect(more.status == 404)
            #expect(try more.index() == 4)
            #expect(await alice.node.messages.scheduled().map(\.draft.text) == ["later"])
        }
    }

    @Test("refuses what it cannot do, and says which message it is about")
    func refusals() async throws {
        try await TestNode.pair { alice, bob in
            _ = try await bob.client.send("question", to: "alice")
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot","from":"beginning"}"#).status == 201)
            let cursor = try await receive(alice, "consumer=bot&wait=30").cursor
            let own = try await alice.client.send("own", to: "bob").id
            for (sent, status, code) in [
                (#"[{"to":"bob","text":"a"},{"to":"bob","text":"b","answering":"\#(own)"}]"#, 422, "invalidMessage"),
                (#"[{"to":"bob","text":"a"},{"to":"nobody","text":"b"}]"#, 404, "unknownUser"),
                (#"[{"to":"bob","text":"a"},{"to":"bob","text":""}]"#, 422, "invalidMessage"),
            ] {
                let response = try await ask(
                    alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(cursor)","send":\#(sent)}"#)
                #expect(try response.status == status && response.error().code == code)
                #expect(try response.index() == 1)
            }
            let statuses = [
                try await ask(alice, "GET", "/v1/inbox").status,
                try await ask(alice, "GET", "/v1/inbox?consumer=bot&wait=1000").status,
                try await ask(alice, "POST", "/v1/consumers", #"{"name":"a b"}"#).status,
                try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status,
                try await ask(alice, "POST", "/v1/inbox/bot", #"{"ack":"x"}"#).status,
                try await ask(alice, "POST", "/v1/inbox/bot", #"{"ack":"0000000000000000.1"}"#).status,
                try await ask(alice, "POST", "/v1/inbox/other", #"{"ack":"\#(cursor)"}"#).status,
            ]
            #expect(statuses == [400, 400, 422, 409, 400, 410, 404])
            #expect(try await ask(alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(cursor)"}"#).status == 200)
            let late = try await ask(
                alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(cursor)","send":[{"to":"bob","text":"a"}]}"#)
            #expect(try late.status == 409 && late.error().code == "alreadyAcknowledged" && late.index() == 0)
        }
    }

    @Test("marks answers as a program's, so two programs do not answer each other for ever; their own mark wins")
    func marksAnswers() async throws {
        try await TestNode.pair { alice, bob in
            for node in [alice, bob] {
                #expect(try await ask(node, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            }
            _ = try await bob.client.send("question", to: "alice")
            let question = try await receive(alice, "consumer=bot&wait=30")
            let body = #"{"ack":"\#(question.cursor)","send":[{"to":"bob","text":"answer"}]}"#
            let answer: GatewayAcknowledgement = try await ask(alice, "POST", "/v1/inbox/bot", body).decoded()
            #expect(answer.messages.map(\.headers) == [["auto-submitted": "auto-replied"]])
            try await alice.wait(for: "delivered", of: try #require(answer.messages.first).id)
            #expect(try await receive(bob, "consumer=bot").messages.isEmpty)

            _ = try await bob.client.send("another question", to: "alice")
            let second = try await receive(alice, "consumer=bot&wait=30")
            let own = #"{"ack":"\#(second.cursor)","send":[{"to":"bob","text":"x","headers":{"auto-submitted":"no"}}]}"#
            _ = try await ask(alice, "POST", "/v1/inbox/bot", own)
            #expect(try await receive(bob, "consumer=bot&wait=30").messages.map(\.text) == ["x"])
        }
    }

    @Test("hands the same messages to two readers of one consumer, and sets none of them aside for that")
    func twoReaders() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("hello", to: "alice")
            let first = try await receive(alice, "consumer=bot&wait=30&attempts=1")
            for _ in 0..<5 {
                let again = try await receive(alice, "consumer=bot&attempts=1")
                #expect(again.messages.map(\.id) == first.messages.map(\.id) && !again.messages.isEmpty)
            }
            #expect(try await ask(alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(first.cursor)"}"#).status == 200)
            let aside: [GatewaySetAside] = try await ask(alice, "GET", "/v1/consumers/bot/set-aside").decoded()
            #expect(aside.isEmpty)
        }
    }

    @Test("sets aside what a consumer has failed on too often, lists it, and hands it out again")
    func setAside() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("poison", to: "alice")
            for _ in 0..<2 {
                let batch = try await receive(alice, "consumer=bot&wait=30&attempts=2")
                let body = #"{"message":"\#(try #require(batch.messages.first).id)","reason":"no"}"#
                #expect(try await ask(alice, "POST", "/v1/inbox/bot/fail", body).status == 200)
            }
            #expect(try await receive(alice, "consumer=bot&attempts=2").messages.isEmpty)
            let aside: [GatewaySetAside] = try await ask(alice, "GET", "/v1/consumers/bot/set-aside").decoded()
            #expect(aside.map(\.message.text) == ["poison"])
            let path = "/v1/consumers/bot/set-aside/\(aside[0].message.id)/again"
            #expect(try await ask(alice, "POST", path).status == 204)
            #expect(try await receive(alice, "consumer=bot").messages.map(\.text) == ["poison"])
        }
    }

    @Test("takes the reason of a failure, and shows it with the consumer and with what is set aside")
    func failures() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("poison", to: "alice")
            let message = try #require(try await receive(alice, "consumer=bot&wait=30&attempts=1").messages.first)
            let body = #"{"message":"\#(message.id)","reason":"no database"}"#
            let noted: GatewayFailureNoted = try await ask(alice, "POST", "/v1/inbox/bot/fail", body).decoded()
            #expect(noted.isSetAside)
            let consumers: [GatewayConsumer] = try await ask(alice, "GET", "/v1/consumers").decoded()
            #expect(consumers.map(\.lastFailure?.reason) == ["no database"])
            let aside: [GatewaySetAside] = try await ask(alice, "GET", "/v1/consumers/bot/set-aside").decoded()
            #expect(aside.map(\.reason) == ["no database"])
            let again = try await ask(alice, "POST", "/v1/inbox/bot/fail", body)
            #expect(try again.status == 409 && again.error().code == "notHandedOut")
        }
    }

    @Test("takes an answer for later with the acknowledgement")
    func answersLater() async throws {
        try await TestNode.pair { alice, bob in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            _ = try await bob.client.send("question", to: "alice")
            let cursor = try await receive(alice, "consumer=bot&wait=30").cursor
            func acknowledge(_ notBefore: String) async throws -> RawRequest.Response {
                let send = #"[{"to":"bob","text":"later","notBefore":"\#(notBefore)"}]"#
                return try await ask(alice, "POST", "/v1/inbox/bot", #"{"ack":"\#(cursor)","send":\#(send)}"#)
            }
            #expect(try await acknowledge("tomorrow").status == 400)
            let done: GatewayAcknowledgement = try await acknowledge("2999-01-31T09:30:00Z").decoded()
            #expect(done.messages.isEmpty)
            let listed: [GatewayScheduled] = try await ask(alice, "GET", "/v1/scheduled").decoded()
            #expect(listed.map(\.text) == ["later"] && listed[0].notBefore == "2999-01-31T09:30:00.000Z")
        }
    }

    @Test("holds a consumer for nobody who has left", .timeLimit(.minutes(1)))
    func clientLeaves() async throws {
        try await TestNode.pair { alice, _ in
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"bot"}"#).status == 201)
            let request = "GET /v1/inbox?consumer=bot&wait=300 HTTP/1.1\r\nhost: localhost\r\n\r\n"
            // It ends when the consumer is free, long before the wait would be over.
            let answer = try await RawRequest.exchange(
                Array(request.utf8), with: alice.node.home.socketFile, finishes: true)
            #expect(String(decoding: answer, as: UTF8.self).contains(#""messages":[]"#))
            #expect(try await receive(alice, "consumer=bot").messages.isEmpty)
        }
    }

    @Test("refuses one consumer too many, and does not say that time would help")
    func tooMany() async throws {
        try await TestNode.pair { alice, _ in
            for number in 0..<Limits.consumers {
                #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"c\#(number)"}"#).status == 201)
            }
            for response in [
                try await ask(alice, "POST", "/v1/consumers", #"{"name":"more"}"#),
                try await ask(alice, "GET", "/v1/inbox?consumer=more"),
            ] {
                #expect(response.status == 409 && !response.head.lowercased().contains("retry-after"))
                let error = try response.error()
                #expect(error.code == "tooManyConsumers" && error.message.contains("\(Limits.consumers)"))
            }
            #expect(try await ask(alice, "DELETE", "/v1/consumers/c0").status == 204)
            #expect(try await ask(alice, "POST", "/v1/consumers", #"{"name":"more"}"#).status == 201)
        }
    }

    @Test("schedules, lists and cancels messages, and sends once for one Idempotency-Key")
    func schedules() async throws {
        try await TestNode.pair { alice, _ in
            let body = #"{"to":"bob","text":"later","notBefore":"2999-01-31T09:30:00Z"}"#
            let scheduled: GatewayScheduled = try await ask(alice, "POST", "/v1/scheduled", body).decoded()
            #expect(scheduled.notBefore == "2999-01-31T09:30:00.000Z" && scheduled.messageID == nil)
            let listed: [GatewayScheduled] = try await ask(alice, "GET", "/v1/scheduled").decoded()
            #expect(listed == [scheduled])
            #expect(try await ask(alice, "DELETE", "/v1/scheduled/\(scheduled.id)").status == 204)
            #expect(try await ask(alice, "DELETE", "/v1/scheduled/\(scheduled.id)").status == 404)
            let toStranger = body.replacing("bob", with: String(repeating: "0", count: 52))
            #expect(try await ask(alice, "POST", "/v1/scheduled", toStranger).status == 201)
            let wrong = #"{"to":"bob","text":"later","notBefore":"tomorrow"}"#
            #expect(try await ask(alice, "POST", "/v1/scheduled", wrong).status == 400)

            // The key of a user who was never met.
            let stranger = String(repeating: "1", count: 51) + "0"
            let unmet = try await ask(
                alice, "POST", "/v1/scheduled",
                #"{"to":"\#(stranger)","text":"later","notBefore":"2999-01-31T09:30:00Z"}"#)
            #expect(unmet.status == 201)
            let token = try await ask(
                alice, "POST", "/v1/tokens", #"{"name":"a","scopes":["send"],"to":["\#(stranger)"]}"#)
            #expect(token.status == 201)

            let key = ["Idempotency-Key: order-7"]
            let first: GatewayMessage = try await ask(
                alice, "POST", "/v1/messages", #"{"to":"bob","text":"once"}"#, headers: key
            ).decoded()
            let second: GatewayMessage = try await ask(
                alice, "POST", "/v1/messages", #"{"to":"bob","text":"once"}"#, headers: key
            ).decoded()
            #expect(first.id == second.id)
            let reused = try await ask(
                alice, "POST", "/v1/messages", #"{"to":"bob","text":"other"}"#, headers: key)
            #expect(try reused.status == 409 && reused.error().code == "keyReused")
        }
    }
}

extension RawRequest.Response {
    /// Which message of the request an error is about.
    fileprivate func index() throws -> Int? {
        let object = try JSONSerialization.jsonObject(with: body) as? [String: [String: Any]]
        return (object?["error"]?["parameters"] as? [String: Any])?["index"] as? Int
    }
}
