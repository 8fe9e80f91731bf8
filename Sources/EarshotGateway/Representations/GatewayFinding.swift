package import Earshot

/// One thing that was looked at to find out why messages do not flow, as the local API shows it.
package struct GatewayFinding: Codable, Hashable, Sendable {
    /// What was looked at: one of `Finding.Check`.
    package let check: String
    /// `ok`, `note`, `warning` or `problem`.
    package let severity: String
    /// What was found.
    package let what: String
    /// Why it matters. Left out where all is as it should be.
    package let why: String?
    /// What to do about it. A warning and a problem have one.
    package let remedy: String?

    package init(check: String, severity: String, what: String, why: String? = nil, remedy: String? = nil) {
        self.check = check
        self.severity = severity
        self.what = what
        self.why = why
        self.remedy = remedy
    }

    package init(_ finding: Finding) {
        self.init(
            check: finding.check.rawValue, severity: finding.severity.rawValue, what: finding.what, why: finding.why,
            remedy: finding.remedy)
    }
}
