// A node and its bots as services of swift-service-lifecycle: the trait ServiceLifecycle of this package. Without it nothing of
// that is here, and `run()` ends with its task alone.

#if ServiceLifecycle

    public import ServiceLifecycle
    import Synchronization

    extension Node: Service {
        /// What runs is cancelled when the group shuts the node down, and ends as it does when its task is cancelled.
        func untilGracefulShutdown(
            _ body: @escaping @Sendable () async throws(EarshotError) -> Void
        ) async throws(EarshotError) {
            // The bots hear that before they hear that the node ends.
            let result = await withGracefulShutdownHandler {
                await outcomeUntilGracefulShutdown(body)
            } onGracefulShutdown: {
                self.isShutDownByGroup.store(true, ordering: .releasing)
            }
            try result.get()
        }
    }

    extension Bot: Service {
        /// What runs is cancelled when the group shuts the bot down, and ends as it does when its task is cancelled.
        ///
        /// A group takes a service for failed that ends before its turn. Where it shuts the node down before the bot, the bot
        /// has nothing more to do when the node ends, and waits for its turn: no longer than handlers may take, because its
        /// task may belong to no group.
        func untilGracefulShutdown(
            _ body: @escaping @Sendable () async throws(EarshotError) -> Void
        ) async throws(EarshotError) {
            try await outcomeUntilGracefulShutdown(body).get()
            guard node.isShutDownByGroup.load(ordering: .acquiring) else { return }
            await withTaskGroup(of: Void.self) { group in
                // Both end with the task, too.
                group.addTask { try? await gracefulShutdown() }
                group.addTask { try? await Task.sleep(for: node.configuration.endingLimit) }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func outcomeUntilGracefulShutdown(
        _ body: @escaping @Sendable () async throws(EarshotError) -> Void
    ) async -> Result<Void, EarshotError> {
        await cancelWhenGracefulShutdown {
            do throws(EarshotError) { return .success(try await body()) } catch { return .failure(error) }
        }
    }

#else

    extension Node {
        func untilGracefulShutdown(_ body: () async throws(EarshotError) -> Void) async throws(EarshotError) {
            try await body()
        }
    }

    extension Bot {
        func untilGracefulShutdown(_ body: () async throws(EarshotError) -> Void) async throws(EarshotError) {
            try await body()
        }
    }

#endif
