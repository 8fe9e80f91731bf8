import Foundation
import Synchronization

/// Writes texts to a descriptor whose reader may have stopped reading, as a supervisor does that waits for a node's first
/// line only. A command waits for its reader. A node does not, neither while it runs nor at its end: what finds no room is
/// lost, and the next text that does says how many were.
final class DescriptorWriter: Sendable {
    private struct State {
        /// Texts since the last that was written.
        var lost = 0
        /// Whether the last of them was written in part.
        var isTorn = false
    }

    private let descriptor: Int32
    /// How long the reader may take to make room, in milliseconds; for ever if it is negative.
    private let patience: Int32
    private let state = Mutex(State())

    /// How long a node waits for a reader. It waits once: after a text was lost, for none until there is room again.
    static let patienceOfNode: Int32 = 1000
    /// A pipe that takes anything takes so many bytes without waiting (pipe(7), `PIPE_BUF`).
    private static let piece = 4096

    init(_ descriptor: Int32, patience: Int32 = -1) { (self.descriptor, self.patience) = (descriptor, patience) }

    /// Writes a text, in one piece if nobody but this writes there.
    /// - Parameter loss: says how many texts were lost before this one.
    /// - Returns: the system's error; 0 for a text that was written, or lost for want of room.
    func write(_ bytes: [UInt8], after loss: (Int) -> String) -> Int32 {
        state.withLock { state in
            guard patience < 0 || hasRoom(within: state.lost > 0 ? 0 : patience) else {
                state.lost += 1
                return 0
            }
            let before = (state.isTorn ? "\n" : "") + (state.lost > 0 ? loss(state.lost) : "")
            var rest = (Array(before.utf8) + bytes)[...]
            state.isTorn = false
            while !rest.isEmpty {
                let size = patience < 0 ? rest.count : min(rest.count, Self.piece)
                let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, size) }
                if count < 0, errno != EINTR, errno != EAGAIN { return errno }
                rest = rest.dropFirst(max(0, count))
                guard rest.isEmpty || hasRoom(within: patience) else {
                    state.lost += 1
                    state.isTorn = true
                    return 0
                }
            }
            state.lost = 0
            return 0
        }
    }

    /// - Returns: `true`, too, if that cannot be found out: then writing says why.
    private func hasRoom(within patience: Int32) -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        var count: Int32
        repeat { count = poll(&waiting, 1, patience) } while count < 0 && errno == EINTR
        return count != 0
    }
}
