import EarshotModel
import EarshotProtocol
import EarshotStore

/// Who is there, who finds whom, and what is to happen.
extension Simulation {
    mutating func populate(_ fleet: Fleet) throws {
        precondition(fleet.members.count == configuration.nodes, "a fleet is for one number of nodes")
        // If there are enough nodes, two sometimes have the same name.
        let hasNamesake = configuration.nodes > 2 && configuration.devicesPerUser == 1 && seed % 8 == 3
        let namesake = hasNamesake ? fleet.members.count - 1 : nil
        for (index, member) in fleet.members.enumerated() {
            let name = fleet.members[index == namesake ? 0 : index].local.name
            var node = SimulatedNode(
                index: index, member: member, name: name, store: try makeStore(), seed: generator.next())
            node.clockOffset = generator.oneIn(6) ? clockJump() : Int64.random(in: -2000...2000, using: &generator)
            nodes.append(node)
            indices[node.local.userID] = indices[node.local.userID] ?? index
            network.moved(from: nil, to: node.address, index)
        }
        acquaint()
    }

    private func makeStore() throws -> SimulatedStore {
        let isReal =
            switch configuration.retractions > 0 ? .real : configuration.storage {
            case .real: true
            case .model: false
            case .mixed: seed % configuration.realStoreOdds == 0
            }
        return isReal ? .real(try Store.inMemory()) : .model(ModelStore())
    }

