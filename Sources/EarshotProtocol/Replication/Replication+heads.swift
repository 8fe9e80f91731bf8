import EarshotCrypto
import EarshotModel

extension Replication {
    /// A peer says what it holds of a conversation.
    mutating func receivedHeads(
        _ frame: HeadsFrame, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) {
        guard let session = sessions[connectionID] else { return }
        // Any other frame names single ends, and is not part of a complete series.
        let isInSeries = session.hasHeads && (frame.isComplete || frame.heads.count == Limits.logsPerHeads)
        // What the two have not in common is skipped.
        if let conversationID = frame.conversationID, common(conversationID, with: session) != nil {
            for head in frame.heads where mayTake(head.log, from: session.userID) {
                if head.log.deviceID == author.deviceID {
                    // A claim holds messages back: whoever does not belong to it has none.
                    guard isOwn(session) || conversations.isIn(session.userID, open: conversationID) else { continue }
                    receivedOwnHead(head, on: connectionID, trust: trust, now: now)
                } else if head.log.deviceID != session.deviceID {
                    if isInSeries { fetching.names(head, on: connectionID) }
                    if let userID = logs.author(of: head.log.deviceID),
                        !hasRoom(for: 1, of: userID, in: head.log, on: session, trust: trust)
                    {
                        continue
                    }
                    if !isInSeries { fetching.bodies.renew(head.log, on: connectionID) }
                    receivedHead(head, on: connectionID)
                }
            }
        }
        guard frame.isComplete else { return }
        guard session.hasHeads else {
            receivedAllHeads(on: connectionID)
            return
        }
        guard let conversationID = frame.conversationID, common(conversationID, with: session) != nil,
            isOfMany(conversationID) || session.sharing.contains(conversationID)
        else { return }
        perform(fetching.namedAll(of: conversationID, on: connectionID))
        if sessions[connectionID]?.heardHeads(of: conversationID, asks: frame.asks) == true {
            sendHeads(of: conversationID, asks: false, on: connectionID)
        }
        fetching.bodies.renew(conversationID, on: connectionID)
        carry(conversationID, on: connectionID)
    }

    /// What a peer holds of a log that neither of the two has written.
    private mutating func receivedHead(_ head: BranchHead, on connectionID: ConnectionID) {
        let branches = logs.branches(of: head.log).compactMap { logs.proved($0) }
        let longer = branches.filter { head.place.sequence <= $0.proved.sequence }
        guard !longer.contains(where: { $0.proved.place == head.place || $0.committed.place == head.place }) else {
            return
        }
        guard longer.isEmpty else {
            actions.append(.credit(-1, connectionID))
            readChains(.comparing(head), of: branches.map(\.logID), at: [head.place.sequence], on: connectionID)
            return
        }
        _ = fetching.want(head, from: connectionID)
    }

    /// What a peer holds of one of this node's own logs. It is more than this node has if the database here was restored
    /// from an older copy.
    private mutating func receivedOwnHead(
        _ head: BranchHead, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) {
        let branches = logs.branches(of: head.log)
        // Beyond what was offered the two may agree by name only: one may hold as withheld what the other has.
        let own = branches.compactMap { logs.own($0) }.filter { head.place.sequence <= offered($0) }
        if let branch = own.first(where: { $0.head.place == head.place }) {
            decide(head, in: branch, on: connectionID, trust: trust, now: now)
        } else if !own.isEmpty {
            actions.append(.credit(-1, connectionID))
            sessions[connectionID]?.shut(head.log, branches: branches)
            readChains(.comparing(head), of: branches, at: [head.place.sequence], on: connectionID)
        } else {
            claim(head, on: connectionID, now: now)
        }
    }

    /// Up to here entries of a log may have left this node, as the disk has it.
    func offered(_ log: OwnLog) -> UInt64 { deliveries.committed(log.deliveryKey)?.offered ?? 0 }

