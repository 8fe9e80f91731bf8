import Earshot
import EarshotModel

/// Connects one process to the others on a simulated network.
struct SimulatedTransport: Transport {
    /// The port of nodes that name none. Each has a host of its own.
    private static let port: UInt16 = 7_000

    let host: String
    let wiring: Wiring
    let process: SimulatedProcess

    func listen(
        port: UInt16, accept: @escaping @Sendable (any TransportConnection) -> Void
    ) async throws(EarshotError) -> any TransportListener {
        let address = PeerAddress(host: host, port: port == 0 ? Self.port : port)
        try wiring.listen(at: address, accept: accept)
        return SimulatedListener(wiring: wiring, address: address)
    }

    func connect(
        to addresses: [PeerAddress], handler: ConnectionHandler,
        completion: @escaping @Sendable (Result<any TransportConnection, any Error>) -> Void
    ) {
        dial(addresses) { result in
            completion(result.map { wiring.connect(host, to: $0.address, handler, $0.accept) })
        }
    }

    func probe(_ address: PeerAddress, completion: @escaping @Sendable (Result<Void, any Error>) -> Void) {
        dial([address]) { result in completion(result.map { _ in () }) }
    }

    /// A dial takes as long as a message there and one back.
    private func dial(
        _ addresses: [PeerAddress],
        completion: @escaping @Sendable (Result<(address: PeerAddress, accept: Wiring.Accept), any Error>) -> Void
    ) {
        guard !process.isDead else { return }
        let delay = addresses.map { wiring.delay(between: host, and: $0.host) }.min() ?? 0
        wiring.timeline.schedule(after: 2 * delay) {
            guard !process.isDead else { return }
            switch wiring.answer(to: host, at: addresses) {
            case .accepts(let address, let accept): completion(.success((address, accept)))
            case .refuses: completion(.failure(DialFailure(description: "connection refused")))
            case .silence:
                wiring.timeline.schedule(after: Wiring.patience) {
                    completion(.failure(DialFailure(description: "nobody answers")))
                }
            }
        }
    }
}

private struct SimulatedListener: TransportListener {
    let wiring: Wiring
    let address: PeerAddress

    var port: UInt16 { address.port }
    func close() { wiring.stopListening(at: address) }
}

/// Why a dial failed.
private struct DialFailure: Error, CustomStringConvertible {
    let description: String
}
