import Foundation

/// A variable of the process's environment. Foundation makes a dictionary of all of them for each question, which took 2 % of the
/// instructions of a `send`.
enum EnvironmentVariable {
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
