import CServedFiles

/// The document of the local API, `docs/openapi.yaml`.
enum OpenAPIDocument {
    static var text: String { String(cString: served_document.text) }
}
