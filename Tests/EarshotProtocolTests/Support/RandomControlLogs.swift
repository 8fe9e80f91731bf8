import EarshotModel
import EarshotSimulation

@testable import EarshotProtocol

/// What five users with two devices each write about one conversation, at random: branches, passes, takeovers,
/// hand-overs, removals with cuts, revocations, and logs that follow nothing they may follow.
struct RandomControlLogs {
    static let users = (1...5).map { TestUser(number: $0) }

    private(set) var drafts: [ControlDraft] = []
    private(set) var revocations: [DeviceID: Set<LogPlace>] = [:]
    private var random: SeededGenerator
    private var nextRank: UInt64 = 100

    init(seed: UInt64, steps: Int) {
        random = SeededGenerator(seed: seed)
        let founder = Self.users[0]
        drafts.append(.founding(random.oneIn(3) ? founder.linked : founder.primary, rank: rank()))
        for _ in 0..<steps { step() }
        // Most are about owners' devices: others' change nothing.
        for _ in 0..<2 where random.oneIn(3) { revoke() }
    }

    /// What one delivery brings: consecutive entries of a log, behind those before them.
    struct Run {
        let draft: Int
        let range: Range<Int>
    }

    /// All entries in runs of random lengths, mixed at random; in each branch one after the other.
    mutating func runs() -> [Run] {
        var next = drafts.map { _ in 0 }
        var runs: [Run] = []
        while let draft = drafts.indices.filter({ next[$0] < drafts[$0].records.count }).randomElement(using: &random) {
            let end = Int.random(in: next[draft] + 1...drafts[draft].records.count, using: &random)
            runs.append(Run(draft: draft, range: next[draft]..<end))
            next[draft] = end
        }
        return runs
    }

    mutating func shuffled() -> [ControlLog] { drafts.map(\.log).shuffled(using: &random) }

    /// Every place that anybody wrote.
    var places: Set<LogPlace> { Set(drafts.flatMap(\.records).map(\.place)) }

    /// The places that removals of a user name.
    func cuts(of userID: UserID) -> Set<LogPlace> {
        drafts.flatMap(\.records).reduce(into: []) { cuts, record in
            if case .remove(userID, let places, _) = record.entry { cuts.formUnion(places) }
        }
    }

    /// Every branch adds more users than fit.
    mutating func addCrowd(_ users: [TestUser]) {
        for draft in drafts.indices { for user in users { drafts[draft].add(user) } }
    }

    // MARK: Steps

    private mutating func rank() -> UInt64 {
        nextRank += 1
        return UInt64.random(in: 0..<1000, using: &random) * 10_000 + nextRank
    }

    private mutating func step() {
        let draft = random.oneIn(3) ? Int.random(in: 0..<drafts.count, using: &random) : drafts.count - 1
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<12: write(to: draft)
        case 12..<14: branch(draft)
        case 14: pass(draft)
        case 15: handOver(draft)
        case 16..<19: takeOver(draft)
        default: claim(draft)
        }
    }

    private mutating func user() -> TestUser { Self.users[Int.random(in: 0..<Self.users.count, using: &random)] }

    private mutating func somePlace(of draft: Int) -> LogPlace {
        let records = drafts[draft].records
        return records[random.oneIn(2) ? records.count - 1 : Int.random(in: 0..<records.count, using: &random)].place
    }

    private mutating func write(to draft: Int) {
        let user = user()
        switch Int.random(in: 0..<12, using: &random) {
        case 0..<6:
            let removals = drafts.flatMap(\.records).filter { record in
                if case .remove(user.userID, _, _) = record.entry { true } else { false }
            }
            let named = random.oneIn(2) ? removals.randomElement(using: &random)?.place : nil
            drafts[draft].add(user, returnsAfter: named)
        case 6..<10:
            let cuts = (0..<2).filter { _ in random.oneIn(2) }.map { log in
                messagePlace(user, log: UInt64(log), UInt64.random(in: 1...9, using: &random))
            }
            drafts[draft].remove(user, cuts: cuts, reason: random.oneIn(4) ? .left : .removed)
        case 10: drafts[draft].update("\(draft)", counter: UInt64.random(in: 0..<9, using: &random))
        default:
            if random.oneIn(6) { drafts[draft].write(.closed) }
        }
    }

    /// An old copy of a device writes on.
    private mutating func branch(_ draft: Int) {
        let place = somePlace(of: draft)
        drafts.append(drafts[draft].copy(upTo: place))
        write(to: drafts.count - 1)
    }

    private mutating func pass(_ draft: Int) {
        let author = TestUser(number: number(of: drafts[draft]))
        let device = random.oneIn(2) ? author.linked : author.primary
        let place = drafts[draft].write(.pass(to: device.deviceID))
        if random.oneIn(2) { write(to: draft) }
        follow(draft, by: device, .pass, behind: place)
    }

    private mutating func handOver(_ draft: Int) {
        let user = user()
        let place = drafts[draft].write(.handOver(to: user.userID))
        if random.oneIn(3) { write(to: draft) }
        guard !random.oneIn(3) else { return }
        follow(draft, by: random.oneIn(2) ? user.linked : user.primary, .handOver, behind: place)
    }

    private mutating func takeOver(_ draft: Int) {
        let author = TestUser(number: number(of: drafts[draft]))
        let members = Self.users.filter { _ in !random.oneIn(3) }.map { ($0, somePlace(of: draft)) }
        let device = random.oneIn(3) ? author.secondPrimary : author.primary
        follow(draft, by: device, .takeover(members), behind: somePlace(of: draft))
    }

    /// A log that may follow nothing.
    private mutating func claim(_ draft: Int) {
        let user = user()
        let causes: [ControlBegin.Cause] = [.pass, .handOver, .full, .takeover([(user, drafts[draft].end)])]
        let cause = causes[Int.random(in: 0..<causes.count, using: &random)]
        follow(draft, by: random.oneIn(2) ? user.linked : user.primary, cause, behind: somePlace(of: draft))
    }

    private mutating func follow(
        _ draft: Int, by device: TestDevice, _ cause: ControlBegin.Cause, behind place: LogPlace
    ) {
        let heads = (0..<2).filter { _ in random.oneIn(3) }
            .map { _ in somePlace(of: Int.random(in: 0..<drafts.count, using: &random)) }
        drafts.append(drafts[draft].followed(by: device, rank: rank(), cause, behind: place, heads: heads))
        for _ in 0..<2 { write(to: drafts.count - 1) }
    }

    private mutating func revoke() {
        let draft = Int.random(in: 0..<drafts.count, using: &random)
        let cuts: Set<LogPlace> = random.oneIn(3) ? [] : [somePlace(of: draft)]
        revocations[drafts[draft].deviceID, default: []].formUnion(cuts)
    }

    private func number(of draft: ControlDraft) -> UInt64 {
        guard let user = Self.users.first(where: { $0.userID == draft.authorID }) else {
            preconditionFailure("users write the logs")
        }
        return user.number
    }
}
