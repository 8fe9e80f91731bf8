import Glibc

extension FileRule {
    /// Why no copies can be put into the rule's folder now; `nil` if they can, as far as that can be seen.
    public var folderProblem: String? {
        guard case .fetch(let folder?) = decision else { return nil }
        var found = stat()
        guard stat(folder, &found) == 0 else {
            return errno == ENOENT ? "is not there" : "cannot be looked at: \(String(cString: strerror(errno)))"
        }
        guard found.st_mode & S_IFMT == S_IFDIR else { return "is no folder" }
        return access(folder, W_OK | X_OK) == 0 ? nil : "takes no files: \(String(cString: strerror(errno)))"
    }
}
