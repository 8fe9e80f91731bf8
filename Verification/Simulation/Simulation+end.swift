import EarshotCrypto
import EarshotModel
import EarshotProtocol

/// What must hold when everything has healed.
extension Simulation {
    mutating func checkEnd() throws {
        if !isAtRest { try reportUnrest() }
        try checkGroup()
        try checkRetractions()
        try checkPrivateGroup()
        try checkHostileAuthors()
        try checkSession()
        try checkFiles()
        for index in nodes.indices {
            try checkStates(of: index)
            try checkIntegrity(of: index)
            try checkJournal(of: index) { try $0.checkEnd($1) }
            try checkProgram(on: index)
            for peer in nodes[index].contacts where index < peer && !isSameUser(index, peer) {
                if configuration.devicesPerUser == 1 { try checkPair(index, peer) }
            }
        }
        try checkUsers()
    }

    private mutating func reportUnrest() throws {
        let sinceWhen = calm == nil ? "without trouble" : "after everybody spoke once more"
        violated("there is no rest \((endTime - (calm?.end ?? configuration.trouble)) / 1_000_000) s \(sinceWhen)")
        violations += try disagreements()
        try reportGroupUnrest()
        try reportPrivateUnrest()
        try reportFileUnrest()
        let disks = try nodes.map { try $0.store.snapshot() }
        for index in nodes.indices {
            for peer in nodes[index].contacts.sorted() where index < peer && isOpen(index, peer) {
                guard !haveSameLogs(index, peer, on: disks) else { continue }
                let isLinked = nodes[index].isLinked(to: nodes[peer].local.deviceID)
                violated(
                    "\(name(index)) and \(name(peer)) hold different logs: \(ends(index, peer, on: disks)), "
                        + (isLinked ? "linked" : "not linked"))
            }
        }
        for index in nodes.indices {
            if try !isProgramDone(on: index) { violated("the program of \(name(index)) is not done") }
            if !nodes[index].requests.isEmpty {
                violated("\(name(index)) has not answered \(nodes[index].requests.count) requests")
            }
            for (userID, count) in nodes[index].undelivered.sorted(by: { $0.key < $1.key }) {
                guard let peer = indices[userID], isExpected(index, peer) else { continue }
                let isLinked = nodes[index].isLinked(to: userID)
                violated(
                    "\(name(index)) waits for \(count) receipts of \(name(peer)), \(isLinked ? "linked" : "not linked")"
                )
            }
        }
    }

    // MARK: - One store

    /// Every log passes an audit, and progress makes sense.
    private mutating func checkIntegrity(of index: Int) throws {
        for finding in try nodes[index].store.integrityFindings() {
            violated("the database of \(name(index)): \(finding)")
        }
        let snapshot = try nodes[index].store.snapshot()
        for log in snapshot.logs {
            let entries = try nodes[index].store.entries(
                of: log.logID, from: 1, countLimit: .max / 2, byteLimit: .max / 2)
            let recipientID = log.recipientID
            let receipt = snapshot.deliveries.first { $0.logID == log.logID && $0.recipientID == recipientID }?
                .progress.receipt
            var audit = LogAudit(
                log: log, recipientID: recipientID, lastSequence: entries.last?.sequence ?? 0, isWrittenHere: false,
                credential: nil,
                receipt: receipt.map { ($0, nil) })
            for entry in entries { audit.check(entry) }
            for mismatch in audit.finished().mismatches {
                let place = mismatch.sequence.map { "entry \($0) of " } ?? ""
                violated("\(place)\(log.logID), at \(name(index)): \(mismatch)")
            }
        }
        for delivery in snapshot.deliveries {
            let progress = delivery.progress
            let head = snapshot.logs.first { $0.logID == delivery.logID }?.head.sequence ?? 0
            if max(progress.read, progress.handled) > progress.delivered || progress.delivered > progress.sent
                || progress.sent > progress.offered
                || progress.offered > head
            {
                violated(
                    "the progress of \(delivery.logID) makes no sense, at \(name(index)): \(progress), and it ends at \(head)"
                )
            }
        }
    }

    // MARK: - One pair

    private mutating func checkPair(_ a: Int, _ b: Int) throws {
        let conversationID = ConversationID.direct(nodes[a].local.userID, nodes[b].local.userID)
        let histories = [
            a: try nodes[a].store.history(of: conversationID), b: try nodes[b].store.history(of: conversationID),
        ]
        guard !isRestored(a, b) else {
            try checkRestored(a, b, histories)
            return
        }
        for (author, reader) in [(a, b), (b, a)] {
            let authorID = nodes[author].local.userID
            let own = histories[author, default: []].filter { $0.log.authorID == authorID }
            let other = histories[reader, default: []].filter { $0.log.authorID == authorID }
            checkCopies(own, other, author: author, reader: reader)
            checkAccepted(own, of: author, by: reader)
        }
        guard isOpen(a, b), isAtRest else { return }
        let mine = histories[a, default: []].filter { !$0.isWithheld }.map(\.entry.chain)
        let theirs = histories[b, default: []].filter { !$0.isWithheld }.map(\.entry.chain)
        if mine != theirs {
            violated("\(name(a)) and \(name(b)) have different histories: \(mine.count) and \(theirs.count) messages")
        }
    }

    private mutating func checkCopies(_ own: [HeldMessage], _ other: [HeldMessage], author: Int, reader: Int) {
        let copies = Dictionary(other.map { ($0.messageID, $0) }) { first, _ in first }
        if copies.count != other.count { violated("\(name(reader)) holds a message of \(name(author)) twice") }
        let isOpen = isOpen(author, reader)
        var found = 0
        for message in own {
            let copy = copies[message.messageID]
            if copy != nil { found += 1 }
            if let copy, copy.entry.content != message.entry.content {
                violated("\(message.messageID) differs between \(name(author)) and \(name(reader))")
            }
            if message.isWithheld, copy != nil {
                violated("\(message.messageID) was kept back, and \(name(reader)) has it")
            }
            if message.state.isDelivered, copy == nil {
                violated("\(message.messageID) is \(message.state), and \(name(reader)) lacks it")
            }
            if copy != nil, !message.state.isDelivered, isOpen, isAtRest {
                violated("\(message.messageID) is \(message.state), and \(name(reader)) has it")
            }
        }
        if found != other.count { violated("\(name(reader)) holds what \(name(author)) has not written") }
    }

    /// Accepted messages are there, in the order in which they were accepted; refused ones are not.
    private mutating func checkAccepted(_ own: [HeldMessage], of author: Int, by reader: Int) {
        let places = Dictionary(own.enumerated().map { ($1.messageID, $0) }) { first, _ in first }
        let texts = own.map(\.text)
        for text in texts where nodes[author].refused.contains(text) {
            violated("\"\(text.prefix(40))\" of \(name(author)) was refused and is in the log")
        }
        let logs = Set(own.map(\.log.logID))
        var last = -1
        for (text, messageID, _) in nodes[author].accepted where logs.contains(messageID.log) {
            guard let place = places[messageID], texts[place] == text else {
                violated("\"\(text.prefix(40))\" of \(name(author)) was accepted and is lost")
                continue
            }
            if place < last { violated("\"\(text.prefix(40))\" of \(name(author)) is out of order") }
            last = place
        }
    }
}
