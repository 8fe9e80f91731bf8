import Earshot
import EarshotGateway
import Foundation

/// Why a command did not do what it was asked, wherever the cause was found.
struct Failure: Error, Encodable {
    let code: EarshotError.Code
    let message: String
    let remedy: String?
    let parameters: EarshotError.Parameters
    /// The recipient whom it concerns, where a command has several: as typed.
    private(set) var recipient: String?

    init(_ code: EarshotError.Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
        parameters = .init()
    }

    private init(_ code: EarshotError.Code, _ message: String, _ parameters: EarshotError.Parameters) {
        self.code = code
        self.message = message
        self.parameters = parameters
        remedy = Remedy.words(for: code, parameters)
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as EarshotError: self.init(error.code, error.message, error.parameters)
        case let error as GatewayError: self.init(error.code, error.message, error.parameters)
        default: self.init(.internalError, "something went wrong: \(SystemWords.words(for: error))")
        }
    }

    var status: ExitStatus { ExitStatus(code) }

    /// The same, of one of several recipients.
    func about(_ recipient: String) -> Failure {
        var failure = self
        failure.recipient = recipient
        return failure
    }

    private enum CodingKeys: String, CodingKey {
        case error, to
    }

    private struct Body: Codable {
        let code: String
        let message: String
        let remedy: String?
        let parameters: GatewayErrorParameters?
    }

    /// The failure that another process of this program has told, encoded.
    /// - Throws: `Failure` for text that is none.
    init(told text: Data) throws(Failure) {
        do {
            guard let body = try JSONDecoder().decode([String: Body].self, from: text)[CodingKeys.error.rawValue] else {
                throw Failure(.internalError, "it does not say why")
            }
            code = EarshotError.Code(body.code)
            message = body.message
            remedy = body.remedy
            parameters = EarshotError.Parameters(body.parameters)
        } catch {
            throw Failure(.internalError, "the node that was started has failed, and what it says cannot be read")
        }
    }

    /// As the local API reports errors, and with the remedy.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        let body = Body(
            code: code.description, message: message, remedy: remedy, parameters: GatewayErrorParameters(parameters))
        try container.encode(body, forKey: .error)
        try container.encodeIfPresent(recipient, forKey: .to)
    }
}

extension EarshotError.Code {
    /// The recipient will not get the message.
    static let messageFailed = Self("messageFailed")
    /// The message expired before it was delivered.
    static let messageExpired = Self("messageExpired")
    /// The other node is in another network.
    static let otherNetwork = Self("otherNetwork")
    /// The command line cannot be understood.
    static let invalidUsage = Self("invalidUsage")
    /// The safety number of the other side differs.
    static let safetyNumberDiffers = Self("safetyNumberDiffers")
    /// Too few characters of a key were given for a decision.
    static let prefixTooShort = Self("prefixTooShort")
    /// A copy of the home runs somewhere else.
    static let deviceCopied = Self("deviceCopied")
    /// The system lets this process open too few files.
    static let tooFewOpenFiles = Self("tooFewOpenFiles")
    /// The user was asked, and did not say yes.
    static let notConfirmed = Self("notConfirmed")
}
