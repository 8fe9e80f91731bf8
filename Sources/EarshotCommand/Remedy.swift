import Earshot
import EarshotDiscovery
import EarshotGateway

/// What to do about an error, in words for people at a terminal. The SDK and the local API say what is wrong; only this
/// type names commands for it.
enum Remedy {
    /// - Returns: `nil` if the message says everything.
    static func words(for code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        switch code {
        case .notInitialized, .alreadyInitialized, .looseHome, .unusableHome, .homeInUse: home(code, about)
        case .passphraseNeeded, .wrongPassphrase, .invalidNetworkKey, .networkKeyExists: secret(code, about)
        case .backupDamaged, .backupNewer, .fileExists, .unusableFile: file(code, about)
        case .storeDamaged, .storeFull, .storeUnavailable, .storeNewer: store(code, about)
        case .portInUse, .networkUnavailable, .invalidAddress: port(code, about)
        case .unknownUser, .ambiguousUser, .blocked, .identityConflict, .notAdmitted, .nameChanged, .invalidName:
            user(code, about)
        case .needsPrimary: needsPrimary
        case .deviceRevoked: revoked
        case .invalidPairingCode: "compare it with what earshot device add shows, group by group; nothing was changed"
        case .pairingNotFound:
            "is earshot device add still waiting, on the same network? Name the other machine with --peer HOST:PORT"
        case .pairingFailed: "start anew on the other device: earshot device add"
        case .unknownDevice: "see: earshot device list"
        case .fileMissing: "save it: earshot save MESSAGE-ID waits until it is here"
        case .tooManyDevices: "see which are there: earshot device list"
        case .unknownConversation, .notJoined, .tooManyConversations, .ambiguousConversation, .conversationExists,
            .notOwner, .decidedElsewhere, .notParticipant, .conversationClosed:
            conversation(code, about)
        case .unknownMessage, .ambiguousMessage, .undelivered, .alreadySent, .notAuthor, .retracted:
            message(code, about)
        case .unknownDraft, .tooManyDrafts: "see: earshot draft list"
        default: localAPI(code, about)
        }
    }

    // MARK: - The home directory

    private static func home(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        let path = about.path ?? "it"
        return switch (code, about.detail) {
        case (_, .leftover): "remove \(path): it holds keys, or a copy of the history"
        case (_, .diskFull): "free some space"
        case (_, .outOfMemory): "is there enough memory?"
        case (.notInitialized, _): "make one with: earshot init --name YOUR-NAME"
        case (.alreadyInitialized, .identityMissing):
            "put identity.key back in its place, or name another home with --home"
        case (.alreadyInitialized, .notEmpty): "name another home with --home, or move that one aside"
        case (.alreadyInitialized, _): "use it, or name another home with --home"
        case (.looseHome, .foreignOwner):
            about.name.map {
                "run it as its owner: sudo -u \(ShellWord.quote($0)) earshot ...; or name another home with --home"
            } ?? "run it as its owner, or name another home with --home"
        case (.looseHome, _): "chmod \(about.mode ?? "700") \(path)"
        case (.homeInUse, _): "use that one, end it (earshot stop), or name another home with --home"
        case (_, .notADirectory), (_, .unwritable): "name another one with --home or EARSHOT_HOME"
        case (_, .malformed): "restore it from a backup"
        case (_, .mismatched): "restore both from the same backup"
        default: "check that it exists and that you may use it"
        }
    }

    // MARK: - Secrets

    private static func secret(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        switch (code, about.detail) {
        case (_, .unreadable): "name a file that you may read"
        case (.wrongPassphrase, _): "try again"
        case (.networkKeyExists, _):
            "keep it somewhere (earshot network show --reveal); then: earshot network join --replace, or create --replace"
        case (.passphraseNeeded, .sealed): sealed
        case (.passphraseNeeded, .sealedInBackup): "name its file with --identity-passphrase-file"
        case (.passphraseNeeded, _): "give one line of 1 to \(about.limit ?? Passphrase.maximumBytes) bytes"
        case (_, .mistyped): "compare it with the original, group by group; nothing was changed"
        default: "give the text of one: it begins with earshot-network-1-"
        }
    }

