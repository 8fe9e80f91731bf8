import EarshotProtocol
import Testing

@testable import Earshot

@Suite("What a program hears of the disk")
struct StorageErrorTests {
    @Test("tells a full disk from one that is broken")
    func full() {
        let full = EarshotError(ProtocolError(.storageFull, "no space is left"))
        #expect(full.code == .storeFull)
        #expect(EarshotError(ProtocolError(.storage, "it is gone")).code == .storeUnavailable)
    }
}