    /// Everybody finds everybody, or a ring and some more.
    private mutating func acquaint() {
        var pairs: Set<[Int]> = []
        let count = nodes.count
        for index in nodes.indices {
            guard let contacts = configuration.contacts, contacts < count - 1 else {
                for other in 0..<index { pairs.insert([other, index]) }
                continue
            }
            pairs.insert([index, (index + 1) % count].sorted())
            for _ in 1..<max(2, contacts / 2) {
                let other = Int.random(in: nodes.indices, using: &generator)
                if other != index { pairs.insert([index, other].sorted()) }
            }
        }
        for pair in pairs.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            nodes[pair[0]].contacts.append(pair[1])
            nodes[pair[1]].contacts.append(pair[0])
        }
    }

    mutating func plan() {
        for index in nodes.indices {
            for number in 0..<configuration.messagesPerNode {
                let at = Int64.random(in: 2_000_000..<configuration.trouble, using: &generator)
                queue.push(.send(node: index, errand(number, of: index)), at: at)
            }
        }
        planPrograms()
        planGroups()
        planPrivateGroup()
        planHostileAuthors()
        planMoves()
        planFiles()
        planRetractions()
        queue.push(.fault, at: configuration.faultInterval)
        queue.push(.heal, at: configuration.trouble)
    }

    private mutating func errand(_ number: Int, of index: Int) -> Errand {
        let contacts = nodes[index].contacts.filter { !isSameUser(index, $0) }
        // Half of the messages go to one of the others, so that there are long conversations, too.
        let peer = generator.oneIn(2) ? contacts[0] : contacts[Int.random(in: contacts.indices, using: &generator)]
        var errand = Errand(peer: peer, number: number)
        if generator.oneIn(20) { errand.timeToLive = 3_000 }
        if generator.oneIn(10) { errand.count = Int.random(in: 2...20, using: &generator) }
        if generator.oneIn(60) { errand.padding = Int.random(in: 1_000...60_000, using: &generator) }
        if configuration.hasGroups { errand.isToAll = generator.oneIn(2) }
        if errand.isToAll, configuration.hasPrivateGroup { errand.isPrivate = programChance.oneIn(2) }
        // Now and then more than a window holds.
        if generator.oneIn(2_000) { (errand.count, errand.padding) = (80, 60_000) }
        // Of strangers the others take a mebibyte at most.
        if errand.isToAll { errand.padding = min(errand.padding, 2_000) }
        return errand
    }

    // MARK: - Beginning and end of a node

    mutating func start(_ index: Int) throws {
        guard !nodes[index].isUp else { return }
        if nodes[index].generation > 0 { try checkStates(of: index) }
        let uptimeBase = Int64.random(in: 0...1_000_000_000, using: &generator)
        log("\(name(index)) starts")
        try checkJournal(of: index) { [isReplaced = nodes[index].isReplaced] in
            try $0.begin($1, isReplaced: isReplaced)
        }
        try nodes[index].start(run: generator.next(), uptimeBase: uptimeBase, linkLimit: configuration.links, at: time)
        try perform(index) { $0.dialRemembered(now: $1) }
        for peer in nodes[index].contacts where nodes[peer].isUp && isReachable(index, peer) { try meet(index, peer) }
    }

    /// Two nodes find each other, or one of them the other.
    mutating func meet(_ a: Int, _ b: Int) throws {
        guard nodes[a].isUp, nodes[b].isUp, isReachable(a, b) else { return }
        // Multicast reaches at least one of the two, and both once all is well.
        let missing = isHealed ? 2 : Int.random(in: 0..<10, using: &generator)
        if missing != 0 { try find(b, at: a) }
        if missing != 1 { try find(a, at: b) }
    }

    private mutating func find(_ peer: Int, at index: Int) throws {
        guard nodes[index].asleepUntil <= time else { return }
        nodes[index].found.insert(peer)
        let fingerprint = nodes[peer].local.userID.fingerprint.filter { $0 != " " }
        try perform(index) { [id = nodes[peer].local.deviceID, address = nodes[peer].address] in
            $0.found(id, fingerprint: fingerprint, addresses: [address], now: $1)
        }
    }

    /// - Parameter isHeard: whether the system closes the connections; otherwise the whole host is gone.
    mutating func end(_ index: Int, isHeard: Bool) throws {
        guard nodes[index].isUp else { return }
        // The disk may still write what it was given after the process is gone.
        if let commit = nodes[index].commit, nodes[index].diskFullUntil <= time, generator.oneIn(2) {
            try write(commit, of: index)
        }
        log("\(name(index)) ends")
        nodes[index].end()
        if isHeard {
            for socket in network.sockets(of: index) { close(socket) }
        } else {
            loseConnections(of: index, isKept: false)
        }
        queue.push(.restart(node: index), at: time + Int64.random(in: 1_000...5_000_000, using: &generator))
        // Some of those who found it are told that it is gone.
        for peer in nodes[index].contacts where isHeard && generator.oneIn(3) {
            nodes[peer].found.remove(index)
            try perform(peer) { [id = nodes[index].local.deviceID] in $0.lost(id, now: $1) }
        }
    }

    mutating func crash(_ index: Int, isHeard: Bool) throws {
        guard nodes[index].isUp else { return }
        faults += 1
        trace.host("crash", node: index, at: time)
        try end(index, isHeard: isHeard)
    }

    // MARK: - The end of all trouble

    /// Nothing goes wrong from now on. Clocks agree, though not to the second, and nobody is blocked.
    mutating func heal() throws {
        log("all is well from now on")
        isHealed = true
        try endVisits()
        for index in nodes.indices {
            nodes[index].group = 0
            nodes[index].asleepUntil = min(nodes[index].asleepUntil, time)
            nodes[index].tricklesUntil = 0
            nodes[index].diskFullUntil = 0
            nodes[index].diskSlowUntil = 0
            nodes[index].diskUnreadableUntil = 0
            nodes[index].actionsLeft = nil
            try setClock(of: index, to: Int64.random(in: -5000...5000, using: &generator))
            let clock = nodes[index].now(at: time).wallClock
            if !nodes[index].local.link.credential.isValid(at: clock + 20_000)
                || !nodes[index].local.link.credential.isValid(at: clock - 20_000)
            {
                try renew(index)
            }
            // What a hostile carrier kept back on a link is not asked for there again.
            if nodes[index].isHostile { try breakConnections(of: index, halfOpen: false) }
            if !nodes[index].isUp { queue.push(.restart(node: index), at: time + 1) }
        }
        let now = time
        for index in nodes.indices {
            for peer in nodes[index].contacts {
                queue.push(.decide(node: index, .unblock, about: peer), at: now + 1_000_000)
                // The others find each other again by their own redials.
                let isKnown = nodes[index].found.contains(peer) || nodes[peer].found.contains(index)
                let hasMoved = nodes[index].addressNumber + nodes[peer].addressNumber > 0
                if index < peer, !isKnown || hasMoved || generator.oneIn(2) {
                    queue.push(.meet(index, peer), at: now + 6_000_000)
                }
            }
        }
        for index in configuration.hasGroups ? Array(nodes.indices) : [] {
            queue.push(.join(node: index), at: now + 2_000_000)
        }
        queue.push(.lookAround, at: now + 8_000_000)
    }

    /// Ends the run when nothing is left to do, and was not a moment ago, for the second time.
    mutating func lookAround() throws {
        for index in nodes.indices {
            checkLoad(of: index)
            if configuration.hasPrograms { try runProgram(on: index) }
        }
        let wasQuiet = isQuietSoFar
        isQuietSoFar = try isQuiet()
        let isResting = wasQuiet && isQuietSoFar
        if let calm { isAtRest = isResting && time > calm.end } else if isResting { beginCalm() }
        queue.push(.lookAround, at: time + 500_000)
    }
}
