import Earshot

/// The devices of the node's own user, and the pairing with a new one.
struct DeviceRoutes: RouteGroup {
    let node: Node

    var routes: [Route] {
        [
            .get("/v1/devices") { _ in try .json(await node.devices.all.map { GatewayDevice($0) }) },
            .post("/v1/devices/{device}/name", DeviceNameRequest.self, scope: .owner) { request, body in
                let deviceID = try await device(of: request)
                try await node.devices.rename(deviceID, to: body.name)
                return try await answer(deviceID)
            },
            .post("/v1/devices/{device}/revoke", scope: .owner) { request in
                let deviceID = try await device(of: request)
                try await node.devices.revoke(deviceID)
                return try await answer(deviceID)
            },
            .get("/v1/pairing", query: ["wait", "unlike"], scope: .owner, isHeld: true) { try await pairing($0) },
            .post("/v1/pairing", PairingRequest.self, scope: .owner) { try await begin($1) },
            .post("/v1/pairing/decision", PairingDecisionRequest.self, scope: .owner) { _, body in
                await node.devices.decidePairing(body.accepted)
                return try .json(GatewayPairing(await node.devices.pairing))
            },
            .delete("/v1/pairing", scope: .owner) { _ in
                await node.devices.endPairing()
                return .done
            },
        ]
    }

    private func device(of request: Request) async throws -> DeviceID {
        try await node.devices.named(try request.parameter("device")).deviceID
    }

    private func answer(_ deviceID: DeviceID) async throws -> Response {
        try .json(GatewayDevice(try await node.devices.named(deviceID.description)))
    }

    private func begin(_ body: PairingRequest) async throws -> Response {
        let lifetime = try body.lifetime()
        let code = try await node.devices.beginPairing(withIdentity: body.withIdentity ?? false, lifetime: lifetime)
        return try .created(
            GatewayPairingCode(code: code.text, expiresInSeconds: Double(Devices.pairingTime / .seconds(1))))
    }

    private func pairing(_ request: Request) async throws -> Response {
        let wait = try request.number("wait", in: 0...30) ?? 0
        guard let text = request.query("unlike") else {
            return try .json(GatewayPairing(await node.devices.pairing))
        }
        guard let state = DevicePairing.State(rawValue: text) else {
            let choices = DevicePairing.State.allCases.map(\.rawValue)
            throw GatewayError(
                .invalidRequest, "unlike is one of: \(choices.joined(separator: ", "))",
                .init(name: "unlike", suggestions: choices))
        }
        return try .json(GatewayPairing(await node.devices.pairing(unlike: state, within: .seconds(wait))))
    }
}

/// The body of `POST /v1/devices/{device}/name`.
struct DeviceNameRequest: RequestBody, Encodable {
    let name: String
}

extension DeviceNameRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { name = try fields.required("name", .text) }
}

/// The body of `POST /v1/pairing`.
struct PairingRequest: RequestBody, Encodable {
    /// Whether the new device gets the identity's key, too.
    var withIdentity: Bool?
    /// How long the credential of a linked device is valid.
    var validForSeconds: Double?

    /// - Throws: `GatewayError` `invalidRequest` for a time that no clock can hold.
    func lifetime() throws(GatewayError) -> Duration {
        guard let validForSeconds else { return Devices.linkedLifetime }
        return .milliseconds(try Milliseconds.of(validForSeconds, field: "validForSeconds"))
    }
}

extension PairingRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) {
        withIdentity = try fields.optional("withIdentity", .bool)
        validForSeconds = try fields.optional("validForSeconds", .number)
    }
}

/// The body of `POST /v1/pairing/decision`.
struct PairingDecisionRequest: RequestBody, Encodable {
    let accepted: Bool
}

extension PairingDecisionRequest {
    init(_ fields: inout JSONFields) throws(GatewayError) { accepted = try fields.required("accepted", .bool) }
}