    /// Only a device that holds the identity key can do it.
    static let needsPrimary = "start a node on a device of yours that holds the identity (earshot device list names it)"

    /// A revoked device stays revoked.
    static let revoked = "to use this machine again, make it a new device: earshot init --join, in another home"

    /// A copy of the home runs somewhere else.
    static let copied = "end the node there, and give that machine an identity of its own: earshot init"

    /// A node that runs without the passphrase of its identity cannot renew its credential.
    static let sealed = "restart the node with --passphrase-file FILE, or with --passphrase to type it at the terminal"

    // MARK: - Files and the disk

    private static func file(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        switch (code, about.detail) {
        case (_, .leftover): "remove \(about.path ?? "it"): it holds keys, or a copy of the history"
        case (.backupDamaged, _): "copy the file again from where it was made, or take another backup"
        case (.backupNewer, _): "update this program"
        case (.fileExists, .underWay): "wait until it has ended, or name another file"
        case (.fileExists, _): "name another one, or remove it first"
        case (_, .inTheWay): "name another file, or remove that one if no export is under way"
        case (_, .removedMeanwhile): "try again"
        case (_, .diskFull): "free some space"
        case (_, .outOfMemory): "is there enough memory?"
        default: "check the path, and that you may use it"
        }
    }

    private static func store(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        let outcome = about.erasedCount == nil ? "nothing was accepted: " : ""
        return switch code {
        case .storeDamaged:
            "it was left as it is: restore a backup in its place, or move it aside to begin a new history"
        case .storeFull: "\(outcome)free some space, and try again"
        case .storeNewer: "update this program, which is earshot \(Earshot.version), or use the one that wrote the file"
        default: "\(outcome)check that the disk and the file can be written, and try again"
        }
    }

    // MARK: - The network

    private static func port(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        switch (code, about.detail) {
        case (.invalidAddress, _): addresses
        case (.portInUse, .localAPI): "name another with --http PORT"
        case (.portInUse, _): "name another with --port, or leave it out and let the system choose"
        case (_, .reservedPort): "name a port above 1023, or leave it out"
        default: "check that the machine has a network"
        }
    }

    static let addresses =
        "name peers as host:port, 1.2.3.4:port or [v6]:port, at most \(StaticPeers.maximumCount) of them"

    // MARK: - Users and messages

    private static func user(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        let key = about.userID?.description ?? "NAME"
        return switch (code, about.detail) {
        case (.invalidName, _): "choose another name"
        case (.unknownUser, .empty): "see who is known with: earshot users"
        case (.unknownUser, .ownName):
            "name somebody else; earshot status shows who you are, and earshot send me TEXT keeps a note"
        case (.unknownUser, _) where about.userID != nil:
            "a user becomes known when the two nodes first see each other on the network"
        case (.unknownUser, _) where !about.suggestions.isEmpty:
            "did you mean \(about.suggestions.joined(separator: " or "))?"
        case (.unknownUser, _): "run both nodes on one network, and see who is known with: earshot users"
        case (.ambiguousUser, _):
            "ask the person for their fingerprint, and say which: \(choices(about).joined(separator: " or "))"
        case (.blocked, _): "to let them back in: earshot unblock \(key)"
        case (.identityConflict, _):
            "ask the person which key is theirs; then give it the name: earshot trust \(key) --accept, "
                + "or keep the other out: earshot block \(key)"
        case (.notAdmitted, _): "start the node with --allow \(key) too: earshot up --help"
        default: "nothing was decided: see who they are now (earshot users), and decide anew"
        }
    }

