import CLinuxNetwork
import EarshotModel

@testable import EarshotDiscovery

/// Input from anybody on the cable, and from the kernel.
let discoveryTargets = [
    // One byte more than is read of a record, and a bit.
    FuzzTarget("txt-record", maximumBytes: 1400) { input in
        guard let record = try? TXTRecord(parsing: input.rest()) else { return }
        require(record.encoded.count <= TXTRecord.maximumBytes, "a record is of bounded size")
        require((try? TXTRecord(parsing: record.encoded)) == record, "a record is read as it is written")
        guard let announcement = try? Announcement(record) else { return }
        let again = certain { try Announcement(announcement.txtRecord()) }
        require(again == announcement, "an announcement is read as it is written")
    },
    FuzzTarget("dns-message", maximumBytes: 1024) { input in
        let message = input.flag() ? input.rest() : multicastMessage(&input)
        guard DNSMessageCheck.fault(in: message[...]) == nil else { return }
        require(!recordTypes(of: message).contains(5), "the library gets no alias to see")
        let isAnswer = message[2] & 0x80 != 0
        let purpose = DNSMessageCheck.purpose(of: message[...], for: advertisedNames)
        require(!isAnswer || [.ownAnswer, .other].contains(purpose), "the library sees each answer")
    },
    FuzzTarget("dns-query", maximumBytes: 512) { input in
        var filtering = Filtering()
        while !input.isEmpty { filtering.step(&input) }
    },
    FuzzTarget("browser", maximumBytes: 1024) { input in
        var browsing = Browsing()
        while !input.isEmpty { browsing.step(&input) }
    },
    FuzzTarget("netlink", maximumBytes: 1024) { input in
        let isWhole = input.flag()
        let messages = isWhole ? NetlinkMessage.messages(in: input.rest()) : [kernelMessage(&input)]
        for message in messages {
            _ = message.failure
            _ = NetworkRoute(message)
            let addresses = AddressMessage(message).map { [$0] } ?? []
            for address in addresses { checkSubnet(of: address) }
            guard let link = LinkMessage(message) else { continue }
            _ = HostInterface(link, addresses)
        }
    },
]

private let advertisedNames = AdvertisedNames(instance: "a", hostName: "b")

/// Queries and answers that come one after the other to one interface.
private struct Filtering {
    private let place = QueryFilter.Place(socket: 0, interface: 0)
    private var filter = QueryFilter()
    private var now = ContinuousClock.now
    private var lastAnswer: ContinuousClock.Instant?
    /// Since when nobody who asks is heard.
    private var unheardSince: ContinuousClock.Instant?

    mutating func step(_ input: inout FuzzInput) {
        now += .milliseconds(Int(input.byte()))
        let (isOwn, message) = query(&input)
        guard DNSMessageCheck.fault(in: message[...]) == nil else { return }
        let purpose = DNSMessageCheck.purpose(of: message[...], for: advertisedNames)
        let isToGroup = input.flag()
        let isSeen = filter.admits(purpose, isToGroup: isToGroup, from: [input.byte() & 1], at: place, now: now)
        require(!isOwn || purpose == .other, "a question about this node is not taken for another")
        switch purpose {
        case .other: require(isSeen, "the library sees all that may be about this node")
        case .ownAnswer:
            require(isSeen, "the library sees each answer")
            if isToGroup { (lastAnswer, unheardSince) = (now, nil) }
        case .question(isWhole: true):
            if let lastAnswer, now - lastAnswer < QueryFilter.silence {
                require(!isSeen, "the library does not see what it would not answer")
            } else {
                let since = unheardSince ?? now
                unheardSince = isSeen ? nil : since
                require(isSeen || now - since < QueryFilter.answerTime, "some who ask are heard")
            }
        case .needless: require(!isSeen, "the library does not see what wants nothing")
        case .question(isWhole: false), .continuation: return
        }
    }
}

