import Earshot
import Testing

/// Expects that `body` throws an `EarshotError` of this code, and nothing else.
/// - Returns: the error, for what else it says.
@discardableResult
func expect<R>(
    _ code: EarshotError.Code, sourceLocation: SourceLocation = #_sourceLocation, from body: () async throws -> R
) async -> EarshotError? {
    do {
        _ = try await body()
        Issue.record("expected \(code), and nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as EarshotError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
        return error
    } catch {
        Issue.record("expected \(code), not \(error)", sourceLocation: sourceLocation)
    }
    return nil
}
