/// A request for a route, with names in braces for what the scene of a test has.
struct RouteProbe: Sendable {
    let path: String
    var body = ""
    var headers: [String] = []
    /// Whether it is a good request, which is done for whoever has the route's scope.
    var isGood = true

    static func good(_ path: String, _ body: String = "", key: String? = nil) -> RouteProbe {
        RouteProbe(path: path, body: body, headers: key.map { ["idempotency-key: \($0)"] } ?? [])
    }

    /// One that is refused, or may be.
    static func bad(_ path: String, _ body: String = "") -> RouteProbe {
        RouteProbe(path: path, body: body, isGood: false)
    }

    /// Requests for every route of the local API, by its method and its path. In requests `quoka` is nearly the name of a
    /// user, and `quoka-group` that of a conversation.
    static let all: [String: [RouteProbe]] = messages.merging(conversations) { $1 }.merging(inbox) { $1 }
        .merging(files) { $1 }.merging(others) { $1 }.merging(ownersAlone) { $1 }

    private static let messages: [String: [RouteProbe]] = [
        "POST /v1/messages": [
            .good("/v1/messages", #"{"to":"{bob}","text":"x"}"#),
            .good("/v1/messages", #"{"to":"{bob}","text":"again"}"#, key: "k{fresh}"),
            .good("/v1/messages", #"{"to":["{bob}"],"text":"x"}"#),
            .good("/v1/messages", #"{"to":"{bob}","text":"x","session":{"summary":"s"}}"#),
            .bad("/v1/messages", #"{"to":["{bob}","quoka","{stranger}"],"text":"x"}"#),
            .bad("/v1/messages", #"{"to":"quoka","text":"x"}"#),
            .bad("/v1/messages", ##"{"to":"#quoka-group","text":"x"}"##),
            .bad("/v1/messages", ##"{"to":"{group}","text":"x"}"##),
            .bad("/v1/messages", #"{"to":"{bob}","text":"x","mentions":["quoka"]}"#),
            .bad("/v1/messages", #"{"to":"{stranger}","text":"x"}"#),
        ],
        "GET /v1/messages/{message}": [.good("/v1/messages/{received}"), .bad("/v1/messages/{received}9")],
        "POST /v1/messages/{message}/cancel": [
            .bad("/v1/messages/{own}/cancel"), .bad("/v1/messages/{received}/cancel"),
        ],
        "POST /v1/messages/{message}/reply": [
            .good("/v1/messages/{received}/reply", #"{"text":"x"}"#),
            .good("/v1/messages/{received}/reply", #"{"text":"x","inPlace":true}"#, key: "p{fresh}"),
            .bad("/v1/messages/{received}9/reply", #"{"text":"x"}"#),
            .bad("/v1/messages/{received}/reply", #"{"text":"x","inPlace":true}"#),
        ],
        "POST /v1/messages/{message}/edit": [
            .good("/v1/messages/{own}/edit", #"{"text":"new"}"#),
            .bad("/v1/messages/{received}/edit", #"{"text":"x"}"#),
        ],
        "POST /v1/messages/{message}/retract": [
            .good("/v1/messages/{own}/retract"), .bad("/v1/messages/{received}/retract"),
        ],
        "POST /v1/messages/{message}/react": [
            .good("/v1/messages/{received}/react", #"{"emoji":"y","remove":true}"#),
            .good("/v1/messages/{received}/react", #"{"emoji":"y"}"#),
            .bad("/v1/messages/{inGroup}/react", #"{"emoji":"y","remove":true}"#),
            .bad("/v1/messages/{received}9/react", #"{"emoji":"y","remove":true}"#),
        ],
        "POST /v1/messages/erase": [.bad("/v1/messages/erase", #"{"messages":["{received}"]}"#)],
        "GET /v1/search": [.good("/v1/search?text=text"), .bad("/v1/search?text=text&sender=quoka")],
        "GET /v1/scheduled": [.good("/v1/scheduled")],
        "POST /v1/scheduled": [
            .good("/v1/scheduled", #"{"to":"{bob}","text":"x","notBefore":"2999-01-01T00:00:00Z"}"#),
            .good("/v1/scheduled", #"{"to":"{bob}","text":"y","notBefore":"2999-01-01T00:00:00Z"}"#, key: "l{fresh}"),
            .bad("/v1/scheduled", #"{"to":"quoka","text":"x","notBefore":"2999-01-01T00:00:00Z"}"#),
        ],
        "DELETE /v1/scheduled/{scheduled}": [.good("/v1/scheduled/{later}"), .bad("/v1/scheduled/x")],
        "GET /v1/drafts": [.good("/v1/drafts"), .bad("/v1/drafts?conversation=quoka")],
        "POST /v1/drafts": [
            .good("/v1/drafts", #"{"to":"{bob}","text":"x"}"#),
            .good("/v1/drafts", #"{"to":"{bob}","text":"y"}"#, key: "d{fresh}"),
            .bad("/v1/drafts", #"{"to":"quoka","text":"x"}"#),
            .bad("/v1/drafts", #"{"to":"{bob}","text":"x","mentions":["quoka"]}"#),
            .bad("/v1/drafts", #"{"to":"{stranger}","text":"x"}"#),
        ],
        "GET /v1/drafts/{draft}": [.bad("/v1/drafts/{draft}"), .bad("/v1/drafts/{mine}")],
        "POST /v1/drafts/{draft}/edit": [
            .bad("/v1/drafts/{draft}/edit", #"{"text":"x"}"#), .bad("/v1/drafts/{mine}/edit", #"{"text":"x"}"#),
        ],
        "POST /v1/drafts/{draft}/send": [.bad("/v1/drafts/{draft}/send"), .bad("/v1/drafts/{mine}/send")],
        "DELETE /v1/drafts/{draft}": [.bad("/v1/drafts/{draft}")],
    ]

    private static let conversations: [String: [RouteProbe]] = [
        "GET /v1/conversations": [.good("/v1/conversations")],
        "POST /v1/conversations": [
            .bad("/v1/conversations", #"{"uniqueName":"ops"}"#),
            .bad("/v1/conversations", #"{"uniqueName":"ops","kind":"private"}"#),
        ],
        "GET /v1/conversations/{conversation}": [.good("/v1/conversations/{group}"), .bad("/v1/conversations/quoka")],
        "GET /v1/conversations/{conversation}/messages": [.good("/v1/conversations/{bob}/messages")],
        "GET /v1/conversations/{conversation}/unread": [.good("/v1/conversations/{bob}/unread")],
        "GET /v1/conversations/{conversation}/participants": [.good("/v1/conversations/{group}/participants")],
        "POST /v1/conversations/{conversation}/read": [
            .good("/v1/conversations/{bob}/read", #"{"upTo":"{received}"}"#),
            .bad("/v1/conversations/{bob}/read", #"{"upTo":"{inGroup}"}"#),
            .bad("/v1/conversations/quoka/read", #"{"all":true}"#),
        ],
        "POST /v1/conversations/{conversation}/typing": [
            .good("/v1/conversations/{bob}/typing", #"{"isTyping":false}"#),
            .bad("/v1/conversations/quoka/typing", #"{"isTyping":false}"#),
        ],
        "POST /v1/conversations/{conversation}/join": [
            .bad("/v1/conversations/{bob}/join"), .bad("/v1/conversations/{group}/join"),
            .bad("/v1/conversations/quoka/join"), .bad("/v1/conversations/%23quoka-group/join"),
        ],
        "POST /v1/conversations/{conversation}/leave": [
            .bad("/v1/conversations/{bob}/leave"), .bad("/v1/conversations/{group}/leave"),
            .bad("/v1/conversations/{open}/leave"),
        ],
        "POST /v1/conversations/{conversation}/invite": [
            .bad("/v1/conversations/{group}/invite", #"{"users":["quoka"]}"#)
        ],
        "POST /v1/conversations/{conversation}/remove": [
            .bad("/v1/conversations/{group}/remove", #"{"user":"quoka"}"#)
        ],
        "POST /v1/conversations/{conversation}/hand-over": [
            .bad("/v1/conversations/{group}/hand-over", #"{"user":"quoka"}"#)
        ],
        "POST /v1/conversations/{conversation}/update": [
            .bad("/v1/conversations/{group}/update", #"{"friendlyName":"x"}"#)
        ],
        "POST /v1/conversations/{conversation}/close": [.bad("/v1/conversations/{bob}/close")],
        "POST /v1/conversations/{conversation}/erase": [.bad("/v1/conversations/quoka/erase")],
        "POST /v1/conversations/{conversation}/notifications": [
            .bad("/v1/conversations/{group}/notifications", #"{"level":"none"}"#)
        ],
        "GET /v1/advertised": [.good("/v1/advertised")],
    ]

    private static let inbox: [String: [RouteProbe]] = [
        "GET /v1/inbox": [.good("/v1/inbox?consumer=c{fresh}"), .bad("/v1/inbox?consumer={consumer}")],
        "POST /v1/inbox/{consumer}": [.bad("/v1/inbox/{consumer}", #"{"ack":"x"}"#)],
        "POST /v1/inbox/{consumer}/fail": [
            .bad("/v1/inbox/{consumer}/fail", #"{"message":"{received}","reason":"x"}"#)
        ],
        "GET /v1/consumers": [.good("/v1/consumers")],
        "POST /v1/consumers": [.bad("/v1/consumers", #"{"name":"n{fresh}"}"#)],
        "POST /v1/consumers/{consumer}/move": [.bad("/v1/consumers/quoka/move", #"{"from":"now"}"#)],
        "DELETE /v1/consumers/{consumer}": [.bad("/v1/consumers/quoka")],
        "GET /v1/consumers/{consumer}/set-aside": [.bad("/v1/consumers/{consumer}/set-aside")],
        "POST /v1/consumers/{consumer}/set-aside/{message}/again": [
            .bad("/v1/consumers/{consumer}/set-aside/{received}/again")
        ],
    ]

    private static let files: [String: [RouteProbe]] = [
        "GET /v1/files": [.good("/v1/files")],
        "POST /v1/files": [.bad("/v1/files", #"{"path":"/nowhere"}"#)],
        "POST /v1/files/upload": [
            .good("/v1/files/upload?name=a.txt", "content"), .bad("/v1/files/upload", "content"),
        ],
        "GET /v1/files/rules": [.good("/v1/files/rules")],
        "POST /v1/files/rules": [.bad("/v1/files/rules", #"{"rules":[{"decision":"ask","sender":"quoka"}]}"#)],
        "GET /v1/files/{file}": [.good("/v1/files/{file}")],
        "GET /v1/files/{file}/content": [.good("/v1/files/{file}/content")],
        "GET /v1/files/{file}/picture": [.bad("/v1/files/{file}/picture")],
        "POST /v1/files/{file}/fetch": [.bad("/v1/files/{file}/fetch")],
        "POST /v1/files/{file}/decline": [.bad("/v1/files/{file}/decline")],
        "DELETE /v1/files/{file}": [.bad("/v1/files/x")],
        "POST /v1/files/{file}/save": [.bad("/v1/files/{file}/save", #"{"folder":"/nowhere","name":"x"}"#)],
    ]

    private static let others: [String: [RouteProbe]] = [
        "GET /v1/node": [.good("/v1/node")],
        "GET /v1/health": [.good("/v1/health")],
        "GET /v1/metrics": [.good("/v1/metrics")],
        "GET /v1/openapi.yaml": [.good("/v1/openapi.yaml")],
        "GET /v1/users": [.good("/v1/users")],
        "GET /v1/users/{user}": [.good("/v1/users/{bob}"), .bad("/v1/users/quoka")],
        "GET /v1/users/{user}/safety-number": [.good("/v1/users/{bob}/safety-number")],
        "GET /v1/users/{user}/profile": [.good("/v1/users/{bob}/profile")],
        "GET /v1/profile": [.good("/v1/profile")],
        "GET /v1/devices": [.bad("/v1/devices")],
        // As many as happened to the drafts of each caller before.
        "GET /v1/events": [.bad("/v1/events?after={beginning}&count=3"), .bad("/v1/events?names=quoka")],
        "POST /v1/notifications/handle": [.bad("/v1/notifications/handle", #"{"payload":"quoka"}"#)],
        "POST /v1/login": [
            .bad("/v1/login", #"{"login":"quoka"}"#),
            .bad("/v1/login", #"{"login":"quoka","cnonce":"0123456789abcdef","proof":"quoka"}"#),
        ],
        "GET /v1/session": [.bad("/v1/session"), .bad("/v1/session?session=quoka&cnonce=0123456789abcdef")],
    ]

    /// What no token does without the scope `all`.
    private static let ownersAlone: [String: [RouteProbe]] = [
        "POST /v1/users/{user}/trust": [.bad("/v1/users/quoka/trust", #"{"decision":"verify"}"#)],
        "POST /v1/profile": [.bad("/v1/profile", #"{"attributes":"{}"}"#)],
        "POST /v1/devices/{device}/name": [.bad("/v1/devices/quoka/name", #"{"name":"x"}"#)],
        "POST /v1/devices/{device}/revoke": [.bad("/v1/devices/quoka/revoke")],
        "GET /v1/pairing": [.bad("/v1/pairing")],
        "POST /v1/pairing": [.bad("/v1/pairing", #"{"withIdentity":true}"#)],
        "POST /v1/pairing/decision": [.bad("/v1/pairing/decision", #"{"accepted":true}"#)],
        "DELETE /v1/pairing": [.bad("/v1/pairing")],
        "GET /v1/tokens": [.bad("/v1/tokens")],
        "POST /v1/tokens": [.bad("/v1/tokens", #"{"name":"x","scopes":["all"]}"#)],
        "DELETE /v1/tokens/{token}": [.bad("/v1/tokens/quoka")],
        "GET /v1/notifications/targets": [.bad("/v1/notifications/targets")],
        "POST /v1/notifications/targets": [.bad("/v1/notifications/targets", #"{"kind":"desktop"}"#)],
        "DELETE /v1/notifications/targets/{target}": [.bad("/v1/notifications/targets/quoka")],
        "POST /v1/web": [.bad("/v1/web", "{}")],
        "DELETE /v1/web": [.bad("/v1/web")],
    ]
}