/// A query with questions of this node and others, in any letters, or an answer; and whether a question is about a name of this
/// node.
private func query(_ input: inout FuzzInput) -> (isOwn: Bool, bytes: [UInt8]) {
    let isAnswer = input.flag()
    let (questions, answers) = (isAnswer ? 0 : input.choice(4), input.choice(3))
    let flags: [UInt8] = [isAnswer ? 0x84 : input.flag() ? 2 : 0, input.byte() & 3]
    var message: [UInt8] = [0, 0] + flags + [0, UInt8(questions), 0, UInt8(answers), 0, 0, 0, 0]
    var isOwn = false
    func inAnyLetters(_ name: [UInt8]) -> [UInt8] {
        name.map { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 && input.flag() ? $0 ^ 0x20 : $0 }
    }
    for _ in 0..<questions {
        let names = advertisedNames.others + [advertisedNames.service]
        let choice = input.choice(names.count + 1)
        isOwn = isOwn || choice < names.count - 1
        message += choice < names.count ? inAnyLetters(names[choice]) : name(&input, at: message.count)
        message += [0, [12, 16, 33, 255][input.choice(4)], input.flag() ? 0x80 : 0, 1]
    }
    for _ in 0..<answers {
        let instance = input.flag() ? inAnyLetters(advertisedNames.instance) : name(&input, at: message.count)
        message += inAnyLetters(advertisedNames.service)
        message += [0, 12, 0, 1, 0, 0, input.flag() ? 17 : 0, 0, 0, UInt8(instance.count)] + instance
    }
    return (isOwn, message)
}

/// Messages as stacks send them, except that names may be anything.
private func multicastMessage(_ input: inout FuzzInput) -> [UInt8] {
    let types: [UInt8] = [1, 2, 5, 12, 13, 16, 28, 33, 41, 47, 255]
    let counts = (0..<4).map { _ in input.choice(4) }
    var message: [UInt8] = [0, 0, input.byte(), 0] + counts.flatMap { [0, UInt8($0)] }
    for place in 0..<counts.reduce(0, +) {
        message += name(&input, at: message.count) + [0, types[input.choice(types.count)], 0, 1]
        guard place >= counts[0] else { continue }
        let service = [UInt8](repeating: 0, count: input.flag() ? 6 : 0)
        let data = input.flag() ? service + name(&input, at: message.count + 6 + service.count) : input.block()
        message += [0, 0, 0, 120, UInt8(data.count >> 8), UInt8(data.count & 0xff)] + data
    }
    input.damage(&message)
    return message
}

private func name(_ input: inout FuzzInput, at offset: Int) -> [UInt8] {
    let label = input.flag() ? input.take(Int(input.byte() & 63)) : []
    let labels = label.isEmpty ? [] : [UInt8(label.count)] + label
    guard input.flag() else { return labels + [0] }
    let target = input.choice(256) % (offset + 1)
    return labels + [0xc0 | UInt8(target >> 8), UInt8(target & 0xff)]
}

/// The types of a message's records, read without checking them.
private func recordTypes(of message: [UInt8]) -> [Int] {
    func integer(_ offset: Int) -> Int { Int(message[offset]) << 8 | Int(message[offset + 1]) }
    var offset = 12
    func skipName() {
        while message[offset] != 0 && message[offset] < 0xc0 { offset += 1 + Int(message[offset]) }
        offset += message[offset] == 0 ? 1 : 2
    }
    for _ in 0..<integer(4) {
        skipName()
        offset += 4
    }
    return (0..<integer(6) + integer(8) + integer(10)).map { _ in
        skipName()
        defer { offset += 10 + integer(offset + 8) }
        return integer(offset)
    }
}

private func kernelMessage(_ input: inout FuzzInput) -> NetlinkMessage {
    let types = [RTM_NEWLINK, RTM_NEWADDR, RTM_NEWROUTE]
    let type = types[input.choice(types.count)]
    let fixed = [LinkMessage.size, AddressMessage.size, NetworkRoute.size][input.choice(3)]
    var body = input.take(fixed)
    while !input.isEmpty { body += NetlinkMessage.attribute(Int(input.byte()), input.block()) }
    input.damage(&body)
    return NetlinkMessage(type: UInt16(type), flags: 0, sequence: 1, body: body)
}

