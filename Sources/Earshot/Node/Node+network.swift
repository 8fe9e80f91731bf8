import EarshotDiscovery
import EarshotProtocol
import Logging
import NIOCore

extension Node {
    /// Tells the node's machine when the network or the clocks of this host change, until the task is cancelled.
    func watchHost() async {
        let (shell, logger) = (shell, configuration.logger)
        await environment.watchHost(configuration.interfaces) { error in
            // Until the monitor works again, links and dials notice changes by themselves, only later.
            logger.warning("changes of the network are not seen", metadata: ["error": "\(error)"])
        } _: { change in
            logger.info("the network or a clock changed", metadata: ["change": "\(change)"])
            shell.loop.execute { shell.assumeIsolated { $0.noticed(change) } }
        }
    }

    /// Listens on the configured port. Without one it takes the home's last port, so that peers which remember its
    /// address find it without discovery, or the preferred one, and otherwise a port that the system chooses.
    func listen() async throws(EarshotError) -> UInt16 {
        let peers = configuration.staticPeers
        guard configuration.port == 0, let port = home.lastPort ?? configuration.preferredPort else {
            return try await shell.listen(port: configuration.port, staticPeers: peers)
        }
        do { return try await shell.listen(port: port, staticPeers: peers) } catch {
            // It is taken or not allowed. Nobody asked for it.
            configuration.logger.info(
                "a port is not to be had", metadata: ["port": "\(port)", "error": "\(error)"])
            return try await shell.listen(port: 0, staticPeers: peers)
        }
    }

    /// Keeps the port for the next run. If that fails, only remembered addresses are lost.
    func remember(port: UInt16) {
        do { try home.setLastPort(port) } catch {
            configuration.logger.warning("the port is not remembered", metadata: ["error": "\(error)"])
        }
    }
}

extension NodeConfiguration {
    /// - Throws: `EarshotError` `invalidAddress`, `invalidLimit`.
    func check() throws(EarshotError) {
        guard subscribedUsers > 0 else {
            throw EarshotError(
                .invalidLimit, "a node has room for one subscribed user or more, and not for \(subscribedUsers)",
                .init(limit: 1))
        }
        do { _ = try StaticPeers(staticPeers) } catch {
            throw EarshotError(.invalidAddress, error.message, .init(limit: StaticPeers.maximumCount), cause: error)
        }
    }
}

extension NodeShell {
    func noticed(_ change: NetworkChange) {
        switch change {
        case .networkChanged: networkChanged()
        case .clockChanged: clockChanged()
        case .resumed: woke()
        }
    }
}
