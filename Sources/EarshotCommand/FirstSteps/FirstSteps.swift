import Earshot

/// What `earshot` alone does where there is no identity yet: which step follows which outcome. It asks nobody and does
/// nothing itself.
struct FirstSteps {
    enum Step: Equatable {
        /// - Parameters:
        ///   - suggestion: the name of somebody who only presses Enter.
        ///   - problem: what is wrong with the last answer.
        case askName(suggestion: String?, problem: String?)
        case makeIdentity(name: String)
        /// Whether the node is to run as a service.
        case askService(problem: String?)
        case installService
        case startDetached
        /// In a browser.
        case openPage
        /// Whether to talk on this terminal or to see the page's address, where no browser can be opened.
        case askFace(problem: String?)
        case printPage
        case chat
        case end(Ending)
    }

    enum Outcome: Equatable {
        case answered(String)
        /// What was typed cannot be read.
        case unreadable(String)
        /// The end of the input: somebody wants to leave.
        case left
        case done
        case failed
    }

    enum Ending: Equatable {
        /// Nothing was made.
        case noIdentity
        /// There is an identity, and no node runs.
        case noNode
        /// The node runs.
        case node
    }

    private enum State {
        case naming(tries: Int)
        case making
        case choosingService(tries: Int)
        case installing
        case starting
        case choosingFace(tries: Int)
        case showing
        case ended
    }

    /// Answers to one question. Who gives that many that are none is asked no more.
    static let mostTries = 3

    private let suggestion: String?
    private let hasUserManager: Bool
    private let hasDesktop: Bool
    private var state = State.naming(tries: 1)

    /// - Parameter login: suggested if a user may have this name.
    init(login: String, hasUserManager: Bool, hasDesktop: Bool) {
        suggestion = Self.problem(with: login) == nil ? login : nil
        self.hasUserManager = hasUserManager
        self.hasDesktop = hasDesktop
    }

    var first: Step { .askName(suggestion: suggestion, problem: nil) }

    /// What there is if it ends now.
    var ending: Ending {
        switch state {
        case .naming, .making: .noIdentity
        case .choosingService, .installing, .starting: .noNode
        case .choosingFace, .showing, .ended: .node
        }
    }

    mutating func next(after outcome: Outcome) -> Step {
        switch state {
        case .naming(let tries): named(outcome, tries)
        case .making: outcome == .done ? made() : end(.noIdentity)
        case .choosingService(let tries): choseService(outcome, tries)
        case .installing: outcome == .done ? started() : startDetached()
        case .starting: outcome == .done ? started() : end(.noNode)
        case .choosingFace(let tries): choseFace(outcome, tries)
        case .showing, .ended: end(.node)
        }
    }

    // MARK: - The name

    private mutating func named(_ outcome: Outcome, _ tries: Int) -> Step {
        switch outcome {
        case .answered(let text):
            let typed = Self.trimmed(text)
            let name = typed.isEmpty ? suggestion ?? "" : typed
            if let problem = Self.problem(with: name) { return askNameAgain(problem, tries) }
            state = .making
            return .makeIdentity(name: name)
        case .unreadable(let problem): return askNameAgain(problem, tries)
        case .left, .done, .failed: return end(.noIdentity)
        }
    }

    private mutating func askNameAgain(_ problem: String, _ tries: Int) -> Step {
        guard tries < Self.mostTries else { return end(.noIdentity) }
        state = .naming(tries: tries + 1)
        return .askName(suggestion: suggestion, problem: problem)
    }

    /// - Returns: `nil` for a name that a user may have.
    private static func problem(with text: String) -> String? {
        do throws(EarshotError) {
            return try UserName(typed: text).reservation.map { "a name \($0)" }
        } catch { return error.message }
    }

    private static func trimmed(_ text: String) -> String {
        let end = text.lastIndex { !$0.isWhitespace }.map(text.index(after:)) ?? text.startIndex
        return String(text[..<end].drop(while: \.isWhitespace))
    }

    // MARK: - The node

    private mutating func made() -> Step {
        guard hasUserManager else { return startDetached() }
        state = .choosingService(tries: 1)
        return .askService(problem: nil)
    }

    private mutating func choseService(_ outcome: Outcome, _ tries: Int) -> Step {
        switch Self.choice(outcome, first: ["y", "yes"], second: ["n", "no"]) {
        case .first:
            state = .installing
            return .installService
        case .second: return startDetached()
        case .neither where tries < Self.mostTries:
            state = .choosingService(tries: tries + 1)
            return .askService(problem: "yes or no?")
        // What changes less of the machine.
        case .neither: return startDetached()
        case .left: return end(.noNode)
        }
    }

    private mutating func startDetached() -> Step {
        state = .starting
        return .startDetached
    }

    // MARK: - The face

    private mutating func started() -> Step {
        state = hasDesktop ? .showing : .choosingFace(tries: 1)
        return hasDesktop ? .openPage : .askFace(problem: nil)
    }

    private mutating func choseFace(_ outcome: Outcome, _ tries: Int) -> Step {
        switch Self.choice(outcome, first: ["c", "chat"], second: ["p", "page"]) {
        case .first: return show(.chat)
        case .second: return show(.printPage)
        case .neither where tries < Self.mostTries:
            state = .choosingFace(tries: tries + 1)
            return .askFace(problem: "c or p?")
        case .neither, .left: return end(.node)
        }
    }

    private mutating func show(_ step: Step) -> Step {
        state = .showing
        return step
    }

    private mutating func end(_ ending: Ending) -> Step {
        state = .ended
        return .end(ending)
    }

    // MARK: - Choices

    private enum Choice { case first, second, neither, left }

    /// Who only presses Enter takes the first.
    private static func choice(_ outcome: Outcome, first: Set<String>, second: Set<String>) -> Choice {
        switch outcome {
        case .answered(let text):
            let word = trimmed(text).lowercased()
            return word.isEmpty || first.contains(word) ? .first : second.contains(word) ? .second : .neither
        case .unreadable: return .neither
        case .left, .done, .failed: return .left
        }
    }
}
