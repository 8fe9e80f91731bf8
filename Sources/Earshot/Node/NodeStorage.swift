import EarshotStore

/// What writes to the node's home. What may wait for the disk runs on threads of its own, and comes back to the loop.
struct NodeStorage: Sendable {
    let disk: any Disk
    let fileDisk: FileDisk
    let fileKeeper: FileKeeper
    let credentials: CredentialKeeper

    /// Returns when everything that was asked of it is done.
    func drain() async {
        await disk.drain()
        await fileDisk.drain()
        await credentials.drain()
    }
}
