extension AsyncSequence where Failure == EarshotError {
    /// The first element that a predicate holds for; `nil` if the sequence ends before.
    ///
    /// The standard library's `first(where:)` does not say which error it throws; where that must be an `EarshotError`, the
    /// compiler (Swift 6.3.1) crashes over it.
    public func first(
        where predicate: (Element) async throws(EarshotError) -> Bool
    ) async throws(EarshotError) -> Element? {
        for try await element in self where try await predicate(element) { return element }
        return nil
    }
}
