import EarshotModel

/// One log and one of its recipients.
struct DeliveryKey: Hashable, Sendable, Comparable {
    let logID: LogID
    let recipientID: UserID

    static func < (a: DeliveryKey, b: DeliveryKey) -> Bool {
        a.logID == b.logID ? a.recipientID < b.recipientID : a.logID < b.logID
    }
}
