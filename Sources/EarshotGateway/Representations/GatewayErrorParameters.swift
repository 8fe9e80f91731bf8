package import Earshot

/// The details of an error, as the local API shows them: `EarshotError.Parameters`. Unknown fields are left out.
package struct GatewayErrorParameters: Codable, Hashable, Sendable {
    /// The case within the error's code.
    package var detail: String?
    package var path: String?
    package var mode: String?
    package var systemError: Int32?
    package var processID: Int32?
    package var interface: String?
    package var port: UInt16?
    package var name: String?
    package var userID: String?
    /// Keys of the users who may be meant.
    package var candidates: [String]?
    package var suggestions: [String]?
    package var messageID: String?
    package var eventID: String?
    package var limit: Int?
    package var erasedCount: Int?
    package var index: Int?

    /// - Returns: `nil` if there are no details.
    package init?(_ parameters: EarshotError.Parameters) {
        guard parameters != EarshotError.Parameters() else { return nil }
        detail = parameters.detail?.description
        path = parameters.path
        mode = parameters.mode
        systemError = parameters.systemError
        processID = parameters.processID
        interface = parameters.interface
        port = parameters.port
        name = parameters.name
        userID = parameters.userID?.description
        candidates = parameters.candidates.isEmpty ? nil : parameters.candidates.map(\.description)
        suggestions = parameters.suggestions.isEmpty ? nil : parameters.suggestions
        messageID = parameters.messageID?.description
        eventID = parameters.eventID?.description
        limit = parameters.limit
        erasedCount = parameters.erasedCount
        index = parameters.index
    }
}

extension EarshotError.Parameters {
    /// - Parameter parameters: what the node reported; `nil` if it reported nothing.
    package init(_ parameters: GatewayErrorParameters?) {
        self.init(
            parameters?.detail.map { EarshotError.Detail($0) }, path: parameters?.path, mode: parameters?.mode,
            systemError: parameters?.systemError, processID: parameters?.processID,
            interface: parameters?.interface, port: parameters?.port,
            name: parameters?.name, userID: parameters?.userID.flatMap { UserID($0) },
            candidates: (parameters?.candidates ?? []).compactMap { UserID($0) },
            suggestions: parameters?.suggestions ?? [],
            messageID: parameters?.messageID.flatMap { MessageID($0) },
            eventID: parameters?.eventID.flatMap { EventID($0) }, limit: parameters?.limit,
            erasedCount: parameters?.erasedCount, index: parameters?.index)
    }
}
