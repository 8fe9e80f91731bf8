import ArgumentParser
import Earshot
import EarshotGateway

struct Doctor: ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find out why messages do not flow, and what to do about it.",
        discussion: """
            Looks at the home directory, at this machine's network, and at what the node sees. If no node runs, it \
            starts one for a few seconds. Ends with 0 if there is nothing worse than a note, else with \
            \(ExitStatus.trouble.rawValue).

            With --json each finding is an object: check, severity (ok, note, warning or problem), code, what, why, \
            parameters, remedy.

            EXAMPLES:
              earshot doctor
              earshot doctor --json | jq -r 'select(.severity == "problem") | .remedy'
            """)

    @OptionGroup var common: CommonOptions
    @OptionGroup var network: NetworkOptions

    @Option(
        help: ArgumentHelp(
            "How long a node that this command starts looks around; 6 seconds unless given.",
            valueName: SpanOfTime.valueName), transform: SpanOfTime.read)
    var listen: Duration?

    private static let defaultListening = Duration.seconds(6)
    /// An hour; nobody waits longer.
    private static let longestListening = Duration.seconds(3600)

    func validate() throws {
        guard (listen ?? .zero) <= Self.longestListening else {
            throw ValidationError("--listen is at most an hour.")
        }
    }

    func execute(_ output: Output) async throws {
        var report = DoctorReport(output: output)
        let network = try await network.completed(by: common.homeDirectory)
        let local = try await Diagnosis.of(
            common.homeDirectory, discovery: network.configuration().interfaces,
            testsMulticast: !network.isUndiscoverable)
        for finding in local { try report.add(DoctorFinding(GatewayFinding(finding))) }
        if Diagnosis.allowsStart(local) {
            for finding in try await nodeFindings(network) { try report.add(finding) }
        }
        report.close()
        guard report.worst <= .note else { throw ExitStatus.trouble.code }
    }

    /// What the running node reports, or a node that is started for this. If it reports nothing, that is a finding,
    /// too.
    private func nodeFindings(_ network: NetworkOptions) async throws -> [DoctorFinding] {
        let listening = listen ?? Self.defaultListening
        do {
            return try await Session.with(common.homeDirectory, network: network) { session in
                guard session.isShortLived else {
                    return try await session.client.diagnosis().map(DoctorFinding.init)
                }
                try await Task.sleep(for: listening)
                let started = GatewayFinding(
                    .node, .note, .nodeStarted, what: "no node ran: one was started for this",
                    why: "messages flow only while a node runs")
                return try await ([started] + session.client.diagnosis()).map(DoctorFinding.init)
            }
        } catch let error as CancellationError {
            throw error
        } catch {
            return [DoctorFinding(Failure(error))]
        }
    }
}

/// A finding, and what to do about it.
struct DoctorFinding: Encodable, Hashable {
    let finding: GatewayFinding
    let remedy: String?

    init(_ finding: GatewayFinding) {
        self.finding = finding
        remedy = FindingRemedy.words(for: finding)
    }

    /// Why no node could be asked.
    init(_ failure: Failure) {
        finding = GatewayFinding(
            .node, .problem, .noNode, what: failure.message, why: "without a node no message flows",
            failure.parameters)
        remedy = failure.remedy ?? FindingRemedy.words(for: .noNode, failure.parameters)
    }

    private enum CodingKeys: String, CodingKey {
        case remedy
    }

    func encode(to encoder: any Encoder) throws {
        try finding.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(remedy, forKey: .remedy)
    }
}
