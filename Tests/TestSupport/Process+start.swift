import Foundation

extension Process {
    /// Runs it so that signals reach it. The threads of Swift's tasks block all of them, and a program gets that from the
    /// thread that starts it: SIGTERM would never end it.
    package func start() throws {
        var (none, before) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try run()
    }
}
