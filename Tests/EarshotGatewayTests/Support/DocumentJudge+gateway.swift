import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import EarshotGateway

extension DocumentJudge {
    private struct Served: Encodable {
        let routes: [ServedRoute]
    }

    private struct ServedRoute: Encodable {
        let method: String
        let path: String
        let query: [String]
        let parameters: [String]
        let scope: String
        let takesBody: Bool
    }

    private struct Named<Value: Encodable>: Encodable {
        let schema: String
        let value: Value
    }

    /// Records an issue if the answer, or a request that was taken, is not as the document says.
    /// - Parameter request: `nil` if its head could not be read.
    func check(_ request: Request?, _ response: Response) { expect { try fault(in: Exchange(request, response)) } }

    /// - Returns: what the document has otherwise than these routes.
    func check(_ routes: [Route]) throws -> String {
        try fault(
            in: Served(
                routes: routes.map {
                    ServedRoute(
                        method: $0.method.rawValue, path: $0.path.description, query: $0.query,
                        parameters: $0.path.parameters, scope: $0.permission.name, takesBody: $0.takesBody)
                }))
    }

    /// Records an issue if a value is not what a schema of the document says.
    func check(_ value: some Encodable, as schema: String) {
        expect { try fault(in: Named(schema: schema, value: value)) }
    }

    private func expect(_ fault: () throws -> String) {
        do {
            let fault = try fault()
            if !fault.isEmpty { Issue.record("\(fault)") }
        } catch { Issue.record(error) }
    }

    private func fault(in order: some Encodable) throws -> String { try fault(in: JSONEncoder.gateway().encode(order)) }
}
