import Foundation

/// The parts of a backup, in this order. docs/BACKUP.md has the bytes.
enum BackupPart: String, CaseIterable {
    case manifest, identity, device, credential, network, history

    /// Key files and the manifest are far smaller.
    static let maximumSmallBytes = PrivateFile.maximumBytes

    /// The greatest number of bytes that a part may claim to have.
    var maximumBytes: UInt64 { self == .history ? UInt64(Int64.max) : UInt64(Self.maximumSmallBytes) }

    func file(of home: Home) -> String? {
        switch self {
        case .manifest: nil
        case .identity: home.identityFile
        case .device: home.deviceFile
        case .credential: home.credentialFile
        case .network: home.networkFile
        case .history: home.databaseFile
        }
    }

    /// The heading of a part: the length of its name, its name, its length.
    func heading(count: UInt64) -> [UInt8] {
        let name = Array(rawValue.utf8)
        return [UInt8(name.count)] + name + withUnsafeBytes(of: count.bigEndian) { Array($0) }
    }
}

/// The first part of a backup.
struct BackupManifest: Codable {
    /// The format of the parts. A reader refuses a format greater than its own.
    var format = Self.currentFormat
    /// Milliseconds since 1970.
    let createdAt: Int64
    let userID: String
    let deviceID: String

    static let currentFormat = 1

    func encoded() throws(EarshotError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do { return Array(try encoder.encode(self)) } catch {
            throw EarshotError(.internalError, "the manifest of a backup cannot be encoded: \(error)", cause: error)
        }
    }

    /// - Throws: `EarshotError` `backupNewer` or `backupDamaged`.
    init(decoding bytes: [UInt8], of path: String) throws(EarshotError) {
        struct Format: Decodable { let format: Int }
        do {
            let format = try JSONDecoder().decode(Format.self, from: Data(bytes)).format
            guard format <= Self.currentFormat else { throw EarshotError.backupNewer(path) }
            self = try JSONDecoder().decode(Self.self, from: Data(bytes))
        } catch let error as EarshotError { throw error } catch {
            throw EarshotError.backupDamaged(path, "its manifest cannot be read", cause: error)
        }
    }

    init(createdAt: Int64, userID: UserID, deviceID: DeviceID) {
        self.createdAt = createdAt
        self.userID = userID.description
        self.deviceID = deviceID.description
    }
}

extension EarshotError {
    static func backupNewer(_ path: String) -> EarshotError {
        EarshotError(
            .backupNewer, "\(path) was written by a newer version of this program", .init(path: path))
    }

    static func backupDamaged(_ path: String, _ reason: String, cause: (any Error)? = nil) -> EarshotError {
        EarshotError(
            .backupDamaged, "\(path) cannot be restored: \(reason)",
            .init(path: path), cause: cause)
    }

    static func unusableFile(_ path: String, _ verb: String) -> EarshotError {
        let number = errno
        return EarshotError(
            .unusableFile, "\(path) cannot be \(verb): \(String(cString: strerror(number)))",
            .init(number == ENOSPC ? .diskFull : nil, path: path, systemError: number))
    }
}
