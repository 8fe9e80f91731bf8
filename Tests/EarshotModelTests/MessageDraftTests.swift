import EarshotModel
import Testing

@Suite("Message drafts")
struct MessageDraftTests {
    @Test("have a text of 1 byte to 64 KiB of UTF-8")
    func text() throws {
        try MessageDraft("a").validate()
        try MessageDraft(String(repeating: "a", count: 65_536)).validate()
        try MessageDraft(String(repeating: "é", count: 32_768)).validate()
        expect(.emptyText, of: MessageDraft(""))
        expect(.textTooLong(bytes: 65_537), of: MessageDraft(String(repeating: "a", count: 65_537)))
        expect(.textTooLong(bytes: 65_538), of: MessageDraft(String(repeating: "é", count: 32_769)))
    }

    @Test("have up to 64 headers")
    func headerCount() throws {
        let headers = Dictionary(uniqueKeysWithValues: (0..<64).map { ("h\($0)", "") })
        try MessageDraft("a", headers: headers).validate()
        expect(.tooManyHeaders(count: 65), of: MessageDraft("a", headers: headers.merging(["one": ""]) { a, _ in a }))
    }

    @Test("have headers that are counted in bytes, however many of them make one character")
    func headerBytesOfUnicode() {
        let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
        let value = String(repeating: family, count: 8192 / family.utf8.count)
        expect(
            .headersTooLong(bytes: value.utf8.count + 100),
            of: MessageDraft("a", headers: [String(repeating: "n", count: 100): value]))
    }

    @Test("have headers of up to 8 KiB, names and values together")
    func headerBytes() throws {
        let value = String(repeating: "v", count: 8192 - 4)
        try MessageDraft("a", headers: ["name": value]).validate()
        expect(.headersTooLong(bytes: 8193), of: MessageDraft("a", headers: ["name": value + "v"]))
        expect(.headersTooLong(bytes: 8193), of: MessageDraft("a", headers: ["name1": value]))
    }

    @Test("have a name for each header")
    func headerName() {
        expect(.emptyHeaderName, of: MessageDraft("a", headers: ["": "value"]))
    }

    @Test("live for a time above zero", arguments: [0, -1, Int64.min])
    func timeToLive(milliseconds: Int64) throws {
        expect(.timeToLiveNotPositive, of: MessageDraft("a", timeToLive: .milliseconds(milliseconds)))
        try MessageDraft("a", timeToLive: .milliseconds(1)).validate()
    }

    private func expect(
        _ reason: MessageDraft.Invalid, of draft: MessageDraft, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        expectInvalid(reason, sourceLocation: sourceLocation) { try draft.validate() }
    }
}
