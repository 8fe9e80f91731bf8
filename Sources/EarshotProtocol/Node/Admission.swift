public import EarshotModel

/// Who may have a link to a node. Keys decide and not names: a name is only a label.
public enum Admission: Hashable, Sendable {
    /// Everybody who is not blocked and whose name is not another's.
    case everybody
    /// Of those only these.
    case only(Set<UserID>)

    public func admits(_ userID: UserID) -> Bool {
        switch self {
        case .everybody: true
        case .only(let userIDs): userIDs.contains(userID)
        }
    }
}

extension NodeMachine {
    /// Changes who may have a link. Links of those who may not any more end at once; what waits for them stays.
    public mutating func admit(_ admission: Admission, now: Moment) -> [NodeAction] {
        self.admission = admission
        for (userID, connectionIDs) in linksOfUser.sorted(by: { $0.key < $1.key }) where !admission.admits(userID) {
            for connectionID in connectionIDs {
                close(connectionID, .notAdmitted, error: notAdmitted(userID, closeReason: .notAdmitted), now: now)
            }
        }
        dialer.retryAll(now: now.uptime)
        return finish(now: now)
    }

    /// - Parameter name: the name that they show, where they were not met yet.
    func notAdmitted(_ userID: UserID, name: UserName? = nil, closeReason: CloseReason? = nil) -> ProtocolError {
        let who = (directory.users[userID]?.name ?? name).map { "\($0) (\(userID.fingerprint))" } ?? userID.fingerprint
        return ProtocolError(
            closeReason == nil ? .notAdmitted : .closedHere, "\(who) is not among those whom this node admits",
            closeReason: closeReason)
    }
}
