import EarshotFiles
import EarshotProtocol
import EarshotStore
import NIOCore

/// A running node's files on the disk. Each answer comes on the node's event loop, and never before the call returns.
final class FileDisk: Sendable {
    typealias Completion<Success> = @Sendable (Result<Success, FilesError>) -> Void

    let files: FileStore
    let fetched: FetchedFiles
    let given: GivenFiles
    let uploads = UploadRoom()

    init(_ files: FileStore, store: Store, of userID: UserID, loop: any EventLoop) {
        self.files = files
        fetched = FetchedFiles(files, store: store, of: userID, loop: loop)
        given = GivenFiles(files, store: store, of: userID, loop: loop)
    }

    /// Removes a content, behind everything that was asked for before: nothing that is under way brings it back.
    /// - Parameter record: what is noted of it instead.
    func remove(_ record: FileRecord) throws(FilesError) {
        try fetched.remove(record)
        given.forget()
    }

    /// Returns when all that was asked for is done, and what came is noted on the disk.
    func drain() async {
        await given.drain()
        await fetched.drain()
    }
}

extension FilesError {
    init(_ error: StoreError) {
        self.init(error.code == .full ? .full : .unavailable, error.message)
    }
}
