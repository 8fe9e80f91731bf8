import Earshot
import EarshotGateway

/// Why a command did not do what it was asked, wherever the cause was found.
struct Failure: Error, Encodable {
    let code: EarshotError.Code
    let message: String
    let remedy: String?

    init(_ code: EarshotError.Code, _ message: String, remedy: String? = nil) {
        self.code = code
        self.message = message
        self.remedy = remedy
    }

    init(_ error: any Error) {
        switch error {
        case let error as Failure: self = error
        case let error as EarshotError: self.init(error.code, error.message, remedy: error.remedy)
        case let error as GatewayError: self.init(error.code, error.message, remedy: error.remedy)
        default: self.init(.internalError, "something went wrong: \(error)")
        }
    }

    var status: ExitStatus { ExitStatus(code) }

    private enum CodingKeys: String, CodingKey {
        case error
    }

    private struct Body: Encodable {
        let code: String
        let message: String
        let remedy: String?
    }

    /// As the local API reports errors.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Body(code: code.description, message: message, remedy: remedy), forKey: .error)
    }
}

extension EarshotError.Code {
    /// The recipient will not get the message.
    static let messageFailed = Self("messageFailed")
    /// The safety number of the other side differs.
    static let safetyNumberDiffers = Self("safetyNumberDiffers")
    /// Too few characters of a key were given for a decision.
    static let prefixTooShort = Self("prefixTooShort")
    /// The user was asked, and did not say yes.
    static let notConfirmed = Self("notConfirmed")
}
