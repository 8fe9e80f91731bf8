import NIOCore
import NIOHTTP1

/// An answer of the local API and what it answers, as tests hold them against the document.
struct Exchange: Encodable, Sendable {
    private let method: String
    private let path: String
    private let query: [String: String]
    /// The body of a request that was taken.
    private let request: String
    private let status: UInt
    private let type: String
    private let body: String

    /// - Parameter request: `nil` if its head could not be read.
    init(_ request: Request?, _ response: Response) {
        method = request?.method.rawValue ?? ""
        path = request?.path ?? ""
        let items = request?.query.map { ($0.name ?? "", $0.value ?? "") } ?? []
        query = Dictionary(items) { first, _ in first }
        let taken = response.status.code < 300 ? request : nil
        self.request = taken.map { String(buffer: $0.body) } ?? ""
        status = response.status.code
        type = response.headers.first(name: "content-type") ?? ""
        // What a stream says is checked event by event.
        body = if case .bytes(let body) = response.body { String(buffer: body) } else { "" }
    }
}