    private static func conversation(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        let name = about.name.map(ShellWord.quote) ?? "NAME"
        return switch code {
        case .unknownConversation where !about.suggestions.isEmpty:
            "did you mean \(about.suggestions.map(ShellWord.quote).joined(separator: " or "))? To begin a new one: "
                + "earshot conversation create \(name)"
        case .unknownConversation where about.name != nil: "join it, or begin it: earshot conversation join \(name)"
        case .unknownConversation: "see which there are: earshot conversations"
        case .notJoined where about.detail == .byInvitation:
            "who is invited joins with: earshot conversation accept \(name)"
        case .notJoined: "join it: earshot conversation join \(name)"
        case .ambiguousConversation:
            "say which: \(about.suggestions.map(ShellWord.quote).joined(separator: " or "))"
        case .conversationExists: "use it (earshot conversation show \(name)), or choose another name"
        case .notOwner: "see whose it is, and ask them: earshot conversation show \(name)"
        case .decidedElsewhere:
            "do it on that device; if it is lost, revoke it, and this one decides: earshot device list"
        case .notParticipant: "see who is in: earshot conversation participants \(name)"
        case .conversationClosed: "begin another one: earshot conversation create --private NAME"
        default: "leave one that is not needed: earshot conversation list, earshot conversation leave NAME"
        }
    }

    /// What to type for each of several users. A peer chooses its own name, so the words are safe for a shell.
    static func choices(_ about: EarshotError.Parameters) -> [String] {
        zip(about.suggestions, about.candidates).map { suggestion, userID in
            guard let sign = suggestion.lastIndex(of: "@") else { return suggestion }
            return ShellWord.user(
                String(suggestion[..<sign]), String(suggestion[sign...]), key: userID.description)
        }
    }

    private static func message(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        let id = about.messageID?.description ?? "ID"
        guard code != .ambiguousMessage else { return "say which: \(about.suggestions.joined(separator: " or "))" }
        return switch code {
        case .undelivered: "take it back first: earshot cancel \(id); or wait until it is delivered or expires"
        case .alreadySent: "take it back where it is: earshot retract \(id)"
        case .notAuthor: "answer it: earshot reply \(id) TEXT; or react to it: earshot react \(id) EMOJI"
        case .retracted: "write a message of its own: earshot send NAME TEXT"
        default: "take its id from: earshot history NAME"
        }
    }

    // MARK: - The local API

    private static func localAPI(_ code: EarshotError.Code, _ about: EarshotError.Parameters) -> String? {
        switch (code, about.detail) {
        case (_, .mayBeAccepted): "before you send it again, see whether it is there: earshot history NAME"
        case (.noNode, _): "start one with: earshot up"
        case (.timedOut, _): "see what it is doing, or restart it"
        case (.unknownToken, _): "see which there are with: earshot token list"
        case (.tokenExists, _):
            "choose another name, or end that one first: earshot token revoke \(about.name ?? "NAME")"
        case (.unknownTarget, _): "see which there are with: earshot notify list"
        case (.targetExists, _):
            "choose another --name, or end that one first: earshot notify remove \(about.name ?? "NAME")"
        case (.targetBusy, _): "wait for that: a program has a minute, a server 20 seconds"
        case (.tooManyTargets, _): "end one that is not needed: earshot notify list, earshot notify remove NAME"
        case (.targetUnusable, _):
            "mend that and say it again; a desktop needs notify-send (Debian: libnotify-bin), a webhook curl"
        case (.unknownConsumer, _): "see which there are with: earshot bot status"
        case (.tooManyTokens, _): "end one that is not needed: earshot token list, earshot token revoke NAME"
        case (.tooManyConsumers, _): "remove one that is not needed: earshot bot status, earshot bot remove NAME"
        case (.tooManyRequests, _), (.overloaded, _): "wait a little, and try again"
        case (.connectionLost, _): "does it still run?"
        case (.unexpectedResponse, _): "is the node of another version? restart it"
        case (.socketUnusable, .tooLong): "name a home directory with a shorter path, with --home or EARSHOT_HOME"
        case (.socketUnusable, _): "remove what is there, and check that you may write to the home directory"
        case (.invalidRequest, .notAMessageID): "take its id from: earshot history NAME"
        case (.invalidRequest, _) where !about.suggestions.isEmpty:
            "there are: \(about.suggestions.joined(separator: ", "))"
        default: nil
        }
    }
}
