import Foundation

extension HomeFacts {
    /// How long a node that holds the lock may take to answer on its socket.
    private static let patience = Duration.seconds(2)
    private static let interval = Duration.milliseconds(50)

    static func gathered(of home: Home) async throws(CancellationError) -> HomeFacts {
        var (lock, socket) = (lockState(of: home), socketState(at: home.socketFile))
        let deadline = ContinuousClock.now + patience
        while case .held = lock, socket != .answers, ContinuousClock.now < deadline {
            do { try await Task.sleep(for: interval) } catch { throw CancellationError() }
            (lock, socket) = (lockState(of: home), socketState(at: home.socketFile))
        }
        return HomeFacts(
            path: home.path, state: state(of: home), loose: looseFiles(of: home), lock: lock, socket: socket)
    }

    private static func state(of home: Home) -> State {
        var status = stat()
        guard stat(home.path, &status) == 0 else {
            return errno == ENOENT
                ? .notInitialized
                : .unusable("the home directory \(home.path) cannot be read: \(String(cString: strerror(errno)))")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else { return .unusable("\(home.path) is not a directory") }
        guard status.st_uid == geteuid() || geteuid() == 0 else {
            return .unusable("\(home.path) belongs to another user")
        }
        do throws(EarshotError) {
            return try PrivateFile.isThere(home.identityFile) || home.isLinked ? .initialized : .notInitialized
        } catch { return .unusable(error.message) }
    }

    private static func looseFiles(of home: Home) -> [LooseFile] {
        let files = [
            LooseFile(path: home.path, mode: "700", isRefused: true),
            LooseFile(path: home.identityFile, mode: "600", isRefused: true),
            LooseFile(path: home.deviceFile, mode: "600", isRefused: true),
            LooseFile(path: home.credentialFile, mode: "600", isRefused: true),
            LooseFile(path: home.networkFile, mode: "600", isRefused: true),
            LooseFile(path: home.databaseFile, mode: "600", isRefused: false),
        ]
        return files.filter { file in
            var status = stat()
            return stat(file.path, &status) == 0 && status.st_mode & 0o077 != 0
        }
    }

    private static func lockState(of home: Home) -> Lock {
        if HomeLock.isHeld(home) { return .held(HomeLock.holder(of: home)) }
        return .free(writtenBy: HomeLock.writtenPid(of: home))
    }

    private static func socketState(at path: String) -> Socket {
        guard access(path, F_OK) == 0 else { return .absent }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return .deaf }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return .deaf }
        defer { close(descriptor) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        return isConnected ? .answers : .deaf
    }
}
