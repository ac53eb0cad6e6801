package import EventLoop
import GameFlow
package import HTTP
import JSONCoding
package import Parts
import RPC
import Support

/// The HTTP request that an `on` line describes. It is a webhook, whose body Standard Webhooks 1.0 defines, or a request to a
/// simple device. For a device, the line contains the body, or there is no body.
package struct WebOutput: OutputTarget {
    package static let word = "http"
    package static let form =
        "http=URL [secret-file=FILE] [allow-special=yes] [method=GET|POST|PUT] [header=\"NAME: VALUE\"] [body=TEXT]"
    package static let keys = ["secret-file", "allow-special", "method", "header", "body"]
    package static let repeatableKeys = ["header"]
    package static let fileKeys = ["secret-file"]
    package static var serviceNeeds: [ServiceNeed] { [.network("http=", dropIn: word)] }

    /// The methods that a line can name.
    package static let methods = [HTTPMethod.get, .post, .put]

    /// What the request contains.
    package enum Body: Equatable {
        /// The occasion in the form of Standard Webhooks.
        case webhook
        /// The text of the line.
        case text(PayloadTemplate)
        /// Nothing, as for GET.
        case none
    }

    /// A header that the line adds to the request.
    package struct Header: Equatable {
        package let name: String
        package let value: OutputTemplate
    }

    package let origin: HTTPOrigin
    /// The path and the query.
    package let path: OutputTemplate
    package let method: HTTPMethod
    package let headers: [Header]
    package let body: Body
    /// The keys that sign the request. The request has one signature for each key, and the receiver accepts it if it knows one
    /// of these keys. Empty if the request is not signed.
    package let secrets: [WebhookSecret]
    /// Whether loopback, link-local and multicast addresses are allowed.
    package let allowsSpecial: Bool

    /// The maximum length of a path with its query, and of a header's value, in bytes.
    package static let byteLimit = 4096

    package var name: String { "http \(origin.text)" }
    package var connection: String { Self.word }
    package var usesConnection: Bool { false }

    package static func sender(_ connections: RoomConnections, on loop: LibeventLoop)
        throws(EventLoopError) -> any OutputSender
    {
        WebSender(on: loop)
    }

    /// The line names an address of this machine, and does not permit it.
    package static func mistake(_ line: ConfigurationFile.Line, _ file: ConfigurationFile)
        -> ConfigurationError?
    {
        guard let word = line.words.first(where: { $0.key == "http" }),
            let host = HTTPOrigin.split(String(word.value))?.origin.host,
            SpecialAddress.isCertain(host: host),
            !line.words.contains(where: { $0.text == "allow-special=yes" })
        else { return nil }
        return file.mistake(line, word, "http: \(SpecialAddress.sentence(about: host))")
    }

    /// The request to send on an occasion. Throws also if a text is too long, a header contains a control character, or a value
    /// makes a segment of the path `.` or `..`.
    package func content(of occasion: OutputOccasion, id: String) throws(ContentError)
        -> WebRequestContent
    {
        guard let path = path.text(occasion.value(of:), convert: PercentEncoding.encode),
            path.utf8.count <= Self.byteLimit, Self.dotSegments(path) == ownDotSegments
        else {
            throw ContentError(
                Self.word, path.placeholders, occasion.value(of:),
                otherwise:
                    "the path is longer than \(Self.byteLimit) bytes, or a value makes a . or .. in it"
            )
        }
        var content = WebRequestContent(
            id: id, origin: origin, path: path, method: method, headers: try headers(occasion),
            secrets: secrets, allowsSpecial: allowsSpecial)
        switch body {
        case .webhook:
            content.body = Self.webhook(occasion, id: id)
            content.headers.append(("Content-Type", "application/json"))
        case .text(let template):
            content.body = Array(try template.text(for: "body", occasion.value(of:)).utf8)
        case .none: break
        }
        return content
    }

    /// The number of segments `.` and `..` that the line itself has in its path. A server resolves such a segment to another
    /// path, so a value must not make one.
    private var ownDotSegments: Int {
        path.text({ _ in .string("x") }, convert: { $0 }).map(Self.dotSegments) ?? 0
    }

    private static func dotSegments(_ pathAndQuery: String) -> Int {
        pathAndQuery.utf8.prefix { $0 != UInt8(ascii: "?") }
            .split(separator: UInt8(ascii: "/"))
            .count { (1...2).contains($0.count) && $0.allSatisfy { $0 == UInt8(ascii: ".") } }
    }

    /// The headers with the values of an occasion. Throws if a value is missing or too long, or contains a control character.
    private func headers(_ occasion: OutputOccasion) throws(ContentError) -> [(
        name: String, value: String
    )] {
        var filledHeaders: [(name: String, value: String)] = []
        for header in headers {
            let isControl: (Unicode.Scalar) -> Bool = { $0.value < 0x20 || $0.value == 0x7F }
            let value = try header.value.text(
                for: "header", forbids: isControl, occasion.value(of:),
                isValid: { $0.utf8.count <= Self.byteLimit },
                otherwise: "longer than \(Self.byteLimit) bytes")
            filledHeaders.append((header.name, value))
        }
        return filledHeaders
    }

    /// The body of a webhook, as Standard Webhooks 1.0 defines it.
    private static func webhook(_ occasion: OutputOccasion, id: String) -> [UInt8] {
        JSONWriter.bytes {
            $0.object([
                Member("type", occasion.type), Member("timestamp", Timestamp.text(occasion.at)),
                Member("data", .object(occasion.members(id: id))),
            ])
        }
    }
}

/// An HTTP request without placeholders, ready to be sent by `WebSender`.
package struct WebRequestContent: OutputContent {
    /// The id of the output, which is sent as the header `webhook-id`.
    package let id: String
    package let origin: HTTPOrigin
    /// The path and the query.
    package let path: String
    package let method: HTTPMethod
    package var headers: [(name: String, value: String)]
    package var body: [UInt8] = []
    /// The keys that sign the request.
    package let secrets: [WebhookSecret]
    /// Whether the request may be sent to a `SpecialAddress`.
    package let allowsSpecial: Bool

    /// Without the path, which may be a secret.
    package var summary: String {
        "\(method.rawValue) \(origin.text)\(path.utf8.count > 1 ? "/…" : path)"
    }
}
