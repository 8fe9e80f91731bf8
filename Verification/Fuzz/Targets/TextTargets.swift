import EarshotCrypto
import EarshotModel
import EarshotStore

@testable import Earshot
@testable import EarshotDiscovery

/// Typed text, and the names of others.
let textTargets = [
    FuzzTarget("address", maximumBytes: 512) { input in
        let text = input.text()
        if let address = PeerAddress(text) {
            require(PeerAddress(address.description) == address, "\(text) is an address, and \(address) is the same")
        }
        for text in [text, input.text()] {
            guard let address = try? StaticPeers.address(text) else { continue }
            require(address.host.utf8.count <= 512, "a host is of bounded length")
            require((try? StaticPeers.address(address.description)) == address, "\(address) is \(text)")
            require((try? StaticPeers([address]))?.addresses == [address], "what was read is taken: \(text)")
        }
    },
    FuzzTarget("typed-keys", maximumBytes: 2048) { input in
        switch input.choice(5) {
        case 0:
            var text = Array(NetworkKey(secret: SecretBytes(copying: padded(input.take(32)))).text.utf8)
            input.damage(&text)
            checkNetworkKey(String(decoding: text, as: UTF8.self))
        case 1: checkNetworkKey(String(decoding: input.rest(), as: UTF8.self))
        case 2:
            guard let number = SafetyNumber(typed: String(decoding: input.rest(), as: UTF8.self)) else { return }
            require(number.digits.utf8.count == 60, "a safety number has 60 digits")
            require(SafetyNumber(typed: number.description) == number, "a safety number is read as it is shown")
        case 3:
            let text = String(decoding: input.rest(), as: UTF8.self)
            guard let bytes = Base32.decode(text) else { return }
            require(Base32.encode(bytes) == text, "base32 has one text for the same bytes")
            if let key = UserID(text) { require(key.description == text, "a key has one text") }
        default:
            let text = String(decoding: input.rest(), as: UTF8.self)
            guard let messageID = MessageID(text) else { return }
            require(messageID.description == text, "the id of a message has one text")
        }
    },
    FuzzTarget("search", maximumBytes: 512) { input in
        let (typed, written) = (input.text(), String(decoding: input.rest(), as: UTF8.self))
        let phrases = SearchPhrase.phrases(in: typed)
        guard !phrases.isEmpty else { return }
        checkSearch(SearchCriteria(Array(phrases.prefix(Limits.searchPhrases))), in: written)
    },
    FuzzTarget("name", maximumBytes: 400) { input in
        let texts = [input.text(), input.text(), input.text()]
        let names = texts.compactMap { try? UserName(typed: $0) }
        for name in names {
            require((try? UserName(name.text)) == name, "a name is a name as it stands")
            require((1...Limits.nameBytes).contains(name.text.utf8.count), "a name is of bounded length")
            require(name.text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "no controls")
            let own = Advertisement(name: name, userID: UserID(Bytes32()), deviceID: DeviceID(Bytes32()), port: 1)
            require(own.instanceName.utf8.count <= 63, "one DNS label")
            checkLooks(of: name, among: names)
        }
        for (a, b) in zip(texts, texts.dropFirst()) { _ = EditDistance.between(a, b) }
    },
]

/// Whatever is typed is no language that the index refuses, and a message is found by itself.
private func checkSearch(_ criteria: SearchCriteria, in text: String) {
    do {
        let index = try SearchIndex(path: nil)
        for (cursor, text) in [(Int64(1), text), (2, criteria.phrases.map(\.text).joined(separator: " "))] {
            let message = SearchedMessage(
                cursor: cursor, text: SearchText.words(of: text), conversationID: ConversationID(Bytes32()),
                authorID: UserID(Bytes32()), timestamp: HybridTimestamp(milliseconds: 1))
            try index.fill([message], gone: [], position: SearchPosition())
        }
        require(try index.search(criteria, limit: 10).contains(2), "what was typed is found where it is written")
        try index.fill([], gone: [1, 2], position: SearchPosition())
        try index.eraseGone()
        require(try index.search(criteria, limit: 10).isEmpty, "what is gone is not found")
    } catch { require(false, "the index takes everything: \(error)") }
}

private func padded(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: 32 - bytes.count) }

private func checkNetworkKey(_ text: String) {
    guard let key = try? NetworkKey(typed: text) else { return }
    require((try? NetworkKey(typed: key.text)) == key, "a network key is read as it is shown")
}

private func checkLooks(of name: UserName, among names: [UserName]) {
    let alike = name.lookAlikes(among: names)
    require(!alike.contains(name), "a name does not look like itself")
    for other in alike {
        require(other.lookAlikes(among: names + [name]).contains(name), "to look alike goes both ways")
    }
    let shown = name.displayed(among: names)
    if name.text.utf8.allSatisfy({ $0 < 0x80 }) { require(shown == name.text, "ASCII is shown as it is") }
    if name.isDeceptive { require(shown != name.text, "what deceives is escaped in \(shown)") }
    require(LookAlikes(names).displayed(name) == shown, "a list shows a name as one alone")
}
