import Earshot

/// An answer of which something is told to those, too, who may not read: ids and states of what they wrote themselves.
///
/// `Response.shown(to:)` decides which of the two somebody is told. An answer that is not of this kind says nothing to who
/// may not read.
protocol ToldWithoutReading {
    associatedtype Told: Encodable & Sendable

    /// What is left of it.
    var told: Told { get }
}

/// The id of something that the caller has named: it was done.
struct ToldID: Codable, Hashable, Sendable {
    let id: String
}

extension Array: ToldWithoutReading where Element: ToldWithoutReading {
    var told: [Element.Told] { map(\.told) }
}

// MARK: - Messages

/// A message that the call itself has written, now or when it came first. Its states are the caller's to know.
struct Written: Encodable, Sendable {
    let message: GatewayMessage

    init(_ message: GatewayMessage) { self.message = message }

    func encode(to encoder: any Encoder) throws { try message.encode(to: encoder) }
}

/// A message that its program cannot read: how far it has come.
package struct GatewayMessageState: Codable, Hashable, Sendable, Identifiable {
    package let id: String
    package let conversationID: String
    /// The recipients, without their names, and its state for each.
    package let recipients: [GatewayDelivery]

    init(_ message: GatewayMessage) {
        (id, conversationID) = (message.id, message.conversationID)
        recipients = message.recipients.map(\.unnamed)
    }
}

/// What became of a message for each of several recipients.
struct ToldResults: Encodable, Sendable {
    struct Result: Encodable, Sendable {
        let to: String
        let message: GatewayMessageState?
        let error: ErrorResponse.Body?
    }

    let results: [Result]
}

extension Written: ToldWithoutReading {
    var told: GatewayMessageState { GatewayMessageState(message) }
}

/// One that somebody names may be anybody's: whoever has written it, its caller knows nothing but its id.
extension GatewayMessage: ToldWithoutReading {
    var told: ToldID { ToldID(id: id) }
}

extension GatewaySendResults: ToldWithoutReading {
    var told: ToldResults {
        ToldResults(
            results: results.map { result in
                ToldResults.Result(
                    to: result.to, message: result.message.map(GatewayMessageState.init),
                    error: result.failure.map { ErrorResponse($0.toldWithoutReading).error })
            })
    }
}

extension GatewayDelivery {
    fileprivate var unnamed: GatewayDelivery {
        var delivery = self
        delivery.name = nil
        return delivery
    }
}

// MARK: - What waits

extension GatewayScheduled: ToldWithoutReading {
    /// When it goes out, and the message that it became.
    struct State: Encodable, Sendable {
        let id: String
        let notBefore: String
        let createdAt: String
        let messageID: String?
    }

    var told: State { State(id: id, notBefore: notBefore, createdAt: createdAt, messageID: messageID) }
}

extension GatewayDraft: ToldWithoutReading {
    /// A person may have changed its content since.
    struct State: Encodable, Sendable {
        let id: String
        let conversationID: String
        let insertedBy: String?
        let createdAt: String
        let updatedAt: String?
        let messageID: String?
    }

    var told: State {
        State(
            id: id, conversationID: conversationID, insertedBy: insertedBy, createdAt: createdAt,
            updatedAt: updatedAt, messageID: messageID)
    }
}

extension GatewayEvent: ToldWithoutReading {
    /// Of an event about a draft: what became of it, without the message, which a person may have changed.
    var told: GatewayEvent {
        var told = GatewayEvent(name: name)
        (told.id, told.first, told.draft, told.count) = (id, first, draft, count)
        return told
    }
}

// MARK: - Conversations and files

extension GatewayConversation: ToldWithoutReading {
    /// What the call has made of it.
    struct State: Encodable, Sendable {
        let id: String
        let status: String
    }

    var told: State { State(id: id, status: status) }
}

/// Whoever uploads a file has named it.
extension GatewayAttachment: ToldWithoutReading {
    var told: GatewayAttachment { self }
}

/// Whoever logs in is given a session.
extension GatewayPageSession: ToldWithoutReading {
    var told: GatewayPageSession { self }
}

/// A tab asks who answers before it proves its session.
extension GatewayGreeting: ToldWithoutReading {
    var told: GatewayGreeting { self }
}
