import EarshotDiscovery

extension NetworkFacts {
    /// Looks at this machine's network.
    ///
    /// - Parameter testsMulticast: whether to send one question on each used interface, and listen for it.
    static func gathered(
        _ configuration: DiscoveryConfiguration, testsMulticast: Bool
    ) async throws(CancellationError) -> NetworkFacts {
        var facts = NetworkFacts()
        do {
            let all = try HostInterface.all()
            facts.interfaces = all.map { InterfaceFacts($0, configuration) }
            let names = Set(facts.used.map(\.name))
            let used = all.filter { names.contains($0.name) }
            facts.captured = try RouteProbe.capturedSubnets(of: used).map(CapturedRoute.init)
            guard testsMulticast else { return facts }
            facts.multicast = try await MulticastSelfTest(interfaces: used).run().map(MulticastOutcome.init)
        } catch let error as DiscoveryError {
            facts.failures.append("\(error)")
        } catch {
            throw CancellationError()
        }
        return facts
    }
}

extension InterfaceFacts {
    init(_ interface: HostInterface, _ configuration: DiscoveryConfiguration) {
        name = interface.name
        isLoopback = interface.kind == .loopback
        isRunning = interface.isRunning
        supportsMulticast = interface.supportsMulticast
        addresses = interface.addresses.map(\.text)
        families = Set(interface.addresses.map(\.family))
        skipReason = configuration.reasonToSkip(interface: interface.name)
    }
}

extension CapturedRoute {
    init(_ captured: CapturedSubnet) {
        subnet = captured.subnet.description
        expectedInterface = captured.expectedInterface
        actualInterface = captured.actualInterface
    }
}

extension MulticastOutcome {
    init(_ result: MulticastSelfTest.Result) {
        interface = result.interface
        family = result.family
        outcome = result.outcome
    }
}
