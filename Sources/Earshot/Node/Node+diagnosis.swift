import EarshotDiscovery
import EarshotProtocol
import EarshotStore
import Logging

extension Node {
    /// What the node knows about why messages flow or not. `Diagnosis.of` reports what can be seen without a node.
    ///
    /// This may take a few seconds, because the node asks peers whether they can connect to it.
    public func findings() async -> [Finding] {
        let dialBacks = await dialBacks()
        var facts = await shell.facts(of: self)
        facts.dialBacks = dialBacks
        facts.owedCopies = await copiesThatAreOwed()
        return facts.findings(now: shell.clock.now.wallClock)
    }

    /// Peers that gave no answer say nothing about the port.
    private func dialBacks() async -> [NodeFacts.DialBack] {
        var answers: [Reachability]
        do {
            answers = try await shell.reachability()
            // A peer that was asked a moment ago does not answer. By the end of that wait it can be asked again.
            if answers.allSatisfy({ $0.isReachable == nil }) { answers = try await shell.reachability() }
        } catch {
            configuration.logger.info("nobody was asked to dial back", metadata: ["reason": "\(error)"])
            return []
        }
        var dialBacks: [NodeFacts.DialBack] = []
        for answer in answers {
            guard let isReached = answer.isReachable else { continue }
            let name = await shell.user(answer.userID)?.name.text
            dialBacks.append(NodeFacts.DialBack(name: name ?? answer.userID.fingerprint, isReached: isReached))
        }
        return dialBacks
    }

    /// None if the disk cannot be read, which is told elsewhere.
    private func copiesThatAreOwed() async -> [OwedCopy] {
        do throws(EarshotError) { return try await files.owedCopies() } catch {
            configuration.logger.debug("the copies that are owed cannot be listed", metadata: ["error": "\(error)"])
            return []
        }
    }

    /// What the node is doing now.
    public func status() async -> NodeStatus {
        let status = await shell.status()
        let users = await shell.users
        let names = Dictionary(uniqueKeysWithValues: users.map { ($0.userID, $0.name) })
        let found = discoveryStatus
        let counts = status.undelivered.merging(await waitingInGroups()) { $0 + $1 }
        let undelivered = counts.map { UndeliveredCount(userID: $0, name: names[$0], count: $1) }
        return NodeStatus(
            name: name, userID: userID, deviceID: deviceID, port: status.port,
            addresses: status.port.map(listeningAddresses) ?? [], discovery: status.discovery, links: status.links,
            knownUsers: users.count, undeliveredMessages: undelivered.reduce(0) { $0 + $1.count },
            undelivered: undelivered.sorted { ($0.name?.text ?? "", $0.userID) < ($1.name?.text ?? "", $1.userID) },
            credentialExpiry: credentialExpiry, networkTag: networkTag, otherNetworks: otherNetworkCount,
            devices: found?.deviceCount ?? 0, discoveryOperations: found?.operationCount ?? 0,
            copies: await shell.copies, isRevoked: await shell.isRevoked,
            dialTargets: status.dialTargets)
    }

    /// How many messages in groups wait for each participant; none if the disk cannot be read, which is told elsewhere.
    func waitingInGroups() async -> [UserID: UInt64] {
        do throws(EarshotError) {
            return try await readStore { [store, deviceID] () throws(StoreError) in
                try store.waiting(of: deviceID, inGroupsOnly: true)
            }
        } catch {
            configuration.logger.debug("what waits in groups cannot be counted", metadata: ["error": "\(error)"])
            return [:]
        }
    }

    private func listeningAddresses(port: UInt16) -> [PeerAddress] {
        do {
            return try HostInterface.all().map { InterfaceFacts($0, configuration.interfaces) }.filter(\.isUsed)
                .flatMap(\.addresses).map { PeerAddress(host: $0, port: port) }
        } catch {
            configuration.logger.warning("the network interfaces cannot be listed", metadata: ["error": "\(error)"])
            return []
        }
    }
}

extension NodeShell {
    /// Gathers the facts for the node's diagnosis.
    func facts(of node: Node) -> NodeFacts {
        let (status, now) = (status(), clock.now.uptime)
        var facts = NodeFacts(name: node.name.text, userID: node.userID)
        facts.port = status.port
        facts.discovery = observations.discovery
        facts.deviceCount = observations.deviceCount
        // Advertised devices, or hosts that were only dialled: the same node may be both.
        facts.otherNetworkCount = max(node.otherNetworkCount, observations.otherNetworkHosts(now: now).count)
        facts.hasNetworkKey = node.networkTag != nil
        facts.ownDeviceElsewhere = observations.ownDeviceElsewhere
        facts.givenPeerCount = node.configuration.staticPeers.count
        facts.users = users
        facts.links = status.links.map(NodeFacts.PeerLink.init)
        facts.clocks = peerClocks
        facts.ownClock = ownClock
        facts.storageFailure = observations.storageFailure
        facts.credential = node.credentialFacts
        facts.devices = devices
        facts.failures = observations.failures(now: now)
        facts.trouble = recentTrouble
        return facts
    }
}

extension NodeFacts.PeerLink {
    init(_ link: LinkStatus) {
        userID = link.userID
        name = link.name.text
        address = link.address.flatMap { PeerAddress($0) }
        isOutbound = link.isOutbound
    }
}
