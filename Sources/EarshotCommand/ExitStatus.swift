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
        case .network: "the port is taken, or the network cannot be used"
        case .identity: "another key claims the name, or the safety numbers differ"
        case .blocked: "the user is blocked (earshot unblock NAME), or not among those whom the node admits"
        case .trouble: "earshot doctor found a warning or a problem"
        case .tampered: "earshot audit found something that does not hold"
        case .usage: "the command line cannot be understood"
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
            case .portInUse, .networkUnavailable: .network
            case .identityConflict, .safetyNumberDiffers, .nameChanged: .identity
            case .blocked, .notAdmitted: .blocked
            case .invalidUTF8, .unknownCommand, .prefixTooShort: .usage
            default: .failure
            }
    }
}
