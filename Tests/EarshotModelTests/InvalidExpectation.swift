import EarshotModel
import Testing

/// Expects the one error that everything public throws, with the exact reason as its cause and its message.
func expectInvalid<Reason: Error & Equatable & CustomStringConvertible>(
    _ reason: Reason, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> some Any
) {
    #expect(sourceLocation: sourceLocation) {
        _ = try body()
    } throws: { error in
        guard let error = error as? EarshotError else { return false }
        return error.cause as? Reason == reason && error.message == reason.description
    }
}
