import EarshotModel
import EarshotProtocol

/// Runs the machines' actions.
extension Simulation {
    mutating func perform(_ index: Int, _ input: (inout NodeMachine, Moment) -> [NodeAction]) throws {
        guard nodes[index].isUp else { return }
        try run(nodes[index].input(nodes[index].now(at: time), input), of: index)
    }

    /// Runs the actions of a machine, one after another. The process may die before each of them.
    mutating func run(_ actions: [NodeAction], of index: Int) throws {
        guard nodes[index].isUp else { return }
        let generation = nodes[index].generation
        for action in actions.flatMap(\.oneByOne) {
            if nodes[index].diesBeforeAction() || self.actions == configuration.crashesBeforeAction {
                self.actions += 1
                try crash(index, isHeard: generator.oneIn(2))
                return
            }
            self.actions += 1
            try run(action, of: index)
            guard nodes[index].generation == generation else { return }
        }
        if self.actions % 64 == 0 { checkLoad(of: index) }
        if nodes[index].isStopping, nodes[index].isSettled {
            try end(index, isHeard: true)
        } else {
            schedule(index)
        }
    }

    private mutating func run(_ action: NodeAction, of index: Int) throws {
        let generation = nodes[index].generation
        switch action {
        case .connect(let connectionID, let addresses): connect(index, connectionID, addresses)
        case .write(let connectionID, let bytes):
            trace.frames(bytes, connection: connectionID.number, node: index, at: time)
            if !tellHostile(bytes, from: index, connectionID) { write(bytes, from: index, connectionID) }
        case .disconnect(let connectionID):
            if let socket = network.socket(of: index, connectionID) { close(socket) }
            hangUpOnHostile(index, connectionID)
        // Discovery tells of everything there as it is.
        case .seek: break
        case .commit(let commit):
            trace.commit(commit, node: index, at: time)
            nodes[index].commit = commit
            queue.push(.commitDone(node: index, generation: generation), at: time + diskTime(of: index))
        case .read(let read):
            let at = time + diskTime(of: index) / 4
            queue.push(.answer(node: index, generation: generation, .entries(read)), at: at)
        case .findExpired(let logID, let after, let clock):
            let answer = Answer.expired(logID, after: after, clock)
            queue.push(.answer(node: index, generation: generation, answer), at: time + diskTime(of: index) / 4)
        case .readChains(let read):
            let at = time + diskTime(of: index) / 4
            queue.push(.answer(node: index, generation: generation, .chains(read)), at: at)
        case .findKeys(let lookup, let keys):
            let at = time + diskTime(of: index) / 4
            queue.push(.answer(node: index, generation: generation, .keys(lookup, keys)), at: at)
        case .probe(let probeID, let address):
            let peer = network.holders[address]
            queue.push(.probed(node: index, generation: generation, probeID, peer: peer), at: time + latency())
        case .reachability(let requestID, let answers):
            trace.reachability(answers, node: index, at: time)
            observe(answers, to: requestID, at: index)
        case .file(let task):
            guard configuration.files == 0 else { return later(task, of: index) }
            // Nobody has a file: who asks for one is told so.
            guard case .read(let read) = task else { return }
            queue.push(.answer(node: index, generation: generation, .file(read)), at: time + diskTime(of: index) / 4)
        case .device(let task):
            let at = time + diskTime(of: index)
            queue.push(.answer(node: index, generation: generation, .device(task)), at: at)
        case .complete(let requestID, let result):
            if let step = nodes[index].programs.steps.removeValue(forKey: requestID) {
                try answered(step, result, at: index)
            } else {
                complete(requestID, result, at: index)
            }
        case .renamed: break
        case .post(let event):
            trace.event(event, node: index, at: time)
            try checkJournal(of: index) { journal, _ in journal.posted(event) }
            try observe(event, at: index)
        case .postRun, .accepted: preconditionFailure("what comes together is done one by one")
        }
    }

    private mutating func complete(
        _ requestID: RequestID, _ result: Result<RequestAnswer, ProtocolError>, at index: Int
    ) {
        let decided = nodes[index].takeDecided(by: requestID)
        if let decided, case .success = result { check(decided, at: index) }
        if !nodes[index].completed(requestID, result) {
            violated("\(name(index)) answers what was not asked, or twice")
        }
        guard !isHealed, case .success(.accepted(let messages)) = result, let message = messages.first,
            !Self.isKept(message.text), generator.oneIn(12)
        else { return }
        let at = time + Int64.random(in: 0...1_000_000, using: &generator)
        queue.push(.cancel(node: index, message.messageID), at: at)
    }

