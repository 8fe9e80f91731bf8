import Testing

@testable import EarshotCommand

@Suite("The first steps")
struct FirstStepsTests {
    private typealias Step = FirstSteps.Step

    /// Each outcome, and the step that follows it.
    private static func walk(
        _ steps: inout FirstSteps, _ way: [(FirstSteps.Outcome, Step)], _ location: SourceLocation = #_sourceLocation
    ) {
        for (outcome, step) in way {
            let next = steps.next(after: outcome)
            #expect(next == step, sourceLocation: location)
        }
    }

    @Test("lead from a name to a service and the page")
    func wholeWay() {
        var steps = FirstSteps(login: "alice", hasUserManager: true, hasDesktop: true)
        #expect(steps.first == .askName(suggestion: "alice", problem: nil) && steps.ending == .noIdentity)
        Self.walk(&steps, [(.answered(""), .makeIdentity(name: "alice")), (.done, .askService(problem: nil))])
        #expect(steps.ending == .noNode)
        Self.walk(&steps, [(.answered(""), .installService), (.done, .openPage)])
        #expect(steps.ending == .node)
        Self.walk(&steps, [(.done, .end(.node))])
    }

    @Test("lead to a node in the background where there is no user manager, and to the terminal where no desktop is")
    func plainWay() {
        var steps = FirstSteps(login: "alice", hasUserManager: false, hasDesktop: false)
        Self.walk(
            &steps,
            [
                (.answered(" bob\t"), .makeIdentity(name: "bob")), (.done, .startDetached),
                (.done, .askFace(problem: nil)), (.answered(""), .chat), (.done, .end(.node)),
            ])
    }

    @Test(
        "explain what is no name, and ask again, up to a limit",
        arguments: ["a@b", "#ops", "a\u{202e}b", String(repeating: "x", count: 65)])
    func invalidName(name: String) {
        var steps = FirstSteps(login: "alice", hasUserManager: false, hasDesktop: false)
        for _ in 1..<FirstSteps.mostTries {
            let next = steps.next(after: .answered(name))
            guard case .askName("alice", let problem?) = next else { return #expect(Bool(false), "\(next)") }
            #expect(problem.hasPrefix("a name "))
        }
        Self.walk(&steps, [(.answered(name), .end(.noIdentity))])
    }

    @Test("suggest no login name that is no user's name, and then take no empty answer")
    func noSuggestion() {
        var steps = FirstSteps(login: "corp/alice", hasUserManager: false, hasDesktop: false)
        #expect(steps.first == .askName(suggestion: nil, problem: nil))
        Self.walk(
            &steps,
            [
                (.answered(" "), .askName(suggestion: nil, problem: "a name has at least one character")),
                (.unreadable("no UTF-8"), .askName(suggestion: nil, problem: "no UTF-8")), (.left, .end(.noIdentity)),
            ])
    }

    @Test("end when the identity cannot be made, and when the node cannot be started, and keep what there is")
    func failures() {
        var steps = FirstSteps(login: "alice", hasUserManager: false, hasDesktop: false)
        Self.walk(&steps, [(.answered(""), .makeIdentity(name: "alice")), (.failed, .end(.noIdentity))])
        steps = FirstSteps(login: "alice", hasUserManager: false, hasDesktop: false)
        Self.walk(
            &steps,
            [(.answered(""), .makeIdentity(name: "alice")), (.done, .startDetached), (.failed, .end(.noNode))])
    }

    @Test(
        "start the node in the background where the service cannot be installed, and end where the page cannot be opened"
    )
    func nextBest() {
        var steps = FirstSteps(login: "alice", hasUserManager: true, hasDesktop: true)
        Self.walk(
            &steps,
            [
                (.answered(""), .makeIdentity(name: "alice")), (.done, .askService(problem: nil)),
                (.answered("YES"), .installService), (.failed, .startDetached), (.done, .openPage),
                (.failed, .end(.node)),
            ])
    }

    @Test("take a no to the service, and what is neither yes nor no for a no after a few tries")
    func noService() {
        var steps = FirstSteps(login: "alice", hasUserManager: true, hasDesktop: true)
        Self.walk(
            &steps,
            [
                (.answered(""), .makeIdentity(name: "alice")), (.done, .askService(problem: nil)),
                (.answered("n"), .startDetached),
            ])
        steps = FirstSteps(login: "alice", hasUserManager: true, hasDesktop: true)
        Self.walk(
            &steps,
            [
                (.answered(""), .makeIdentity(name: "alice")), (.done, .askService(problem: nil)),
                (.answered("perhaps"), .askService(problem: "yes or no?")),
                (.unreadable("x"), .askService(problem: "yes or no?")), (.answered("what"), .startDetached),
            ])
    }

    @Test("can be left at each question, and what was done stays")
    func leaving() {
        var steps = FirstSteps(login: "alice", hasUserManager: true, hasDesktop: false)
        Self.walk(
            &steps,
            [
                (.answered(""), .makeIdentity(name: "alice")), (.done, .askService(problem: nil)),
                (.left, .end(.noNode)),
            ])
        steps = FirstSteps(login: "alice", hasUserManager: false, hasDesktop: false)
        Self.walk(
            &steps,
            [
                (.answered(""), .makeIdentity(name: "alice")), (.done, .startDetached), (.done, .askFace(problem: nil)),
                (.left, .end(.node)),
            ])
    }
}
