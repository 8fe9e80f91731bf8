import EarshotCrypto
import EarshotModel
import Foundation

@testable import EarshotGateway
@testable import EarshotProtocol

/// Input from a peer, each kind by itself.
let protocolTargets = [
    FuzzTarget("credential", maximumBytes: 1200) { input in
        var bytes = input.flag() ? Wire.encode(credential(&input)) : input.rest()
        input.damage(&bytes)
        guard let credential = try? Credential(decoding: bytes) else { return }
        require((try? Credential(decoding: credential.encoded())) == credential, "it is read as it is written")
        for clock in [0, credential.notBefore, credential.notAfter, 1 << 53] {
            let offset = ClockOffset.of(Int64(clamping: input.number()), at: clock)
            let isValid = (try? credential.checkValidity(at: clock, clockOffset: offset)) != nil
            require(isValid == credential.isValid(at: clock), "it is valid or not")
        }
    },
    FuzzTarget("entry-body", maximumBytes: 4096) { input in
        let bytes = input.flag() ? entryBody(&input) : input.rest()
        guard let body = try? EntryBody(decoding: bytes) else { return }
        require((try? EntryBody(decoding: body.encoded())) == body, "it is read as it is written")
        require(body.timestamp.next >= body.timestamp && body.timestamp <= .maximum, "time does not run backwards")
        _ = Timestamp.text(body.expiry)
        _ = Timestamp.text(body.timestamp.milliseconds)
    },
    FuzzTarget("frame", maximumBytes: 4096) { input in
        if input.flag() { return checkCutting(&input) }
        guard let frame = try? Frame.decode(input.rest(), from: Cast.mallory.deviceID) else { return }
        require(
            (try? Frame.decode(frame.encoded(), from: Cast.mallory.deviceID)) == frame, "it is read as it is written")
    },
    FuzzTarget("first-words", maximumBytes: 4096) { input in
        var end = HandshakeEnd(isInitiator: input.flag())
        for piece in input.pieces(of: input.rest()) { end.received(piece) }
    },
    FuzzTarget("handshake", maximumBytes: 2048, prepare: HostileHandshake.rehearse) { input in
        HostileHandshake.run(&input)
    },
]

/// A correctly signed credential with any contents.
func credential(_ input: inout FuzzInput) -> Wire.Credential {
    var fields = Wire.CredentialBody()
    fields.name = input.flag() ? "mallory" : input.text()
    fields.identityKey = input.flag() ? Cast.identityKey.publicKey.bytes : input.block()
    fields.deviceSigningKey = input.flag() ? Cast.mallory.deviceID.bytes : Cast.alice.deviceID.bytes
    fields.deviceAgreementKey = input.flag() ? Cast.mallory.link.agreementKey.publicKey.bytes : input.block()
    fields.notBefore = Int64(bitPattern: input.number())
    fields.notAfter = Int64(bitPattern: input.number(near: 1 << 53))
    var body: [UInt8] = Wire.encode(fields)
    if input.flag() { body += input.block() }
    var credential = Wire.Credential()
    credential.body = body
    let signed = SignedBytes(label: "earshot credential v1").adding(body).bytes
    credential.signature = Cast.identityKey.signature(for: signed).bytes
    let countersigned = SignedBytes(label: "earshot credential device v1").adding(body).bytes
    credential.deviceSignature = Cast.mallory.signingKey.signature(for: countersigned).bytes
    return credential
}

/// The possible contents of an entry.
func entryBody(
    _ input: inout FuzzInput, after timestamp: HybridTimestamp = HybridTimestamp(rawValue: 0),
    content: (inout FuzzInput) -> Wire.EntryBody.Content = entryContent
) -> [UInt8] {
    var body = Wire.EntryBody()
    body.timestamp = input.flag() ? timestamp.next.rawValue : input.number(near: timestamp.rawValue)
    body.expiry = input.flag() ? UInt64(Int64.max) : input.number()
    if input.flag() { body.content = content(&input) }
    if input.choice(4) == 0 {
        body.key = [UInt8](repeating: 7, count: input.flag() ? EntryKey.count : input.choice(40))
    }
    var bytes: [UInt8] = Wire.encode(body)
    input.damage(&bytes)
    return bytes
}

/// The ends of logs that an epoch may say that it follows.
private func branches(_ input: inout FuzzInput) -> Wire.Branches {
    var branches = Wire.Branches()
    branches.conversationID = input.flag() ? padding(input.block()).bytes : input.block()
    branches.ends = (0..<input.choice(4)).map { _ in
        Wire.Head(
            deviceID: input.flag() ? Cast.mallory.deviceID.bytes : input.block(), epoch: input.number(),
            kind: UInt32(input.choice(3)), sequence: input.number(),
            chain: input.flag() ? padding(input.block()).bytes : input.block())
    }
    return branches
}

