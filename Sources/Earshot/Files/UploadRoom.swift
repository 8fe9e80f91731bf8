import Synchronization

/// With which limited token something is uploaded, and how much of it may wait for a message that brings it along.
package struct Uploader: Hashable, Sendable {
    package let token: String
    /// In bytes.
    package let limit: UInt64

    package init(token: String, limit: UInt64) { (self.token, self.limit) = (token, limit) }
}

/// Keeps uploads within what there is room for, those that are under way at once, too.
final class UploadRoom: Sendable {
    /// What was taken of a limit when nothing was under way, and since.
    private struct Account {
        let base: UInt64
        var added: UInt64 = 0
        var uploads = 0
    }

    /// `nil` is the account of all, whose limit is the quota of files.
    private let accounts = Mutex<[String?: Account]>([:])

    /// One upload's part of it. What is not finished gives its room back with the last reference to it.
    final class Place: Sendable {
        private struct State {
            var byteCount: UInt64 = 0
            var isFinished = false
        }

        private let room: UploadRoom
        private let uploader: Uploader?
        private let quotaBytes: UInt64?
        private let state = Mutex(State())

        fileprivate init(_ room: UploadRoom, _ uploader: Uploader?, quotaBytes: UInt64?) {
            (self.room, self.uploader, self.quotaBytes) = (room, uploader, quotaBytes)
        }

        deinit {
            let (byteCount, isFinished) = state.withLock { ($0.byteCount, $0.isFinished) }
            room.end(uploader, returning: isFinished ? 0 : byteCount)
        }

        /// So much more comes.
        /// - Throws: `EarshotError` `storeFull`.
        func take(_ byteCount: UInt64) throws(EarshotError) {
            try room.take(byteCount, uploader, quotaBytes: quotaBytes)
            state.withLock { $0.byteCount += byteCount }
        }

        /// Whether anything may come at all.
        /// - Throws: `EarshotError` `storeFull`.
        func check() throws(EarshotError) { try room.check(1, uploader, quotaBytes: quotaBytes) }

        /// It is held now.
        func finish() { state.withLock { $0.isFinished = true } }
    }

    /// - Parameters:
    ///   - uploader: `nil` for whoever may do everything.
    ///   - unsentBytes: what the uploader has uploaded and no message brings along.
    ///   - usedBytes: what the files have that are here or on their way.
    ///   - quotaBytes: what they may have; `nil` for as much as the disk takes.
    func begin(_ uploader: Uploader?, unsentBytes: UInt64, usedBytes: UInt64, quotaBytes: UInt64?) -> Place {
        accounts.withLock { accounts in
            accounts[nil, default: Account(base: usedBytes)].uploads += 1
            if let uploader { accounts[uploader.token, default: Account(base: unsentBytes)].uploads += 1 }
        }
        return Place(self, uploader, quotaBytes: quotaBytes)
    }

    private func check(_ byteCount: UInt64, _ uploader: Uploader?, quotaBytes: UInt64?) throws(EarshotError) {
        let accounts = accounts.withLock { $0 }
        try Self.check(byteCount, uploader, quotaBytes: quotaBytes, accounts)
    }

    private func take(_ byteCount: UInt64, _ uploader: Uploader?, quotaBytes: UInt64?) throws(EarshotError) {
        try accounts.withLock { accounts throws(EarshotError) in
            try Self.check(byteCount, uploader, quotaBytes: quotaBytes, accounts)
            accounts[nil]?.added += byteCount
            if let uploader { accounts[uploader.token]?.added += byteCount }
        }
    }

    private static func check(
        _ byteCount: UInt64, _ uploader: Uploader?, quotaBytes: UInt64?, _ accounts: [String?: Account]
    ) throws(EarshotError) {
        if let quotaBytes, let all = accounts[nil], all.base + all.added + byteCount > quotaBytes {
            throw EarshotError(
                .storeFull,
                "the quota for files, \(quotaBytes) bytes, has no room for this one: raise it, or remove some files")
        }
        if let uploader, let own = accounts[uploader.token], own.base + own.added + byteCount > uploader.limit {
            throw EarshotError(
                .storeFull,
                "what the token \(uploader.token) has uploaded and no message brings along may have \(uploader.limit) "
                    + "bytes: send its drafts, or remove files; what nothing needs is removed after a day",
                .init(limit: Int(clamping: uploader.limit)))
        }
    }

    private func end(_ uploader: Uploader?, returning byteCount: UInt64) {
        accounts.withLock { accounts in
            var names: [String?] = [nil]
            if let uploader { names.append(uploader.token) }
            for name in names {
                guard var account = accounts[name] else { continue }
                account.added -= min(account.added, byteCount)
                account.uploads -= 1
                accounts[name] = account.uploads > 0 ? account : nil
            }
        }
    }
}
