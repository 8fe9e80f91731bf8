import EarshotModel

extension SearchKeeper {
    /// Follows the history until the task is cancelled.
    ///
    /// Commits come first: after one it waits until there is none for a moment, and between two steps it lets those go on
    /// that came meanwhile.
    nonisolated func run(commits: CommitSignal) async {
        let (signals, end) = commits.waiter()
        defer { end.finish() }
        var iterator = signals.makeAsyncIterator()
        var failure: EarshotError.Code?
        repeat {
            do {
                try await Self.untilQuiet(commits)
                try await follow(commits)
                failure = nil
            } catch let error as EarshotError {
                // One that lasts is told once.
                if error.code != failure { tell(error) }
                failure = error.code
            } catch { return }
        } while await iterator.next() != nil
    }

    private nonisolated func follow(_ commits: CommitSignal) async throws {
        var seen = commits.signalCount
        while try await followStep() {
            try Task.checkCancellation()
            let count = commits.signalCount
            if count != seen { try await Task.sleep(for: Self.pause) }
            seen = count
        }
    }

    /// Returns when there were no commits for a moment, or when they do not end.
    private static nonisolated func untilQuiet(_ commits: CommitSignal) async throws {
        for _ in 0..<Int(patience / quiet) {
            let count = commits.signalCount
            try await Task.sleep(for: quiet)
            if commits.signalCount == count { return }
        }
    }
}
