import HTTP
package import Parts
import Shell

/// Reads the part of an `on` line that is about an HTTP request.
extension WebOutput {
    /// The maximum number of headers in a line.
    private static let headerLimit = 16
    /// The headers that `OutgoingRequest` or libevent writes, in lower case.
    private static let reservedHeaders = [
        "host", "content-length", "transfer-encoding", "connection", "webhook-id",
        "webhook-timestamp", "webhook-signature",
    ]

    package init(_ line: OnDirective) throws(ConfigurationError) {
        guard let (origin, path) = HTTPOrigin.split(try line.text(Self.word)) else {
            throw line.mistake(
                Self.word, "expected http://HOST[:PORT]/PATH or https://…, without $ in the host")
        }
        let methodName = line.optionalText("method") ?? "POST"
        guard let method = Self.methods.first(where: { $0.rawValue == methodName }) else {
            throw line.mistake("method", "expected GET, POST or PUT")
        }
        if method == .get, line.optionalText("body") != nil {
            throw line.mistake("body", "a GET request has no body")
        }
        let headers = try Self.headers(line)
        let body: Body =
            if let text = line.optionalText("body") {
                .text(try Self.body(text, headers, line))
            } else { method == .get ? .none : .webhook }
        self.init(
            origin: origin, path: try line.template(Self.word, path), method: method,
            headers: headers, body: body, secrets: try Self.secrets(line),
            allowsSpecial: try line.boolean("allow-special"))
    }

    /// The body of a request with these headers.
    private static func body(_ text: String, _ headers: [Header], _ line: OnDirective)
        throws(ConfigurationError) -> PayloadTemplate
    {
        let template = try line.template("body", text)
        let contentType = headers.first { $0.name.lowercased() == "content-type" }?.value
        // A media type with a placeholder is not known here.
        guard let mediaType = contentType?.text({ _ in nil }) else {
            return PayloadTemplate(template, writtenAs: text)
        }
        guard let body = PayloadTemplate(template, ofType: mediaType) else {
            throw line.mistake("body", "is not JSON, but the header Content-Type says so")
        }
        return body
    }

    private static func headers(_ line: OnDirective) throws(ConfigurationError) -> [Header] {
        let headers = line.repeated("header")
        guard headers.count <= headerLimit else {
            throw line.mistake("header", "at most \(headerLimit) headers")
        }
        var parsedHeaders: [Header] = []
        for (word, text) in headers {
            let parts = text.split(separator: ":", maxSplits: 1)
            let name = String(parts.first ?? "")
            guard parts.count == 2, !name.isEmpty, name.utf8.allSatisfy(isNameByte),
                !text.utf8.contains(where: { $0 < 0x20 })
            else { throw line.file.mistake(line.line, word, "header: expected \"NAME: VALUE\"") }
            guard !reservedHeaders.contains(name.lowercased()) else {
                throw line.file.mistake(line.line, word, "header: gamed sets \(name) itself")
            }
            // `OutgoingRequest` sends only the first header of a name.
            guard !parsedHeaders.contains(where: { $0.name.lowercased() == name.lowercased() })
            else { throw line.file.mistake(line.line, word, "header: \(name) is given twice") }
            let value = String(parts[1].drop { $0 == " " })
            parsedHeaders.append(Header(name: name, value: try line.template("header", value)))
        }
        return parsedHeaders
    }

    /// Whether a byte may be in the name of a header.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        let character = Character(Unicode.Scalar(byte))
        return byte < 0x80
            && (character.isLetter || character.isNumber || "!#$%&'*+-.^_`|~".contains(character))
    }

    /// The secrets that sign the request: the lines of the file that `secret-file` names; empty without `secret-file`.
    private static func secrets(_ line: OnDirective) throws(ConfigurationError) -> [WebhookSecret] {
        guard
            let path = line.optionalText("secret-file").map({
                ServiceCredential.path(line.file.resolvedPath($0))
            }),
            !ServiceCredential.isMissing(path)
        else { return [] }
        let texts: [String]
        do throws(SecretFileError) { texts = try SecretFile.lines(path) } catch {
            throw line.mistake("secret-file", error.why)
        }
        let secrets = texts.compactMap { WebhookSecret($0) }
        guard secrets.count == texts.count, 1...WebhookSecret.keyLimit ~= secrets.count else {
            throw line.mistake(
                "secret-file",
                "expected 1 to \(WebhookSecret.keyLimit) lines, each with whsec_ and a key "
                    + "of 24 to 64 bytes in Base64")
        }
        return secrets
    }
}
