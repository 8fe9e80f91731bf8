import EarshotCrypto
import EarshotModel

/// The encrypted stream of frames after the handshake.
///
/// It gathers frames and seals many at a time, and opens what comes and cuts it into frames. A sender that has used its
/// key for long sends `rekey` as the last frame of a Noise message, and continues with the next key.
struct LinkTransport: Sendable {
    /// A sending key is renewed after this many bytes.
    static let rekeyBytes = 1 << 30

    private var noise: TransportState
    private let peer: DeviceID
    private var input = FrameBuffer()
    private var output: [UInt8] = []
    private var bytesUnderKey = 0
    private var keyedAt: Int64
    /// What was received since the last `takeWork`, in requests (`Limits.peerRequests`).
    private var work = 0

    init(_ noise: TransportState, peer: DeviceID, now: Int64) {
        self.noise = noise
        self.peer = peer
        keyedAt = now
    }

    /// What has come of a frame that is not whole.
    var unfinished: UnfinishedFrames.Frame { .init(number: input.frameCount, byteCount: input.byteCount) }

    /// The same at both ends, and on no other link.
    var handshakeHash: Bytes32 { noise.handshakeHash }

    var hasOutput: Bool { !output.isEmpty }

    mutating func enqueue(_ frame: Frame) { FrameBuffer.write(frame.encoded(), to: &output) }

    /// Seals everything that waits.
    mutating func flush(now: Int64) throws(ProtocolError) -> [UInt8] {
        let isKeyOld = bytesUnderKey > Self.rekeyBytes || now - keyedAt >= Timing.rekeyInterval
        if isKeyOld { enqueue(.rekey) }
        let sealed = try seal(output)
        bytesUnderKey += output.count
        output.removeAll(keepingCapacity: output.count <= 1 << 16)
        if isKeyOld {
            noise.rekeySending()
            keyedAt = now
            bytesUnderKey = 0
        }
        return sealed
    }

    private mutating func seal(_ plaintext: [UInt8]) throws(ProtocolError) -> [UInt8] {
        let chunk = TransportState.maximumMessageBytes - TransportState.tagBytes
        let overhead = 2 + TransportState.tagBytes
        let size = plaintext.count + (plaintext.count + chunk - 1) / chunk * overhead
        var failure: CryptoError?
        let sealed = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            plaintext.withUnsafeBytes { plaintext in
                var read = 0
                while read < plaintext.count, failure == nil {
                    let end = min(read + chunk, plaintext.count)
                    let length = end - read + TransportState.tagBytes
                    buffer[count] = UInt8(length >> 8)
                    buffer[count + 1] = UInt8(truncatingIfNeeded: length)
                    let target = UnsafeMutableRawBufferPointer(
                        rebasing: UnsafeMutableRawBufferPointer(buffer)[count + 2..<count + 2 + length])
                    do throws(CryptoError) {
                        try noise.seal(UnsafeRawBufferPointer(rebasing: plaintext[read..<end]), into: target)
                    } catch { failure = error }
                    count += 2 + length
                    read = end
                }
            }
        }
        guard failure == nil else { throw ProtocolError(.unauthentic, "the link's keys are used up") }
        return sealed
    }

    mutating func takeWork() -> Int {
        defer { work = 0 }
        return work
    }

    /// The frames that one Noise message completes.
    struct Opened {
        var frames: [Frame] = []
        /// What is wrong with the frame after them: it does not decode, or holds what is forbidden. The stream itself is
        /// sound, but nothing more of it is read.
        var violation: ProtocolError?
    }

    /// Opens one Noise message.
    /// - Throws: `ProtocolError` if the stream is no longer reliable.
    mutating func open(_ message: [UInt8]) throws(ProtocolError) -> Opened {
        guard message.count >= TransportState.tagBytes else {
            throw ProtocolError(.malformed, "a message is shorter than its tag")
        }
        do { input.append(try noise.open(message)) } catch {
            throw ProtocolError(.unauthentic, "a message was changed on its way")
        }
        let workBefore = work
        defer { if work == workBefore, message.count < Limits.pieceBytes { work += 1 } }
        var opened = Opened()
        while let bytes = try input.next() {
            work += 1 + bytes.count / Limits.requestBytes
            let decoded: Frame?
            do { decoded = try Frame.decode(bytes, from: peer) } catch {
                opened.violation = error
                return opened
            }
            guard let frame = decoded else { continue }
            if case .rekey = frame, input.hasBytes {
                throw ProtocolError(.violation, "something follows the change of keys in the same message")
            }
            opened.frames.append(frame)
        }
        if case .rekey? = opened.frames.last { noise.rekeyReceiving() }
        return opened
    }
}
