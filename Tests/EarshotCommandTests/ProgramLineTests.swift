import EarshotGateway
import Foundation
import Testing

@testable import EarshotCommand

@Suite("A line of a bot's program")
struct ProgramLineTests {
    private func read(_ line: String) throws -> ProgramLine { try ProgramLine(line: line.utf8) }

    @Test("acknowledges a message and answers it, gives up on one, or sends unasked")
    func lines() throws {
        #expect(try read(#"{"ack":"m1"}"#) == .acknowledge("m1", []))
        #expect(
            try read(
                #"{"ack":"m1","send":[{"text":"hi","to":"b","headers":{"a":"b"},"notBefore":"2026-01-31T12:00:00Z"}]}"#
            )
                == .acknowledge(
                    "m1",
                    [
                        BotSend(
                            text: "hi", to: "b", headers: ["a": "b"],
                            notBefore: Date(timeIntervalSince1970: 1_769_860_800))
                    ]))
        #expect(try read(#"{"fail":"m1","reason":"no database"}"#) == .fail("m1", reason: "no database"))
        #expect(try read(#"{"typing":"m1"}"#) == .typing("m1"))
        #expect(
            try read(#"{"reply":"m1","text":"0 %","headers":{"a":"b"}}"#)
                == .act("m1", .show(text: "0 %", headers: ["a": "b"])))
        #expect(try read(#"{"edit":"m1","text":"9 %"}"#) == .act("m1", .show(text: "9 %", headers: [:])))
        #expect(try read(#"{"retract":"m1"}"#) == .act("m1", .retract))
        #expect(try read(#"{"react":"m1","emoji":"👀"}"#) == .act("m1", .react(emoji: "👀", isRemoved: false)))
        #expect(
            try read(#"{"react":"m1","emoji":"👀","remove":true}"#)
                == .act("m1", .react(emoji: "👀", isRemoved: true)))
        #expect(
            try read(#"{"ack":"m1","edit":"done","send":[{"text":"hi","isReply":true,"mentions":["bob"]}]}"#)
                == .acknowledge(
                    "m1",
                    [
                        BotSend(text: "done", isInPlace: true),
                        BotSend(text: "hi", mentions: ["bob"], isReply: true),
                    ]))
        #expect(try read(#"{"send":[{"text":"hi","to":"bob"}]}"#) == .send([BotSend(text: "hi", to: "bob")]))
        #expect(
            try read(#"{"send":[{"text":"hi","to":"bob","idempotencyKey":"7"}]}"#)
                == .send([BotSend(text: "hi", to: "bob", idempotencyKey: "7")]))
    }

    @Test("may give what it sends a layout and a session, and no part that there is not")
    func content() throws {
        let line =
            #"{"send":[{"text":"e4","to":"b","layout":{"caption":"c","url":"https://a/"},"session":{"summary":"s"}}]}"#
        #expect(
            try read(line)
                == .send([
                    BotSend(
                        text: "e4", to: "b", layout: LayoutRequest(caption: "c", url: "https://a/"),
                        session: SessionRequest(id: nil, summary: "s"))
                ]))
        for wrong in [#""layout":{"colour":"red"}"#, #""session":{"id":"x"}"#, #""session":{"summary":"s","n":1}"#] {
            #expect(throws: LineError.self) { try read(#"{"send":[{"text":"e4","to":"b",\#(wrong)}]}"#) }
        }
    }

    @Test(
        "with anything else is refused, and told what is wrong",
        arguments: [
            ("hello", "the line is not a JSON object: hello"), ("[]", "the line is not a JSON object: []"),
            ("", "the line is empty"),
            (
                #"{"acknowledge":"m1"}"#,
                "there is no field \"acknowledge\"; there are: ack, fail, reason, typing, send, reply, edit, retract, react, text, headers, emoji, remove"
            ),
            (
                "{}",
                "a line has \"ack\", and perhaps \"send\" and \"edit\", or \"fail\" and \"reason\", or \"typing\", or \"send\", or \"reply\" and \"text\", or \"edit\" and \"text\", or \"retract\", or \"react\" and \"emoji\""
            ),
            (#"{"fail":"m1"}"#, "the field \"reason\" is missing"),
            (#"{"ack":1}"#, "the field \"ack\" must be a text"), (#"{"ack":null}"#, "the field \"ack\" must be a text"),
            (#"{"ack":"m1","send":[{"to":"bob"}]}"#, "the field \"send[0].text\" is missing"),
            (
                #"{"ack":"m1","send":[{"text":"x","when":1}]}"#,
                "there is no field \"when\"; there are: text, to, headers, mentions, isReply, isDraft, notBefore, "
                    + "idempotencyKey, layout, session"
            ),
            (
                #"{"send":[{"text":"x","to":"bob","notBefore":"soon"}]}"#,
                "notBefore is a time like 2026-01-31T12:00:00Z"
            ),
        ])
    func refused(line: String, reason: String) {
        #expect(throws: LineError(reason)) { try read(line) }
    }
}

@Suite("What a program writes")
struct LineSplitterTests {
    private func whole(_ text: String) -> LineSplitter.Line { .whole(Array(text.utf8)) }

    @Test("is split at line breaks, wherever the pieces end")
    func lines() {
        var splitter = LineSplitter(limit: 100)
        #expect(splitter.append("on".utf8) == [])
        #expect(splitter.append("e\n\ntwo\nthr".utf8) == [whole("one"), whole(""), whole("two")])
        #expect(splitter.end() == whole("thr"))
        #expect(splitter.end() == nil)
    }

    @Test("has no line longer than the limit: the rest of it is left out")
    func tooLong() {
        var splitter = LineSplitter(limit: 3)
        #expect(splitter.append("abc\nabcd".utf8) == [whole("abc"), .cut(Array("abc".utf8))])
        #expect(splitter.append("efg".utf8) == [])
        #expect(splitter.end() == nil)
        #expect(splitter.append("\nab\n".utf8) == [whole("ab")])
    }
}
