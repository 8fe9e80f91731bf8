/// What is to be said about the devices of the node's own user.
extension NodeFacts {
    var deviceFindings: [Finding] {
        let inUse = devices.filter { !$0.isRevoked }
        if devices.contains(where: { $0.isThisDevice && $0.isRevoked }) {
            return [
                .problem(
                    .credential, .deviceRevoked, "this device was revoked",
                    why: "everybody who has heard of it refuses links to it, and that is for good")
            ]
        }
        guard inUse.count > 1, inUse.contains(where: { $0.isThisDevice && $0.isPrimary }),
            inUse.count(where: \.isPrimary) == 1
        else { return [] }
        return [
            .note(
                .credential, .onlyPrimary, "this is the only device of its user that holds the identity",
                why: "if it is lost, nobody renews the credentials of the others, or revokes it")
        ]
    }
}
