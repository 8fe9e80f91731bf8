import EarshotCrypto
import EarshotProtocol
import EarshotStore
import Foundation

extension Home {
    /// Makes this home directory from a backup. The directory must be empty or not exist.
    ///
    /// The import assembles and checks everything beside its final place, and moves it there in one step. After an
    /// error nothing is left here.
    /// - Parameters:
    ///   - file: the path of the backup.
    ///   - passphrase: the passphrase that the backup was made with.
    ///   - device: the device that it becomes; see `RestoredDevice`.
    ///   - identityPassphrase: opens an identity whose passphrase is not that of the backup. Only a new device needs
    ///     it, to issue its credential.
    /// - Throws: `EarshotError` `wrongPassphrase`, `backupDamaged`, `backupNewer`, `unusableFile`, `alreadyInitialized`,
    ///   `passphraseNeeded`, `unusableHome`.
    @discardableResult
    public func restore(
        from file: String, passphrase: Passphrase, as device: RestoredDevice = .new,
        identityPassphrase: Passphrase? = nil
    ) throws(EarshotError) -> BackupSummary {
        try restore(
            from: file, passphrase: passphrase, as: device, identityPassphrase: identityPassphrase, work: WorkFiles())
    }

    /// - Parameter work: removes what is on the disk meanwhile for a process that is interrupted.
    @discardableResult
    package func restore(
        from file: String, passphrase: Passphrase, as device: RestoredDevice, identityPassphrase: Passphrase?,
        work: WorkFiles
    ) throws(EarshotError) -> BackupSummary {
        try requireNoLeftovers()
        try checkIsFree()
        let reader = try BackupReader(path: file, passphrase: passphrase.secret)
        let staging = try makeStaging(work)
        do throws(EarshotError) {
            let manifest = try staging.unpack(reader, from: file)
            let old = try staging.readCredential()
            let keys = try staging.readDevice()
            guard old.userID.description == manifest.userID, old.deviceID.description == manifest.deviceID,
                old.deviceID == DeviceID(keys.signing.publicKey)
            else { throw EarshotError.backupDamaged(file, "its parts are not of one device") }
            let contents = try staging.takeHistory(old, of: file)
            switch device {
            case .same: try staging.beginNewLogs(of: old.deviceID)
            case .new:
                try staging.becomeNewDevice(
                    replacing: old, identity: staging.identity(of: old, [passphrase, identityPassphrase]))
            }
            try staging.move(to: self)
            work.release(staging.path)
            return BackupSummary(old, createdAt: manifest.createdAt, contents)
        } catch {
            throw staging.removed(after: error, work)
        }
    }

