import Glibc

extension DiscoveryError {
    /// A call to the operating system that failed, with the text of its `errno`.
    static func failedCall(_ call: String, _ code: CInt = errno) -> DiscoveryError {
        DiscoveryError(.outOfResources, "\(call): \(errorText(code))")
    }
}

func errorText(_ code: CInt) -> String { String(cString: strerror(code)) }

/// `bind` with an address of any family.
func bindSocket<Address>(_ socket: CInt, to address: Address) -> CInt {
    withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(socket, $0, socklen_t(MemoryLayout<Address>.size))
        }
    }
}

/// `setsockopt` with a value of any type that C knows.
func setOption<Value>(_ socket: CInt, _ level: CInt, _ name: CInt, _ value: Value) -> CInt {
    withUnsafePointer(to: value) { setsockopt(socket, level, name, $0, socklen_t(MemoryLayout<Value>.size)) }
}
