import Earshot
import EarshotGateway

/// Writes findings as they come, and counts them.
struct DoctorReport {
    let output: Output
    private(set) var worst = Finding.Severity.ok
    private var counts: [Finding.Severity: Int] = [:]
    /// Findings already written: the node may repeat what was found without it.
    private var shown: Set<DoctorFinding> = []

    init(output: Output) { self.output = output }

    mutating func add(_ found: DoctorFinding) throws {
        guard shown.insert(found).inserted else { return }
        // A newer node may report a severity that this program does not know: better to show it than to hide it.
        let severity = Finding.Severity(rawValue: found.finding.severity) ?? .warning
        worst = max(worst, severity)
        counts[severity, default: 0] += 1
        try output.object(found)
        for line in lines(found, severity) { output.line(line) }
    }

    /// One line for people.
    func close() {
        let severities: [Finding.Severity] = [.problem, .warning, .note]
        let parts = severities.compactMap { severity in
            counts[severity].map { "\($0) \(severity.rawValue)\($0 == 1 ? "" : "s")" }
        }
        output.line("")
        output.line(parts.isEmpty ? "all is well" : parts.joined(separator: ", "))
    }

    private func lines(_ found: DoctorFinding, _ severity: Finding.Severity) -> [String] {
        let label = output.style.dim(DisplayWidth.pad(found.finding.check, to: 12))
        let what = SafeText.line(found.finding.what)
        let details = [found.finding.why, found.remedy.map { "try: \($0)" }].compactMap { $0 }
        return ["\(mark(severity)) \(label) \(what)"] + details.map { "               " + SafeText.line($0) }
    }

    /// They also differ without colours.
    private func mark(_ severity: Finding.Severity) -> String {
        switch severity {
        case .ok: output.style.green("✓")
        case .note: output.style.cyan("·")
        case .warning: output.style.bold("!")
        case .problem: output.style.red("✗")
        }
    }
}
