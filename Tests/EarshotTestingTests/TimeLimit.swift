import Testing

extension TimeLimitTrait.Duration {
    /// After this time a test counts as hung. These tests wait for nothing but their turn; that can be long where a
    /// sanitizer slows down the many that run beside them.
    static let ofHungTest = Self.minutes(25)
}
