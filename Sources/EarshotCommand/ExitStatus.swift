import ArgumentParser
import Earshot
import EarshotGateway

/// The program's exit codes, for scripts.
enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case failure = 1
    case notInitialized = 3
    case passphrase = 4
    case unknownUser = 5
    case timeout = 6
    case homeInUse = 7
    case storage = 8
    case network = 9
    case identity = 10
    case blocked = 11
    case trouble = 12
    case tampered = 13
    case expired = 14
    /// `EX_USAGE` of sysexits.h, which the argument parser uses too.
    case usage = 64

    var code: ExitCode { ExitCode(rawValue) }

    var explanation: String {
        switch self {
        case .success: "done"
        case .failure: "any other error"
        case .notInitialized: "the home directory has no identity: earshot init"
        case .passphrase: "the passphrase or network key is wrong, or one is needed"
        case .unknownUser: "no user, or more than one, has this name"
        case .timeout: "what the command waited for did not happen in time; a queued message stays queued"
        case .homeInUse: "another node runs on the home directory"
        case .storage: "the home directory or the database cannot be used"
        case .network: "the port is taken, the network cannot be used, or the other node is in another network"
        case .identity: "another key claims the name, or the safety numbers differ"
        case .blocked: "one user has blocked the other (earshot unblock NAME), or one node does not admit the other"
        case .trouble: "earshot doctor found a warning or a problem"
        case .tampered: "earshot audit found something that does not hold"
        case .expired: "the message expired before it was delivered"
        case .usage: "the command line, or the configuration file, cannot be understood"
        }
    }

    /// The list in the help.
    static var table: String {
        allCases.map { status in
            let number = String(status.rawValue)
            return String(repeating: " ", count: 4 - number.count) + "\(number)  \(status.explanation)"
        }.joined(separator: "\n")
    }

    init(_ code: EarshotError.Code) {
        self =
            switch code {
            case .notInitialized: .notInitialized
            case .wrongPassphrase, .passphraseNeeded, .invalidNetworkKey: .passphrase
            case .unknownUser, .ambiguousUser: .unknownUser
            case .timedOut: .timeout
            case .homeInUse: .homeInUse
            case .looseHome, .unusableHome, .storeDamaged, .storeFull, .storeUnavailable, .storeNewer, .backupDamaged,
                .backupNewer,
                .fileExists, .unusableFile:
                .storage
            case .portInUse, .networkUnavailable, .otherNetwork: .network
            case .identityConflict, .safetyNumberDiffers, .nameChanged: .identity
            case .blocked, .notAdmitted: .blocked
            case .messageExpired: .expired
            case .invalidUTF8, .unknownCommand, .invalidUsage, .invalidConfiguration, .prefixTooShort: .usage
            default: .failure
            }
    }
}