/// A message, what is said about one, or what somebody says of themselves.
func entryContent(_ input: inout FuzzInput) -> Wire.EntryBody.Content {
    switch input.choice(12) {
    case 3: return .branches(branches(&input))
    case 4:
        var profile = Wire.Profile()
        (profile.friendlyName, profile.attributes, profile.counter) = (
            input.text(), input.text(), input.number(near: 1)
        )
        profile.picture = [UInt8](repeating: 7, count: input.choice(8) > 0 ? 100 : Limits.pictureBytes + 1)
        if input.flag() {
            profile.bot = Wire.Bot()
            for _ in 0..<input.choice(80) {
                profile.bot?.commands.append(
                    Wire.BotCommand(name: input.text(), summary: input.text(), usage: input.text()))
            }
        }
        return .profile(profile)
    case 5:
        return .decision(
            Wire.Decision(
                userID: identifier(&input), name: input.text(), verdict: UInt32(input.choice(6)),
                counter: input.number(near: 1), proof: input.flag() ? [UInt8](repeating: 1, count: 64) : input.block()))
    case 6:
        var cut = Wire.Cut(deviceID: identifier(&input), proof: [UInt8](repeating: 2, count: 64))
        cut.ends = (0..<input.choice(4)).compactMap { _ in place(&input) }
        return .cut(cut)
    case 7:
        var erasure = Wire.Erasure()
        erasure.runs = (0..<input.choice(4)).map { _ in
            Wire.ErasedRun(last: place(&input), count: input.number(near: 1))
        }
        return .erasure(erasure)
    case 8:
        return .shown(Wire.Shown(places: (0..<input.choice(4)).compactMap { _ in place(&input) }))
    case 0: return .edit(Wire.Edit(target: place(&input), counter: input.number(near: 1), text: input.text()))
    case 1: return .retract(Wire.Retract(target: place(&input)))
    case 2:
        return .reaction(
            Wire.Reaction(
                target: place(&input), emoji: input.text(), counter: input.number(near: 1), removed: input.flag()))
    case 8: return membershipContent(&input)
    default:
        var text = Wire.Text(text: input.text())
        for _ in 0..<input.choice(4) { text.headers[input.text()] = input.text() }
        if input.choice(4) == 0 { text.replyTo = place(&input) }
        for _ in 0..<input.choice(3) { text.mentions.append(identifier(&input)) }
        if input.choice(4) == 0 {
            let id = [UInt8](repeating: 9, count: input.flag() ? EntryKey.count : input.choice(40))
            text.session = Wire.Session(sessionID: id, counter: input.number(near: 1), summary: input.text())
        }
        if input.choice(4) == 0 {
            text.layout = Wire.Layout(
                caption: input.text(), subcaption: input.text(), imageTitle: input.text(), imageSubtitle: input.text(),
                accessibilityLabel: input.text(), url: input.flag() ? "https://" + input.text() : input.text())
        }
        if input.choice(4) == 1 {
            for _ in 0..<[1, 3, Limits.attachments + 1][input.choice(3)] {
                text.attachments.append(
                    Wire.Attachment(
                        fileID: identifier(&input), name: input.text(),
                        mediaType: input.flag() ? "image/png" : input.text(),
                        byteCount: input.number(near: Limits.fileBytes)))
            }
        }
        return .text(text)
    }
}

/// A place that exists, if any does, or any.
func place(_ input: inout FuzzInput) -> Wire.LogPlace? {
    if !input.known.places.isEmpty, input.choice(4) > 0 {
        return input.known.places[input.choice(input.known.places.count)].wire
    }
    guard input.choice(8) > 0 else { return nil }
    return Wire.LogPlace(logID: identifier(&input), sequence: input.number(near: 1), chain: identifier(&input))
}

/// The id of somebody who exists, if anybody does, or any.
func identifier(_ input: inout FuzzInput) -> [UInt8] {
    if !input.known.ids.isEmpty, input.choice(4) > 0 {
        return input.known.ids[input.choice(input.known.ids.count)].bytes
    }
    return [UInt8](repeating: UInt8(input.choice(256)), count: input.choice(8) > 0 ? Bytes32.count : input.choice(40))
}

/// However a stream is cut, the same frames come out of it, and no more than a frame is kept.
private func checkCutting(_ input: inout FuzzInput) {
    let cuts = input.block()
    let stream = input.rest()
    var (whole, cut) = (FrameBuffer(), FrameBuffer())
    whole.append(stream)
    var expected: [[UInt8]] = []
    let expectedError = read(&whole, into: &expected)
    var frames: [[UInt8]] = []
    var error: ProtocolError.Code?
    var order = FuzzInput(cuts)
    for piece in order.pieces(of: stream) where error == nil {
        cut.append(piece)
        error = read(&cut, into: &frames)
        require(cut.byteCount <= Limits.frameBytes + 4 + piece.count, "no more is kept than a frame")
    }
    require(frames == expected && error == expectedError, "the same frames, however they are cut")
}

private func read(_ buffer: inout FrameBuffer, into frames: inout [[UInt8]]) -> ProtocolError.Code? {
    do throws(ProtocolError) {
        while let frame = try buffer.next() { frames.append(frame) }
        return nil
    } catch { return error.code }
}
