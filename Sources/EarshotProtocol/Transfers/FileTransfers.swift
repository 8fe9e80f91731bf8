/// What goes between nodes of files, which know nothing of each other's side.
struct FileTransfers: Sendable {
    var fetching = FileFetching()
    var giving = FileGiving()
}
