/// The methods of HTTP requests that the daemon knows.
package enum HTTPMethod: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
    case options = "OPTIONS"
    case trace = "TRACE"
    case connect = "CONNECT"
    case patch = "PATCH"

    /// Whether a request with this method may have a body.
    var mayHaveBody: Bool {
        switch self {
        case .get, .post, .put, .delete, .patch, .options: true
        case .head, .trace, .connect: false
        }
    }

    /// The method with this name; nil if the daemon does not know it.
    package init?(_ name: ArraySlice<UInt8>) {
        // The most frequent ones first.
        switch name {
        case "POST": self = .post
        case "GET": self = .get
        default:
            guard
                let method = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name) }
                )
            else { return nil }
            self = method
        }
    }
}