    private mutating func diskTime(of index: Int) -> Int64 {
        let span = Int64.random(in: configuration.commitTime, using: &generator)
        return nodes[index].diskSlowUntil > time ? span * 200 : span
    }

    private mutating func schedule(_ index: Int) {
        guard let deadline = nodes[index].deadline(at: time), nodes[index].wakeAt != deadline else { return }
        nodes[index].wakeAt = deadline
        queue.push(
            .wake(node: index, generation: nodes[index].generation, deadline: deadline), at: max(time + 1, deadline))
    }

    mutating func commitDone(_ index: Int, _ generation: Int) throws {
        guard nodes[index].generation == generation, let commit = nodes[index].commit else { return }
        nodes[index].commit = nil
        let isRefused =
            !isHealed && (nodes[index].diskFullUntil > time || generator.oneIn(configuration.commitFailureOdds))
        guard !isRefused else {
            faults += 1
            try perform(index) { $0.commitFailed("the simulated disk is full", now: $1) }
            return
        }
        try write(commit, of: index)
        // A process may die before it hears of a commit that is on the disk.
        if !isHealed, generator.oneIn(400) {
            try crash(index, isHeard: true)
            return
        }
        // Or it reads the commit before it hears of it.
        let wait = generator.oneIn(2) ? 0 : Int64.random(in: 1...configuration.commitTime.upperBound, using: &generator)
        queue.push(.committed(node: index, generation: generation), at: time + wait)
    }

    /// The disk takes a commit: a correct machine never asks for what the schema forbids.
    mutating func write(_ commit: Commit, of index: Int) throws {
        try checkJournal(of: index) { journal, _ in journal.checkPosted() }
        do { try nodes[index].store.commit(commit) } catch {
            violated("the store of \(name(index)) refuses a commit: \(error)")
        }
        try checkJournal(of: index) { try $0.written(commit, $1) }
        checkForged(commit, of: index)
    }

    mutating func answer(_ index: Int, _ generation: Int, _ answer: Answer) throws {
        guard nodes[index].generation == generation else { return }
        let isReadable = nodes[index].diskUnreadableUntil <= time
        switch answer {
        case .entries(let read):
            guard isReadable else {
                try perform(index) { $0.readFailed(read, "the simulated disk cannot be read", now: $1) }
                return
            }
            let entries = try nodes[index].store.entries(
                of: read.logID, from: read.from, countLimit: read.countLimit, byteLimit: read.byteLimit)
            guard let passedOn = try passOn(entries, read, by: index) else { return }
            try perform(index) { $0.entriesRead(read, entries: passedOn, now: $1) }
        case .expired(let logID, let after, let clock):
            guard isReadable else {
                try perform(index) { $0.findExpiredFailed(in: logID, now: $1) }
                return
            }
            let (sequences, nextExpiry) = try nodes[index].store.expired(in: logID, after: after, by: clock)
            try perform(index) {
                $0.expiredFound(in: logID, sequences: sequences, nextExpiry: nextExpiry, now: $1)
            }
        case .chains(let read):
            guard isReadable else {
                try perform(index) { $0.chainsReadFailed(read, "the simulated disk cannot be read", now: $1) }
                return
            }
            let chains = try nodes[index].store.chains(of: read)
            try perform(index) { $0.chainsRead(read, chains: chains, now: $1) }
        case .device(let task): try perform(task, of: index)
        case .file(let read): try perform(index) { $0.fileRead(read, nil, now: $1) }
        case .keys(let lookup, let keys):
            guard isReadable else {
                try perform(index) { $0.findKeysFailed(lookup, "the simulated disk cannot be read", now: $1) }
                return
            }
            let found = try nodes[index].store.entries(with: keys)
            try perform(index) { $0.keysFound(lookup, found, now: $1) }
        }
    }
}

extension NodeAction {
    /// Events that are posted one after the other are an action each, and so are answers: the process may die between them.
    fileprivate var oneByOne: [NodeAction] {
        switch self {
        case .postRun(let run): run.events.map(NodeAction.post)
        case .accepted(let calls): calls.map { .complete($0.requestID, .success($0.answer)) }
        default: [self]
        }
    }
}
