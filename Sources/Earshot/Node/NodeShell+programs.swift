import EarshotProtocol

/// What programs ask beside plain sends.
extension NodeShell {
    var consumers: [ConsumerRecord] { machine.consumers }

    var scheduled: [ScheduledMessage] { machine.scheduled }

    func entryKey(_ idempotencyKey: String) -> EntryKey { machine.entryKey(idempotencyKey) }

    nonisolated func send(
        _ drafts: [MessageDraft], to recipientID: UserID, key: String
    ) async throws(EarshotError) -> [Message] {
        try await request { machine, requestID, now in
            machine.send(drafts, to: recipientID, key: key, requestID: requestID, now: now)
        }.messages
    }

    nonisolated func schedule(
        _ draft: MessageDraft, to recipientID: UserID, notBefore: Int64, key: String?
    ) async throws(EarshotError) -> ScheduledMessage {
        let answer = try await request { machine, requestID, now in
            machine.schedule(
                draft, to: recipientID, notBefore: notBefore, key: key, scheduledID: .random(), requestID: requestID,
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

    nonisolated func receive(
        _ consumer: String, limit: Int, attempts: Int
    ) async throws(EarshotError) -> HandOutPlan {
        let answer = try await request { machine, requestID, now in
            machine.receive(consumer, limit: limit, attempts: attempts, requestID: requestID, now: now)
        }
        guard case .planned(let plan) = answer else {
            throw EarshotError(.internalError, "a consumer has no plan")
        }
        return plan
    }

    nonisolated func acknowledge(
        _ consumer: String, through cursor: Int64, sending replies: [ProgramReply]
    ) async throws(EarshotError) -> [Message] {
        try await request { machine, requestID, now in
            machine.acknowledge(consumer, through: cursor, sending: replies, requestID: requestID, now: now)
        }.messages
    }

    /// A consumer was given messages.
    func handedOut(_ first: Int64, through last: Int64, to consumer: String) {
        perform { $0.handedOut(first, through: last, to: consumer, now: $1) }
    }
}

extension EntryKey {
    /// Drawn by the system.
    fileprivate static func random() -> EntryKey {
        guard let key = EntryKey((0..<EntryKey.count).map { _ in UInt8.random(in: 0...255) }) else {
            preconditionFailure("it has as many bytes as a key")
        }
        return key
    }
}
