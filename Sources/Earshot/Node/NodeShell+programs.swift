import EarshotProtocol
import NIOCore
import Synchronization

/// What programs ask beside plain sends.
extension NodeShell {
    var consumers: [ConsumerRecord] { machine.consumers }

    var scheduled: [ScheduledMessage] { machine.scheduled }

    func entryKey(_ idempotencyKey: IdempotencyKey, at place: Int? = nil) -> EntryKey {
        machine.entryKey(idempotencyKey, at: place)
    }

    func entryKeys(_ keys: [ProgramReply.Key], of consumer: String) -> [EntryKey] {
        keys.map { machine.entryKey($0, of: consumer) }
    }

    /// - Throws: the error with which messages to a destination are refused now.
    func check(_ destination: Destination) throws(EarshotError) {
        do { try machine.checkDestination(destination) } catch { throw EarshotError(error).about(destination) }
    }

    nonisolated func send(
        _ drafts: [MessageDraft], to destination: Destination, at place: Int? = nil, key: IdempotencyKey
    ) async throws(EarshotError) -> [Message] {
        try await request { machine, requestID, now in
            machine.send(drafts, to: destination, at: place, key: key, requestID: requestID, now: now)
        }.messages
    }

    /// Says something to a user once, however often this is called with one key.
    nonisolated func send(
        _ drafts: [EntryDraft], to recipientID: UserID, key: IdempotencyKey
    ) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.send(drafts, to: .user(recipientID), key: key, requestID: requestID, now: now)
        }
    }

    nonisolated func schedule(
        _ draft: MessageDraft, to destination: Destination, notBefore: Int64, key: IdempotencyKey?
    ) async throws(EarshotError) -> ScheduledMessage {
        let answer = try await request { machine, requestID, now in
            machine.schedule(
                draft, to: destination, notBefore: notBefore, key: key, scheduledID: .random(), requestID: requestID,
                now: now)
        }
        guard case .scheduled(let message) = answer else {
            throw EarshotError(.internalError, "a message that was scheduled is not known")
        }
        return message
    }

    nonisolated func cancelScheduled(_ id: ScheduledMessageID) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.cancelScheduled(id, requestID: requestID, now: now)
        }
    }

    nonisolated func change(_ consumer: String, _ change: ConsumerChange) async throws(EarshotError) {
        _ = try await request { machine, requestID, now in
            machine.change(consumer, change, requestID: requestID, now: now)
        }
    }

    /// If the task is cancelled before the consumer's turn has come, the plan has no messages.
    nonisolated func receive(
        _ consumer: String, limit: Int, attempts: Int
    ) async throws(EarshotError) -> HandOutPlan {
        let question = Question()
        let answer = try await withTaskCancellationHandler { () -> Result<RequestAnswer, EarshotError> in
            do throws(EarshotError) {
                return .success(
                    try await request { machine, requestID, now in
                        let actions = machine.receive(
                            consumer, limit: limit, attempts: attempts, requestID: requestID, now: now)
                        return actions + (question.asked(requestID) ? [] : machine.withdraw(requestID, now: now))
                    })
            } catch { return .failure(error) }
        } onCancel: {
            guard let requestID = question.withdraw() else { return }
            loop.execute { self.assumeIsolated { $0.perform { $0.withdraw(requestID, now: $1) } } }
        }.get()
        guard case .planned(let plan) = answer else {
            throw EarshotError(.internalError, "a consumer has no plan")
        }
        return plan
    }

    nonisolated func acknowledge(
        _ consumer: String, through cursor: Int64, handled: [MessageID], sending replies: [ProgramReply]
    ) async throws(EarshotError) -> [Message] {
        try await request { machine, requestID, now in
            machine.acknowledge(
                consumer, through: cursor, handled: handled, sending: replies, requestID: requestID, now: now)
        }.messages
    }

    /// A consumer was given messages.
    func handedOut(_ places: [Int64], attempts: Int, to consumer: String) {
        perform { $0.handedOut(places, attempts: attempts, to: consumer, now: $1) }
    }

    /// A consumer ends, and gives back what it has not dealt with.
    func handBack(_ consumer: String) { perform { $0.handBack(consumer, now: $1) } }

    /// - Returns: whether the message is set aside now.
    nonisolated func fail(_ consumer: String, _ place: Int64, reason: String) async throws(EarshotError) -> Bool {
        let answer = try await request { machine, requestID, now in
            machine.fail(consumer, place, reason: reason, requestID: requestID, now: now)
        }
        guard case .failureNoted(let isSetAside) = answer else {
            throw EarshotError(.internalError, "a consumer's failure is not noted")
        }
        return isSetAside
    }
}

/// A question of a program that may be cancelled before or after the machine has it.
private final class Question: Sendable {
    private enum State {
        case new
        case asked(RequestID)
        case withdrawn
    }

    private let state = Mutex(State.new)

    /// The machine has it.
    /// - Returns: whether somebody still wants the answer.
    func asked(_ requestID: RequestID) -> Bool {
        state.withLock { state in
            guard case .new = state else { return false }
            state = .asked(requestID)
            return true
        }
    }

    /// Nobody wants the answer any more.
    /// - Returns: `nil` if the machine does not have it yet.
    func withdraw() -> RequestID? {
        state.withLock { state in
            defer { state = .withdrawn }
            if case .asked(let requestID) = state { return requestID }
            return nil
        }
    }
}

extension EntryKey {
    /// Drawn by the system.
    static func random() -> EntryKey {
        guard let key = EntryKey((0..<EntryKey.count).map { _ in UInt8.random(in: 0...255) }) else {
            preconditionFailure("it has as many bytes as a key")
        }
        return key
    }
}
