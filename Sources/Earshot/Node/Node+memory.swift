import Dispatch
import EarshotStore

extension Node {
    /// Gives back memory that only makes reading and writing quicker: what the databases have read, and their prepared
    /// statements.
    package func releaseMemory() async {
        await withCheckedContinuation { continuation in
            historyQueue.async { [store] in
                store.releaseMemory()
                continuation.resume()
            }
        }
        await search.releaseMemory()
    }
}
