import Foundation

/// A variable of the process's environment, looked up by itself. Foundation makes a dictionary of all for each question, which a
/// command that runs for some milliseconds notices.
enum EnvironmentVariable {
    static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
