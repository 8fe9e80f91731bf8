import EarshotCrypto
import EarshotProtocol
import EarshotStore
import Foundation

extension Home {
    /// Writes a user into one file that is encrypted under a passphrase: identity, device keys, credential, network key,
    /// trust and the whole history, without files.
    ///
    /// A node may run meanwhile, and is not held up; the history is that of one moment. A sealed identity stays sealed
    /// with its own passphrase inside the backup.
    /// - Throws: `EarshotError` `fileExists`, `unusableFile`, `notInitialized`, `needsPrimary`, `looseHome`,
    ///   `unusableHome`, `storeDamaged`, `storeFull`, `storeUnavailable`. In each case no file was written.
    @discardableResult
    public func export(to path: String, passphrase: Passphrase) throws(EarshotError) -> BackupSummary {
        try export(to: path, passphrase: passphrase, work: WorkFiles())
    }

    /// - Parameter work: removes temporary files if the process is interrupted.
    @discardableResult
    package func export(
        to path: String, passphrase: Passphrase, work: WorkFiles
    ) throws(EarshotError) -> BackupSummary {
        try check()
        // A backup is good for making a device of the user again, and only the identity can vouch for one.
        guard !isLinked else { throw Self.needsPrimary }
        try requireNoLeftovers()
        let writer = try BackupWriter(path: path, passphrase: passphrase, work: work)
        let credential = try readCredential()
        let manifest = BackupManifest(createdAt: Self.now, userID: credential.userID, deviceID: credential.deviceID)
        try writer.append(.manifest, manifest.encoded())
        for part in [BackupPart.identity, .device, .credential, .network] {
            guard let file = part.file(of: self), access(file, F_OK) == 0 else { continue }
            try writer.append(part, try PrivateFile.read(file))
        }
        let contents = try appendHistory(to: writer, credential, work)
        try writer.finish()
        return BackupSummary(credential, createdAt: manifest.createdAt, contents)
    }

    private func appendHistory(
        to writer: BackupWriter, _ credential: Credential, _ work: WorkFiles
    ) throws(EarshotError) -> BackupContents {
        guard access(databaseFile, F_OK) == 0 else { return BackupContents() }
        let place = copyPlace()
        try work.makeDirectory(place)
        defer { work.discard(place) }
        let copy = place + "/history.db"
        let contents: BackupContents
        do {
            try Store.copy(file: databaseFile, to: copy)
            let store = try Store(path: copy)
            contents = try BackupContents(store, deviceID: credential.deviceID)
            try store.close()
        } catch { throw EarshotError(error) }
        try writer.append(.history, file: copy)
        return contents
    }
}

/// The history's part of a summary.
struct BackupContents {
    var entryCount = 0
    var undelivered: [UndeliveredMessage] = []
    var undeliveredCount = 0
    var scheduledCount = 0

    init() {}

    init(_ store: Store, deviceID: DeviceID) throws(StoreError) {
        entryCount = try store.entryCount()
        undeliveredCount = Int(clamping: try store.waiting(of: deviceID).values.reduce(0, +))
        scheduledCount = try store.scheduledCount()
        let names = Dictionary(uniqueKeysWithValues: try store.snapshot().users.map { ($0.userID, $0.name) })
        undelivered = try store.undelivered(of: deviceID, limit: BackupSummary.listedLimit)
            .map { UndeliveredMessage($0, name: names[$0.recipientID]) }
    }
}

extension UndeliveredMessage {
    init(_ row: UndeliveredRow, name: UserName?) {
        var text = ""
        if case .body(let bytes) = row.entry.content, let body = try? EntryBody(decoding: bytes),
            case .text(let written) = body.content
        {
            text = written.text
        }
        self.init(
            messageID: MessageID(log: row.log.logID, sequence: row.entry.sequence), recipientID: row.recipientID,
            recipientName: name, text: text, timestamp: row.entry.timestamp.milliseconds)
    }
}

extension BackupSummary {
    init(_ credential: Credential, createdAt: Int64, _ contents: BackupContents) {
        self.init(
            userID: credential.userID, name: credential.name, deviceID: credential.deviceID,
            createdMilliseconds: createdAt,
            entryCount: contents.entryCount, undelivered: contents.undelivered,
            undeliveredCount: contents.undeliveredCount, scheduledCount: contents.scheduledCount)
    }
}
