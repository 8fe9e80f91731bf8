import ArgumentParser
import Foundation
import Synchronization

/// Ctrl-C during the first steps: a question is left at once, and work is done to its end. A second one ends that, too.
final class StepInterruption: Sendable {
    private enum State {
        case asking(FirstSteps.Ending)
        case working
        case interrupted(Int32)
    }

    private let state: Mutex<State>
    private let farewell: @Sendable (FirstSteps.Ending) -> String
    private let observation = Mutex<SignalObservation?>(nil)

    /// - Parameter farewell: what is said to somebody who leaves.
    init(farewell: @escaping @Sendable (FirstSteps.Ending) -> String) {
        state = Mutex(.asking(.noIdentity))
        self.farewell = farewell
        observation.withLock { observation in
            observation = Signals.onFirst([SIGINT, SIGTERM, SIGHUP]) { [weak self] in self?.signalled($0) }
        }
    }

    private func signalled(_ number: Int32) {
        state.withLock { state in
            switch state {
            case .asking(let ending):
                StandardError.write("\n\(farewell(ending))\n")
                exit(128 + number)
            case .working: state = .interrupted(number)
            case .interrupted: exit(128 + number)
            }
        }
    }

    func begin(isWork: Bool, ending: FirstSteps.Ending) {
        state.withLock { $0 = isWork ? .working : .asking(ending) }
    }

    /// Ends the program if there was a signal during the work.
    /// - Throws: `ExitCode`.
    func check(_ ending: FirstSteps.Ending) throws {
        let number: Int32? = state.withLock { if case .interrupted(let number) = $0 { number } else { nil } }
        guard let number else { return }
        StandardError.write("\n\(farewell(ending))\n")
        throw ExitCode(128 + number)
    }

    /// Signals have their usual effect again.
    func cancel() {
        observation.withLock { observation in
            observation?.cancel()
            observation = nil
        }
    }
}
