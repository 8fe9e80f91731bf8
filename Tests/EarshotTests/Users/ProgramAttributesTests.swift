import EarshotModel
import Testing

@testable import Earshot

@Suite("What a profile or a group says to programs")
struct ProgramAttributesTests {
    @Test("is a JSON object or nothing: other texts of others count as nothing, and all else counts")
    func counting() {
        let texts = [
            "": "", "{}": "{}", #"{"a":[1]}"#: #"{"a":[1]}"#, "[1]": "", "1": "", "{": "", "no": "", "\u{0}": "",
        ]
        for (text, expected) in texts {
            let profile = Profile(friendlyName: "Bob", attributes: text)
            #expect(profile.counting == Profile(friendlyName: "Bob", attributes: expected))
            let userID = UserID(Bytes32())
            let details = ConversationDetails(
                creatorID: userID, ownerID: userID, friendlyName: "Crew", attributes: text, givesHistory: true,
                isClosed: false)
            #expect(details.counting.attributes == expected && details.counting.friendlyName == "Crew")
        }
    }
}
