import EarshotStore
import Testing

/// Expects that `body` throws a `StoreError` of this code, and nothing else.
func expect<R>(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, from body: () throws -> R
) {
    do {
        _ = try body()
        Issue.record("expected \(code), and nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as StoreError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("expected \(code), not \(error)", sourceLocation: sourceLocation)
    }
}
