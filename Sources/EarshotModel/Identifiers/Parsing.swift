// The initialisers that read a text. Each type has its own: what an extension of a protocol of this package declares, no program
// sees.

extension UserID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension DeviceID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension ConversationID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension FileID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension MessageID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension EventID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension DraftID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension ScheduledMessageID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension SessionID {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension PeerAddress {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension DeliveryState {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidIdentifier` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension UserName {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidName` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}

extension WebLink {
    /// Reads what `description` gives.
    /// - Throws: `EarshotError` `invalidLink` for any other text.
    public init(parsing text: String) throws(EarshotError) { self = try Self.reading(text) }
}
