import EarshotModel
import EarshotProtocol
import EarshotStore
import Logging

/// What the machine has to know of the history.
extension NodeShell {
    func read(_ read: EntriesRead) {
        storage.disk.read(read) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let entries): shell.perform { $0.entriesRead(read, entries: entries, now: $1) }
                case .failure(let error): shell.perform { $0.readFailed(read, error.message, now: $1) }
                }
            }
        }
    }

    func findExpired(_ logID: LogID, after: UInt64, _ clock: ExpiryClock) {
        storage.disk.findExpired(in: logID, after: after, by: clock) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let (sequences, nextExpiry)):
                    shell.perform {
                        $0.expiredFound(in: logID, sequences: sequences, nextExpiry: nextExpiry, now: $1)
                    }
                case .failure(let error):
                    shell.logger.error("expired messages cannot be found", metadata: ["error": "\(error)"])
                    shell.perform { $0.findExpiredFailed(in: logID, now: $1) }
                }
            }
        }
    }

    func readChains(_ read: ChainsRead) {
        storage.disk.readChains(read) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let chains): shell.perform { $0.chainsRead(read, chains: chains, now: $1) }
                case .failure(let error): shell.perform { $0.chainsReadFailed(read, error.message, now: $1) }
                }
            }
        }
    }

    func findKeys(_ keys: [EntryKey], for lookup: KeyLookup) {
        storage.disk.findKeys(keys) { [self] result in
            assumeIsolated { shell in
                switch result {
                case .success(let entries): shell.perform { $0.keysFound(lookup, entries, now: $1) }
                case .failure(let error): shell.perform { $0.findKeysFailed(lookup, error.message, now: $1) }
                }
            }
        }
    }
}
