/// What a user's devices tell each other in entries.
extension Wire {
    struct Decision: WireMessage {
        var userID: [UInt8] = []
        var name = ""
        var verdict: UInt32 = 0
        var counter: UInt64 = 0
        var proof: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): userID = Array(bytes)
            case (2, .bytes(let bytes)): name = try Wire.text(bytes)
            case (3, .varint(let value)): verdict = UInt32(truncatingIfNeeded: value)
            case (4, .varint(let value)): counter = value
            case (5, .bytes(let bytes)): proof = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, userID)
            writer.text(2, name)
            writer.varint(3, UInt64(verdict))
            writer.varint(4, counter)
            writer.bytes(5, proof)
        }
    }

    struct Erasure: WireMessage {
        var runs: [ErasedRun] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): runs.append(try ErasedRun(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            for run in runs { writer.message(1, run) }
        }
    }

    struct ErasedRun: WireMessage {
        var last: LogPlace?
        var count: UInt64 = 0

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): last = try LogPlace(merging: bytes, into: last ?? LogPlace())
            case (2, .varint(let value)): count = value
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            if let last { writer.message(1, last) }
            writer.varint(2, count)
        }
    }

    struct Shown: WireMessage {
        var places: [LogPlace] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): places.append(try LogPlace(merging: bytes))
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            for place in places { writer.message(1, place) }
        }
    }

    struct Cut: WireMessage {
        var deviceID: [UInt8] = []
        var ends: [LogPlace] = []
        var proof: [UInt8] = []

        mutating func take(_ field: WireField) throws(WireError) {
            switch (field.number, field.value) {
            case (1, .bytes(let bytes)): deviceID = Array(bytes)
            case (2, .bytes(let bytes)): ends.append(try LogPlace(merging: bytes))
            case (3, .bytes(let bytes)): proof = Array(bytes)
            default: break
            }
        }

        func write(to writer: inout WireWriter) {
            writer.bytes(1, deviceID)
            for end in ends { writer.message(2, end) }
            writer.bytes(3, proof)
        }
    }
}
