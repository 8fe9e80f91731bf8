import EarshotStore
import Logging

extension Node {
    /// How long it waits before it tries once more to overwrite what was erased.
    private static let overwritingPause = Duration.seconds(1)

    /// Overwrites what was erased, and what could not be overwritten at once because somebody was reading, or the disk was full.
    /// What is left when the node stops is overwritten when the file is closed.
    func overwriteErased() async {
        for await _ in store.erasures.owed {
            var isOwed = true
            while isOwed {
                do throws(EarshotError) { isOwed = try await overwriteOnce() } catch {
                    configuration.logger.debug(
                        "what was erased is not overwritten yet", metadata: ["error": "\(error)"])
                }
                guard isOwed else { break }
                do { try await Task.sleep(for: Self.overwritingPause) } catch { return }
            }
        }
    }

    /// - Returns: whether something was in the way.
    private func overwriteOnce() async throws(EarshotError) -> Bool {
        let store = store
        return try await writingHome { () throws(EarshotError) in
            do throws(StoreError) { return try store.overwriteDeleted() != .done } catch { throw EarshotError(error) }
        }
    }
}