    /// The peer's end of a log is in a branch that this node has: the rest of that branch goes to it, and the others.
    mutating func decide(
        _ head: BranchHead, in branch: OwnLog, on connectionID: ConnectionID, trust: TrustMachine, now: Moment
    ) {
        // What goes out on the link already goes on. While the disk was asked, the peer may have said that it has all.
        let goesOut = sessions[connectionID]?.log(branch.record.logID) != nil
        guard !goesOut || sessions[connectionID]?.isUndecided(head.log) == true else { return }
        sessions[connectionID]?.decide(head.log)
        if !goesOut {
            sessions[connectionID]?.open(branch, after: head.place)
            for other in logs.branches(of: head.log) where other != branch.record.logID {
                if let log = logs.own(other) { sessions[connectionID]?.openIfNew(log) }
            }
            sessions.pump(connectionID)
        }
        for receipt in sessions[connectionID]?.takeEarlyReceipts(for: head.log) ?? [] {
            do { try receivedReceipt(receipt, on: connectionID, trust: trust, now: now) } catch {
                close(connectionID, .violation, error)
            }
        }
    }

    /// The peer has said all that it holds.
    private mutating func receivedAllHeads(on connectionID: ConnectionID) {
        guard let session = sessions[connectionID] else { return }
        sessions[connectionID]?.receivedAllHeads()
        // What devices of one user hold is compared conversation by conversation.
        for log in isOwn(session) ? [] : logs.own(to: session.userID) { sessions[connectionID]?.openIfNew(log) }
        sessions.pump(connectionID)
    }

    mutating func readChains(
        _ purpose: ChainsRead.Purpose, of branches: [LogID], at sequences: [UInt64],
        on connectionID: ConnectionID? = nil
    ) {
        actions.append(
            .readChains(
                ChainsRead(connectionID: connectionID, purpose: purpose, logIDs: branches, sequences: sequences)))
    }

    /// The store's answer.
    mutating func chainsRead(
        _ read: ChainsRead, _ chains: [LogID: [UInt64: ChainHash]], trust: TrustMachine, now: Moment
    ) {
        guard let connectionID = read.connectionID else { return share(shown: chains) }
        guard sessions[connectionID] != nil else { return }
        switch read.purpose {
        case .sharing: break
        case .comparing(let head): compared(head, chains, on: connectionID, trust: trust, now: now)
        case .checking(let receipt, let ends):
            let branch = chains.keys.sorted().first { chains[$0]?[receipt.sequence] == receipt.chain }
            if let branch, logs.own(branch) == nil {
                guard let userID = trust.owner(of: receipt.deviceID) else { break }
                acknowledgedElsewhere(receipt, by: userID, of: branch, now: now)
            } else if let branch {
                acknowledged(receipt, of: branch, on: connectionID, trust: trust)
            } else {
                notFound(receipt, in: chains, whenEndsWere: ends, on: connectionID)
            }
        case .asking(let head):
            let origin = read.sequences.contains(0) ? [LogHead.origin(of: head.log.logID).place] : []
            ask(for: head, knowing: chains, origin: origin, on: connectionID)
        case .givingBodies(let wanted): readBodies(wanted, chains, on: connectionID)
        case .giving(let wanted):
            do throws(ProtocolError) {
                if try giving.begin(wanted, on: connectionID, branches: chains, now: now) == nil {
                    actions.append(.send(.unplaced(wanted.log), connectionID))
                }
            } catch { close(connectionID, .violation, error) }
        }
    }

    mutating func chainsReadFailed(_ read: ChainsRead, _ error: String) {
        guard let connectionID = read.connectionID else {
            return conversations.silent.noteDue(again: read.logIDs, logs)
        }
        close(connectionID, .storageFailure, ProtocolError(.storage, error))
    }

    mutating func compared(
        _ head: BranchHead, _ chains: [LogID: [UInt64: ChainHash]], on connectionID: ConnectionID,
        trust: TrustMachine, now: Moment
    ) {
        let branch = chains.keys.sorted().first { chains[$0]?[head.place.sequence] == head.place.chain }
        if let own = branch.flatMap({ logs.own($0) }) {
            decide(head, in: own, on: connectionID, trust: trust, now: now)
        } else if head.log.deviceID != author.deviceID {
            if branch == nil { _ = fetching.want(head, from: connectionID) }
        } else {
            claim(head, on: connectionID, now: now)
        }
    }
}
