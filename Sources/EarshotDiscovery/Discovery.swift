package import EarshotModel
import Synchronization

/// Finds devices: merges all sources into one sequence of found, updated and lost devices.
///
/// Nothing happens until `run()` is called, and everything that it starts ends with it.
package final class Discovery: Sendable {
    private struct State {
        var table: DeviceTable
        var hasRun = false
    }

    private let sources: [any DiscoverySource]
    private let advertising: Advertisement
    private let state: Mutex<State>
    private let queue = DiscoveryEventQueue()

    /// - Parameters:
    ///   - sources: each with a name of its own.
    ///   - advertising: what this node advertises to others. Its own device is left out of the events.
    package init(sources: [any DiscoverySource], advertising: Advertisement) {
        precondition(Set(sources.map(\.name)).count == sources.count, "every source has a name of its own")
        self.sources = sources
        self.advertising = advertising
        state = Mutex(State(table: DeviceTable(own: advertising, ownAddresses: HostAddresses.current)))
    }

    /// The state of discovery now. Cheap, and callable from any thread.
    package var status: DiscoveryStatus {
        let operationCount = sources.reduce(0) { $0 + $1.operationCount }
        return state.withLock { state in
            DiscoveryStatus(
                stack: state.table.stack, deviceCount: state.table.deviceCount, operationCount: operationCount)
        }
    }

    /// For a single consumer. Waiting events are merged by device, so their number is bounded and none that still
    /// matters is lost; surplus `malformed` events are dropped. The sequence ends when `run()` does.
    package var events: some AsyncSequence<DiscoveryEvent, Never> & Sendable { DiscoveryEvents(queue: queue) }

    /// Advertises this node and looks for others, until the task is cancelled.
    ///
    /// A source that fails is an event; the others go on.
    /// - Throws: `alreadyRunning` when called a second time.
    package func run() async throws {
        let isFirst = state.withLock { state in
            defer { state.hasRun = true }
            return !state.hasRun
        }
        guard isFirst else { throw DiscoveryError(.alreadyRunning, "discovery is run once") }
        defer { queue.finish() }
        await withDiscardingTaskGroup { group in
            for source in sources {
                group.addTask { await self.run(source) }
            }
            group.addTask { await untilCancelled() }
        }
    }

    /// A device is not where it was found: its sources look again. Cheap, and callable from any thread.
    package func seek(_ deviceID: DeviceID) {
        for source in sources { source.seek(deviceID) }
    }

    private func run(_ source: any DiscoverySource) async {
        let name = source.name
        var reason = "it ended"
        do {
            try await source.run(advertising: advertising) { self.received($0, from: name) }
        } catch {
            reason = "\(error)"
        }
        guard !Task.isCancelled else { return }
        received(.unavailable(reason: reason), from: name)
    }

    private func received(_ report: SourceReport, from source: String) {
        // Pushed under the same lock, so that events of two sources stay in the order of the table's states.
        state.withLock { state in
            queue.push(state.table.received(report, from: source))
        }
    }
}
