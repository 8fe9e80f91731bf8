/// What somebody at a terminal has pressed.
enum Key: Hashable {
    case text(String)
    /// What was pasted in one piece, with its line breaks.
    case paste(String)
    /// A paste of more bytes than `KeyDecoder.longestPaste`; none of it is kept.
    case pasteTooLong
    case enter, lineBreak
    case left, right, home, end, up, down, wordLeft, wordRight
    case backspace, delete, deleteWordBefore, deleteWordAfter, killBefore, killAfter, yank
    case pageUp, pageDown, complete
    /// Ctrl-T: leaves the line for a while, to talk elsewhere.
    case park
    case redraw, interrupt, endOfInput, suspend
}

/// Turns the bytes of a terminal into keys: control characters (ECMA-48), cursor keys as xterm sends them, and pasted text
/// in brackets. What it does not know it drops whole, so that no part of a sequence passes for text.
struct KeyDecoder {
    /// In bytes.
    static let longestPaste = 1024 * 1024
    /// A control sequence with more parameters is dropped.
    static let longestSequence = 32

    private enum State {
        case ground
        /// The bytes of a character so far, and how many it has.
        case character([UInt8], count: Int)
        case escape
        case singleShift
        case sequence([UInt8])
        case paste([UInt8], isTooLong: Bool)
    }

    private static let pasteEnd = Array("\u{1b}[201~".utf8)
    private var state = State.ground

    mutating func read(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes { read(byte, &keys) }
        return keys
    }

    /// Nothing more has come for a moment: an escape that was pressed alone begins no sequence.
    mutating func pause() {
        if case .escape = state { state = .ground }
    }

    private mutating func read(_ byte: UInt8, _ keys: inout [Key]) {
        switch state {
        case .ground: ground(byte, &keys)
        case .character(var bytes, let count):
            guard byte & 0xC0 == 0x80 else {
                keys.append(.text("\u{fffd}"))
                state = .ground
                return ground(byte, &keys)
            }
            bytes.append(byte)
            guard bytes.count == count else { return state = .character(bytes, count: count) }
            keys.append(.text(String(decoding: bytes, as: UTF8.self)))
            state = .ground
        case .escape: escape(byte, &keys)
        case .singleShift:
            state = .ground
            if let key = Self.final(byte, []) { keys.append(key) }
        case .sequence(let bytes): sequence(byte, after: bytes, &keys)
        case .paste(var bytes, let isTooLong):
            // The array is not shared while it grows.
            state = .ground
            bytes.append(byte)
            if bytes.suffix(Self.pasteEnd.count).elementsEqual(Self.pasteEnd) {
                bytes.removeLast(Self.pasteEnd.count)
                return keys.append(isTooLong ? .pasteTooLong : .paste(Self.pasted(bytes)))
            }
            let isOver = isTooLong || bytes.count > Self.longestPaste
            if isOver { bytes = Array(bytes.suffix(Self.pasteEnd.count)) }
            state = .paste(bytes, isTooLong: isOver)
        }
    }

    /// Terminals send a carriage return for each line break of what is pasted.
    private static func pasted(_ bytes: [UInt8]) -> String {
        String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n").replacing("\r", with: "\n")
    }

    private mutating func ground(_ byte: UInt8, _ keys: inout [Key]) {
        switch byte {
        case 0x1B: state = .escape
        case 0x20...0x7E: keys.append(.text(String(UnicodeScalar(byte))))
        case 0xC2...0xDF: state = .character([byte], count: 2)
        case 0xE0...0xEF: state = .character([byte], count: 3)
        case 0xF0...0xF4: state = .character([byte], count: 4)
        case 0x80...: keys.append(.text("\u{fffd}"))
        default: if let key = Self.control(byte) { keys.append(key) }
        }
    }

    private static func control(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x01: .home
        case 0x02: .left
        case 0x03: .interrupt
        case 0x04: .endOfInput
        case 0x05: .end
        case 0x06: .right
        case 0x08, 0x7F: .backspace
        case 0x09: .complete
        case 0x0A: .lineBreak
        case 0x0B: .killAfter
        case 0x0C: .redraw
        case 0x14: .park
        case 0x0D: .enter
        case 0x0E: .down
        case 0x10: .up
        case 0x15: .killBefore
        case 0x17: .deleteWordBefore
        case 0x19: .yank
        case 0x1A: .suspend
        default: nil
        }
    }

    private mutating func escape(_ byte: UInt8, _ keys: inout [Key]) {
        state = .ground
        switch byte {
        case UInt8(ascii: "["): state = .sequence([])
        case UInt8(ascii: "O"): state = .singleShift
        case 0x1B: state = .escape
        case 0x0D, 0x0A: keys.append(.lineBreak)
        case UInt8(ascii: "b"): keys.append(.wordLeft)
        case UInt8(ascii: "f"): keys.append(.wordRight)
        case UInt8(ascii: "d"): keys.append(.deleteWordAfter)
        case 0x08, 0x7F: keys.append(.deleteWordBefore)
        default: break
        }
    }

    private mutating func sequence(_ byte: UInt8, after bytes: [UInt8], _ keys: inout [Key]) {
        guard (0x40...0x7E).contains(byte) else {
            // A sequence that goes on for too long is forgotten, but its end is still awaited.
            return state = .sequence(bytes.count < Self.longestSequence ? bytes + [byte] : bytes)
        }
        state = .ground
        let parameters = String(decoding: bytes, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
            .map { Int($0) ?? 0 }
        if byte == UInt8(ascii: "~"), parameters == [200] {
            state = .paste([], isTooLong: false)
        } else if let key = Self.final(byte, parameters) {
            keys.append(key)
        }
    }

    private static func final(_ byte: UInt8, _ parameters: [Int]) -> Key? {
        let isModified = parameters.count > 1 && parameters[1] > 1
        switch byte {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "C"): return isModified ? .wordRight : .right
        case UInt8(ascii: "D"): return isModified ? .wordLeft : .left
        case UInt8(ascii: "H"): return .home
        case UInt8(ascii: "F"): return .end
        case UInt8(ascii: "~"):
            switch parameters.first {
            case 1, 7: return .home
            case 4, 8: return .end
            case 3: return isModified ? .deleteWordAfter : .delete
            case 5: return .pageUp
            case 6: return .pageDown
            default: return nil
            }
        default: return nil
        }
    }
}
