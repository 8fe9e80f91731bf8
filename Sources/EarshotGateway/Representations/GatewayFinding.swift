package import Earshot

/// One check of why messages do not flow, as the local API shows it.
package struct GatewayFinding: Codable, Hashable, Sendable {
    /// What was checked: one of `Finding.Check`.
    package let check: String
    /// `ok`, `note`, `warning` or `problem`.
    package let severity: String
    /// The fault: one of `Finding.Code`. Left out if all is as it should be.
    package let code: String?
    /// What was found.
    package let what: String
    /// Why it matters. Left out if all is as it should be.
    package let why: String?
    /// The details. Left out if there are none.
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
