/// Messages of a chat that are on their way, for a chat that ends when they are delivered.
struct AwaitedSends {
    /// Neither delivered nor failed yet.
    private(set) var openIDs: Set<String> = []
    /// Delivered or failed before the node answered that it has accepted them.
    private var earlyIDs: Set<String> = []
    private var underWay = 0

    var isEmpty: Bool { openIDs.isEmpty && underWay == 0 }

    mutating func begin() { underWay += 1 }

    /// - Parameter id: the message; `nil` if the node has not accepted it.
    mutating func end(_ id: String?) {
        underWay -= 1
        if let id, earlyIDs.remove(id) == nil { openIDs.insert(id) }
        if underWay == 0 { earlyIDs = [] }
    }

    /// A message was delivered or has failed.
    mutating func close(_ id: String) {
        if openIDs.remove(id) == nil, underWay > 0 { earlyIDs.insert(id) }
    }
}
