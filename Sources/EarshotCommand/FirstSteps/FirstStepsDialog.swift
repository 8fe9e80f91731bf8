import ArgumentParser
import Earshot
import EarshotGateway
import Foundation

/// Asks for what `FirstSteps` wants to know, and does what it says.
struct FirstStepsDialog {
    let home: Home
    /// The options that name the home, for other commands.
    let homeOptions: [String]
    let output: Output

    /// - Throws: `Failure` and others, for what ended it; a step that another one can take the place of is only reported.
    func run() async throws {
        // A home in which no node could run must not be made.
        _ = try GatewayClient(home: home)
        let hasUserManager = await UserService.isManaged()
        var steps = FirstSteps(login: NSUserName(), hasUserManager: hasUserManager, hasDesktop: Web.hasDesktop)
        let interruption = StepInterruption { Self.farewell($0) }
        defer { interruption.cancel() }
        greet()
        var step = steps.first
        while true {
            if case .end(let ending) = step { return output.line(Self.farewell(ending)) }
            if step == .chat { interruption.cancel() }
            interruption.begin(isWork: Self.isWork(step), ending: steps.ending)
            let outcome: FirstSteps.Outcome
            do { outcome = try await take(step) } catch {
                try interruption.check(steps.ending)
                step = steps.next(after: .failed)
                if case .end(let ending) = step {
                    if ending != .noIdentity { output.line(Self.farewell(ending)) }
                    throw error
                }
                output.report(Failure(error))
                continue
            }
            step = steps.next(after: outcome)
            try interruption.check(steps.ending)
        }
    }

    private func greet() {
        output.line("Welcome to Earshot: messages to the people on your network, without a server or an account.")
        output.line("Who has an identity on another machine leaves here (Ctrl-C), and says: earshot init --join")
    }

    /// A signal does not interrupt work, which would leave half of something.
    private static func isWork(_ step: FirstSteps.Step) -> Bool {
        switch step {
        case .makeIdentity, .installService, .startDetached: true
        case .askName, .askService, .openPage, .askFace, .printPage, .chat, .end: false
        }
    }

    private func take(_ step: FirstSteps.Step) async throws -> FirstSteps.Outcome {
        switch step {
        case .askName(let suggestion, let problem):
            return try await ask("Your name, as others see it\(suggestion.map { " [\($0)]" } ?? ""): ", problem)
        case .askService(let problem):
            return try await ask("Shall your node run as a service, from each login on? [Y/n] ", problem)
        case .askFace(let problem):
            return try await ask(
                "There is no desktop to open the page on. Talk on this terminal, or see the page's address? [C/p] ",
                problem)
        case .makeIdentity(let name): try make(name)
        case .installService: try await installService()
        case .startDetached: try await DetachedNode.start(home, arguments: homeOptions, output)
        case .openPage: try await Web.open(GatewayClient(home: home), isShown: true, output)
        case .printPage: try await Web.open(GatewayClient(home: home), isShown: false, output)
        case .chat: try await Chat.asyncParse(homeOptions).execute(output)
        case .end: break
        }
        return .done
    }

    private func ask(_ question: String, _ problem: String?) async throws -> FirstSteps.Outcome {
        if let problem { StandardError.write("\(SafeText.line(problem))\n") }
        StandardError.write(SafeText.line(question))
        do {
            guard let line = try await StandardInput().line() else {
                StandardError.write("\n")
                return .left
            }
            return .answered(line)
        } catch let failure as Failure { return .unreadable(failure.message) }
    }

    private func make(_ name: String) throws {
        let userID = try home.create(name: name)
        output.line("made the identity of \(output.style.bold(SafeText.line(name))) in \(SafeText.line(home.path))")
        output.line("fingerprint: \(userID.fingerprint)")
    }

    private func installService() async throws {
        let service = UserService(home)
        do { try await service.install(output) } catch {
            await service.discard(output)
            throw error
        }
    }

    private static func farewell(_ ending: FirstSteps.Ending) -> String {
        switch ending {
        case .noIdentity: "nothing was made; begin anew with: earshot"
        case .noNode: "your identity is made, and no node runs; to start it: earshot up --detach"
        case .node: "your node goes on; what is next: earshot users, earshot chat, earshot web, earshot --help"
        }
    }
}
