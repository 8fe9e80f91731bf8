package import Earshot

/// One thing that was looked at to find out why messages do not flow, as the local API shows it.
package struct GatewayFinding: Codable, Hashable, Sendable {
    /// What was looked at: one of `Finding.Check`.
    package let check: String
    /// `ok`, `note`, `warning` or `problem`.
    package let severity: String
    /// Which fault it is: one of `Finding.Code`. Left out where all is as it should be.
    package let code: String?
    /// What was found.
    package let what: String
    /// Why it matters. Left out where all is as it should be.
    package let why: String?
    /// What it is about. Left out where there is nothing to tell.
    package let parameters: GatewayErrorParameters?

    package init(
        _ check: Finding.Check, _ severity: Finding.Severity, _ code: Finding.Code, what: String, why: String,
        _ parameters: EarshotError.Parameters = .init()
    ) {
        self.check = check.rawValue
        self.severity = severity.rawValue
        self.code = code.description
        self.what = what
        self.why = why
        self.parameters = GatewayErrorParameters(parameters)
    }

    package init(_ finding: Finding) {
        check = finding.check.rawValue
        severity = finding.severity.rawValue
        code = finding.code?.description
        what = finding.what
        why = finding.why
        parameters = GatewayErrorParameters(finding.parameters)
    }
}