private func checkSubnet(of message: AddressMessage) {
    let address = HostInterface.Address(message.ip, prefixLength: message.prefixLength, interface: "eth0")
    let subnet = address.subnet
    _ = subnet.description
    require(subnet.contains(message.ip), "an address is in its own subnet")
    for sample in subnet.samples(besides: [message.ip.bytes]) {
        require(subnet.contains(sample) && sample != message.ip, "a neighbour is in the same subnet")
    }
}

/// A stack that reports anything, and the effect of that.
private struct Browsing {
    private static let capacity = 6
    private static let own = Advertisement(
        name: certain { try UserName("alice") }, userID: UserID(Bytes32()), deviceID: DeviceID(Bytes32()), port: 7)
    private static let instances = ["own", "a", "b", "c", "d", "e", "f", "g", "h"]
    private static let hosts = ["x.local", "y.local", ""]
    private static let interfaces = [
        NetworkInterface(index: 1, name: "lo"), NetworkInterface(index: 2, name: "eth0"),
        NetworkInterface(index: 3, name: "eth0"), NetworkInterface(index: 0, name: ""),
    ]

    private var browser = ServiceBrowser(ownInstance: "own", capacity: Self.capacity)
    private var table = DeviceTable(own: Self.own, ownAddresses: { ["10.0.0.1"] }, capacity: Self.capacity - 2)
    private var present: Set<DeviceID> = []
    private var timers: [ServiceBrowser.Timer] = []
    private var queried: Set<String> = []

    mutating func step(_ input: inout FuzzInput) {
        let instance = Self.instances[input.choice(Self.instances.count)]
        let host = Self.hosts[input.choice(Self.hosts.count)]
        let interface = Self.interfaces[input.choice(Self.interfaces.count)]
        switch input.choice(12) {
        case 0, 1: run(browser.appeared(instance, on: interface))
        case 2: run(browser.disappeared(instance, on: interface.index))
        case 3, 4:
            let txt = input.flag() ? input.block() : announcement(&input)
            run(browser.resolved(instance, host: host, port: UInt16(truncatingIfNeeded: input.word()), txt: txt))
        case 5: run(browser.resolveFailed(instance))
        case 6: run(browser.resolveRefused(instance))
        case 7: run(browser.addressesRefused(host))
        case 8: run(browser.addressAppeared(input.block(), of: host, on: interface.index))
        case 9: run(browser.addressDisappeared(input.block(), of: host, on: interface.index))
        case 10: if !timers.isEmpty { run(browser.elapsed(timers.remove(at: input.choice(256) % timers.count))) }
        default: input.flag() ? run(browser.registered(as: instance)) : take(.unavailable(reason: "it ended"))
        }
    }

    private func announcement(_ input: inout FuzzInput) -> [UInt8] {
        let device = DeviceID(Bytes32([UInt8](repeating: 0, count: 31) + [input.byte() & 7]) ?? Bytes32())
        let name = (try? UserName(input.text())) ?? Self.own.name
        let said = Advertisement(name: name, userID: UserID(Bytes32()), deviceID: device, port: 1)
        return certain { try said.txtRecord() }.encoded
    }

    private mutating func run(_ actions: [ServiceBrowser.Action]) {
        for action in actions {
            switch action {
            case .report(let report): take(report)
            case .wait(let timer, _): if timers.count < 64 { timers.append(timer) }
            case .queryAddresses(let host): require(queried.insert(host).inserted, "a host is asked for once")
            case .stopQuerying(let host): require(queried.remove(host) != nil, "what was not asked is not ended")
            case .resolve, .stopResolving: continue
            }
        }
        require(queried.count <= Self.capacity, "no more hosts than instances are asked for")
    }

    private mutating func take(_ report: SourceReport) {
        for event in table.received(report, from: "test") {
            switch event {
            case .found(let device): require(present.insert(device.deviceID).inserted, "a device is found once")
            case .updated(let device): require(present.contains(device.deviceID), "who is updated was found")
            case .lost(let deviceID): require(present.remove(deviceID) != nil, "who is lost was found")
            default: continue
            }
        }
        require(present.count == table.deviceCount, "all that is there was told")
        require(table.deviceCount <= Self.capacity - 2, "a bounded number of devices")
    }
}
