import Earshot
import NIOCore
import Synchronization

/// Takes in a request's body while it comes: one that is too large for the memory. What was not finished is dropped with the
/// last reference to it.
final class Intake: Sendable {
    private let upload: FileUpload
    /// What waits until it is worth a write.
    private let waiting = Mutex(ByteBuffer())
    /// Gives its place to another one.
    private let release: @Sendable () -> Void

    init(_ upload: FileUpload, release: @escaping @Sendable () -> Void) {
        (self.upload, self.release) = (upload, release)
    }

    deinit { release() }

    /// - Throws: `GatewayError` for what the node refuses.
    func take(_ piece: ByteBuffer) async throws(GatewayError) {
        let bytes: [UInt8]? = waiting.withLock { waiting in
            waiting.writeImmutableBuffer(piece)
            guard waiting.readableBytes >= GatewayLimits.intakeBytes else { return nil }
            defer { waiting.clear() }
            return Array(waiting.readableBytesView)
        }
        if let bytes { try await append(bytes) }
    }

    /// - Returns: what a message brings along.
    func finish() async throws(GatewayError) -> Attachment {
        try await append(waiting.withLock { Array($0.readableBytesView) })
        do throws(EarshotError) { return try await upload.finish() } catch { throw GatewayError(any: error) }
    }

    private func append(_ bytes: [UInt8]) async throws(GatewayError) {
        do throws(EarshotError) { try await upload.append(bytes) } catch { throw GatewayError(any: error) }
    }
}

/// How many bodies may be taken in at once.
final class IntakePlaces: Sendable {
    private let taken = Mutex(0)

    /// - Returns: gives the place back.
    /// - Throws: `GatewayError` `overloaded`.
    func take() throws(GatewayError) -> @Sendable () -> Void {
        let isFree = taken.withLock { taken in
            guard taken < GatewayLimits.intakes else { return false }
            taken += 1
            return true
        }
        guard isFree else {
            throw GatewayError(
                .overloaded, "\(GatewayLimits.intakes) files are uploaded already; try again",
                .init(limit: GatewayLimits.intakes))
        }
        return { [self] in taken.withLock { $0 -= 1 } }
    }
}
