extension Finding {
    /// The fault that a finding is about. The texts are stable; more may come.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's stable text.
        public let description: String

        /// Makes a code from its text, such as one from the local API.
        public init(_ description: String) { self.description = description }

        // The home directory.
        /// There is no identity in the home directory.
        public static let notInitialized = Code("notInitialized")
        /// The home directory cannot be used.
        public static let unusableHome = Code("unusableHome")
        /// Others may read a file that should be its owner's alone.
        public static let looseFile = Code("looseFile")
        /// The last node did not end cleanly; its lock is free.
        public static let staleLock = Code("staleLock")
        /// A process holds the home directory, but no node answers on its socket.
        public static let unansweredLock = Code("unansweredLock")
        /// The last node did not end cleanly, and has left its socket.
        public static let staleSocket = Code("staleSocket")

        // The disk.
        /// The disk is mounted read-only.
        public static let readOnlyDisk = Code("readOnlyDisk")
        /// There is little or no space left on the disk.
        public static let lowSpace = Code("lowSpace")
        /// The disk takes no writes.
        public static let storageFailing = Code("storageFailing")
        /// The disk took no writes for a time, and now takes them again.
        public static let commitsFailed = Code("commitsFailed")
        /// Copies of files could not be put into the folder that a rule names.
        public static let copiesOwed = Code("copiesOwed")
        /// Commits to the disk take long.
        public static let slowCommits = Code("slowCommits")
        /// The database is damaged.
        public static let databaseDamaged = Code("databaseDamaged")
        /// The database was written by a newer version.
        public static let databaseNewer = Code("databaseNewer")
        /// The database cannot be read.
        public static let databaseUnreadable = Code("databaseUnreadable")

        // The credential.
        /// The credential has expired or soon will, and the identity that renews it is sealed.
        public static let credentialSealed = Code("credentialSealed")
        /// The credential has expired or soon will, and only a primary device of the user can renew it.
        public static let credentialNeedsPrimary = Code("credentialNeedsPrimary")
        /// The user has revoked this device.
        public static let deviceRevoked = Code("deviceRevoked")
        /// The user has several devices, and only this one holds the identity.
        public static let onlyPrimary = Code("onlyPrimary")
        /// The credential has expired; a node renews it when it starts.
        public static let credentialExpired = Code("credentialExpired")
        /// The credential has expired, and the running node has not renewed it.
        public static let credentialNotRenewed = Code("credentialNotRenewed")
        /// The credential is not yet valid.
        public static let credentialNotYetValid = Code("credentialNotYetValid")
        /// The credential cannot be read.
        public static let credentialUnreadable = Code("credentialUnreadable")

        // The network.
        /// The network of this machine cannot be checked.
        public static let interfacesUnknown = Code("interfacesUnknown")
        /// No network interface leads to others.
        public static let noInterface = Code("noInterface")
        /// An interface is not used, by choice.
        public static let interfaceSkipped = Code("interfaceSkipped")
        /// Packets to the local network leave by another interface, or are refused.
        public static let routeCaptured = Code("routeCaptured")
        /// Multicast does not get out of this machine, or not in.
        public static let multicastBlocked = Code("multicastBlocked")
        /// Another program keeps the multicast DNS port to itself.
        public static let multicastPortKept = Code("multicastPortKept")
        /// An interface does not support multicast.
        public static let multicastOff = Code("multicastOff")

        // Finding others.
        /// No daemon answers, so the stack in this process is used.
        public static let embeddedDiscovery = Code("embeddedDiscovery")
        /// Nothing has answered yet.
        public static let discoveryStarting = Code("discoveryStarting")
        /// The node does not look for peers, by choice.
        public static let discoveryOff = Code("discoveryOff")
        /// No way of finding peers works.
        public static let discoveryUnavailable = Code("discoveryUnavailable")
        /// There are devices, but no link to any of them.
        public static let noLinks = Code("noLinks")
        /// Nobody else is found.
        public static let nobodyFound = Code("nobodyFound")
        /// There are nodes of other networks, but none of this one.
        public static let otherNetworksOnly = Code("otherNetworksOnly")
        /// This node's own device is advertised from elsewhere.
        public static let deviceCopied = Code("deviceCopied")

        // Links.
        /// Peers cannot connect to this node's port.
        public static let portUnreachable = Code("portUnreachable")
        /// Nobody has tried to connect to this node's port.
        public static let portUnknown = Code("portUnknown")
        /// A link failed recently; the detail is the code of the error.
        public static let linkFailed = Code("linkFailed")
        /// Connections were closed because too many came.
        public static let connectionsLimited = Code("connectionsLimited")
        /// Handshakes failed; the detail is the reason.
        public static let handshakesRefused = Code("handshakesRefused")
        /// As `handshakesRefused`, but the peers gave the reason.
        public static let handshakesRefusedByPeers = Code("handshakesRefusedByPeers")

        // Clocks.
        /// This machine's clock was not compared with a peer's.
        public static let clocksNotCompared = Code("clocksNotCompared")
        /// This machine's clock is far from most peers'.
        public static let ownClockWrong = Code("ownClockWrong")
        /// This machine's clock was set within the last day.
        public static let clockWasSet = Code("clockWasSet")
        /// Messages are stamped with a time that lies ahead of this machine's clock.
        public static let stampsAhead = Code("stampsAhead")
        /// A peer's clock is far from this machine's.
        public static let peerClockWrong = Code("peerClockWrong")

        // Names.
        /// Others use the name of this node's user.
        public static let ownNameTaken = Code("ownNameTaken")
        /// Another key claims a name that belongs to somebody.
        public static let nameConflict = Code("nameConflict")
        /// Several keys use one name.
        public static let nameAmbiguous = Code("nameAmbiguous")
        /// More names are claimed by several keys than are listed.
        public static let manyNames = Code("manyNames")

        // Programs.
        /// Programs that observe the node are too slow.
        public static let eventsLost = Code("eventsLost")
        /// No node could be asked.
        public static let noNode = Code("noNode")
        /// No node ran, and one was started to look.
        public static let nodeStarted = Code("nodeStarted")
    }
}