    private func checkIsFree() throws(EarshotError) {
        try PrivateFile.checkPath(path, of: "home directory", orThrow: .unusableHome)
        try checkPlace()
        guard access(path, F_OK) == 0 else { return }
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw EarshotError(
                .unusableHome, "\(path) is not a directory that can be read", .init(.notADirectory, path: path),
                cause: error)
        }
        guard names.isEmpty else {
            throw EarshotError(
                .alreadyInitialized, "\(path) is not empty, and nothing in it is overwritten",
                .init(.notEmpty, path: path))
        }
    }

    /// Makes a directory beside this one, for its owner alone.
    private func makeStaging(_ work: WorkFiles) throws(EarshotError) -> Home {
        let staging = Home(path: stagingPlace())
        if let error = PrivateFile.makeDirectories(PrivateFile.directory(of: staging.path), mode: 0o777) {
            throw EarshotError(
                .unusableHome, "the home directory \(path) cannot be made: \(PrivateFile.words(for: error))",
                .init(.unwritable, path: path, systemError: error))
        }
        do { try work.makeDirectory(staging.path) } catch {
            guard error.code != .stopped else { throw error }
            throw EarshotError(
                .unusableHome, "the home directory \(path) cannot be made: \(error.message)",
                .init(.unwritable, path: path), cause: error)
        }
        return staging
    }

    /// Removes what was assembled.
    /// - Returns: the error, which names what could not be removed, because keys are in it.
    private func removed(after error: EarshotError, _ work: WorkFiles) -> EarshotError {
        guard !work.discard(path) else { return error }
        return EarshotError(
            error.code, "\(error.message); and \(path) cannot be removed",
            .init(.leftover, path: path), cause: error)
    }

    private func move(to home: Home) throws(EarshotError) {
        PrivateFile.synchronizeDirectory(of: identityFile)
        // rename(2) replaces an empty directory, and nothing else.
        guard rename(path, home.path) == 0 else { throw EarshotError.unusableFile(home.path, "written") }
        PrivateFile.synchronizeDirectory(of: home.path)
    }

    // MARK: - What is in the backup

    private func unpack(_ reader: BackupReader, from file: String) throws(EarshotError) -> BackupManifest {
        guard let (first, count) = try reader.nextPart(), first == .manifest else {
            throw EarshotError.backupDamaged(file, "it does not begin with its manifest")
        }
        let manifest = try BackupManifest(decoding: try reader.bytes(Int(count)), of: file)
        while let (part, count) = try reader.nextPart() {
            guard let target = part.file(of: self) else { throw EarshotError.backupDamaged(file, "a part is doubled") }
            try reader.copy(count, to: target)
        }
        for needed in [identityFile, deviceFile, credentialFile] where access(needed, F_OK) != 0 {
            throw EarshotError.backupDamaged(file, "a part of it is missing")
        }
        return manifest
    }

    /// Checks the history. Whatever home it was in, it gets a generation of its own.
    private func takeHistory(_ credential: Credential, of file: String) throws(EarshotError) -> BackupContents {
        guard access(databaseFile, F_OK) == 0 else { return BackupContents() }
        return try withHistory { store throws(StoreError) -> Result<BackupContents, EarshotError> in
            guard let finding = try store.integrityFindings().first else {
                try store.leaveHome()
                return .success(try BackupContents(store, deviceID: credential.deviceID))
            }
            return .failure(EarshotError.backupDamaged(file, "its history is damaged: \(finding)"))
        }.get()
    }

    private func withHistory<T>(_ body: (Store) throws(StoreError) -> T) throws(EarshotError) -> T {
        do {
            let store = try Store(path: databaseFile)
            let result = try body(store)
            try store.close()
            return result
        } catch { throw EarshotError(error) }
    }

    private func identity(
        of credential: Credential, _ passphrases: [Passphrase?]
    ) throws(EarshotError) -> SigningKey {
        guard try isSealed else { return try readIdentity(passphrase: nil) }
        for passphrase in passphrases.compactMap(\.self) {
            do { return try readIdentity(passphrase: passphrase.secret) } catch {
                guard error.code == .wrongPassphrase else { throw error }
            }
        }
        guard passphrases.last == .some(nil) else {
            throw EarshotError(
                .wrongPassphrase, "neither passphrase opens the identity in the backup")
        }
        throw EarshotError(
            .passphraseNeeded,
            "the identity in the backup is sealed with a passphrase of its own, and a new device needs it",
            .init(.sealedInBackup))
    }

    // MARK: - As which device

    /// Makes the keys of a new device. What the old device wrote is history. The new device holds the logs of others
    /// too, so it signs the old device's receipts for them anew.
    private func becomeNewDevice(replacing old: Credential, identity: SigningKey) throws(EarshotError) {
        guard UserID(identity.publicKey) == old.userID else {
            throw EarshotError(.unusableHome, "the identity in the backup is not that of its credential")
        }
        let keys = DeviceKeys(signing: .generate(), agreement: .generate())
        let credential = issue(name: old.name, identity: identity, keys: keys, now: Self.now)
        if access(databaseFile, F_OK) == 0 {
            try withHistory { store throws(StoreError) in
                let receipts = try store.snapshot().deliveries.compactMap {
                    $0.recipientID == old.userID ? $0.signed(by: keys.signing, credential.deviceID) : nil
                }
                try store.replaceDevice(old.deviceID, credential: old.encoded(), receipts: receipts)
            }
        }
        try write(keys, to: deviceFile)
        try writeCredential(credential)
    }

    /// Begins a new log after each that the device wrote. So no log is forked, whatever the device has written after
    /// the backup, and what waited in the old logs is delivered from there.
    private func beginNewLogs(of deviceID: DeviceID) throws(EarshotError) {
        guard access(databaseFile, F_OK) == 0 else { return }
        let now = UInt64(max(1, Self.now))
        try withHistory { store throws(StoreError) in
            var newest: [ConversationID: LogRecord] = [:]
            for log in try store.snapshot().logs where log.description.deviceID == deviceID {
                let conversationID = log.description.conversationID
                if log.description.epoch >= newest[conversationID]?.description.epoch ?? 0 {
                    newest[conversationID] = log
                }
            }
            var commit = Commit()
            commit.logs = newest.values.map { $0.next(epoch: max(now, $0.description.epoch + 1)) }
            try store.commit(commit)
        }
    }
}

extension DeliveryRecord {
    /// The same receipt, signed by another device; `nil` if there is none.
    fileprivate func signed(by key: SigningKey, _ deviceID: DeviceID) -> DeliveryRecord? {
        guard let old = progress.receipt else { return nil }
        var record = self
        record.progress.receipt = .sign(
            logID: old.logID, sequence: old.sequence, chain: old.chain, readSequence: old.readSequence,
            handledSequence: old.handledSequence, deviceID: deviceID, with: key)
        return record
    }
}

extension LogRecord {
    fileprivate func next(epoch: UInt64) -> LogRecord {
        let next = LogDescription(
            conversationID: description.conversationID, deviceID: description.deviceID, epoch: epoch)
        return LogRecord(
            description: next, authorID: authorID, conversation: conversation, head: .origin(of: next.logID))
    }
}
