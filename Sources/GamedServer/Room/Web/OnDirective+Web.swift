import HTTP
import Shell

/// Reads the part of an `on` line that is about an HTTP request.
extension OnDirective {
    /// The maximum number of headers in a line.
    private static let headerLimit = 16
    /// The headers that `OutgoingRequest` or libevent writes, in lower case.
    private static let reservedHeaders = [
        "host", "content-length", "transfer-encoding", "connection", "webhook-id",
        "webhook-timestamp", "webhook-signature",
    ]

    /// The request that the line describes. `text`, `template` and `boolean` read the value of a key of the line. Throws an
    /// error with the position of the mistake.
    func web() throws(ConfigurationFile.ConfigurationError) -> WebOutput {
        guard let (origin, path) = HTTPOrigin.split(try text("http")) else {
            throw mistake(
                "http", "expected http://HOST[:PORT]/PATH or https://…, without $ in the host")
        }
        let methodName = optionalText("method") ?? "POST"
        guard let method = WebOutput.methods.first(where: { $0.rawValue == methodName }) else {
            throw mistake("method", "expected GET, POST or PUT")
        }
        if method == .get, optionalText("body") != nil {
            throw mistake("body", "a GET request has no body")
        }
        let headers = try webHeaders()
        let body = try optionalText("body").map {
            text throws(ConfigurationFile.ConfigurationError) in
            try webBody(text, headers)
        }
        return WebOutput(
            origin: origin, path: try template("http", path), method: method,
            headers: headers, body: body, secrets: try secrets(),
            allowsSpecial: try boolean("allow-special"))
    }

    /// The body of a request with these headers.
    private func webBody(_ text: String, _ headers: [WebOutput.Header])
        throws(ConfigurationFile.ConfigurationError) -> PayloadTemplate
    {
        let template = try template("body", text)
        let contentType = headers.first { $0.name.lowercased() == "content-type" }?.value
        // A media type with a placeholder is not known here.
        guard let mediaType = contentType?.text({ _ in nil }) else {
            return PayloadTemplate(template, writtenAs: text)
        }
        guard let body = PayloadTemplate(template, ofType: mediaType) else {
            throw mistake("body", "is not JSON, but the header Content-Type says so")
        }
        return body
    }

    private func webHeaders() throws(ConfigurationFile.ConfigurationError) -> [WebOutput.Header] {
        guard headers.count <= Self.headerLimit else {
            throw mistake("header", "at most \(Self.headerLimit) headers")
        }
        var parsedHeaders: [WebOutput.Header] = []
        for (word, text) in headers {
            let parts = text.split(separator: ":", maxSplits: 1)
            let name = String(parts.first ?? "")
            guard parts.count == 2, !name.isEmpty, name.utf8.allSatisfy(Self.isNameByte),
                !text.utf8.contains(where: { $0 < 0x20 })
            else { throw file.mistake(line, word, "header: expected \"NAME: VALUE\"") }
            guard !Self.reservedHeaders.contains(name.lowercased()) else {
                throw file.mistake(line, word, "header: gamed sets \(name) itself")
            }
            // `OutgoingRequest` sends only the first header of a name.
            guard !parsedHeaders.contains(where: { $0.name.lowercased() == name.lowercased() })
            else { throw file.mistake(line, word, "header: \(name) is given twice") }
            let value = String(parts[1].drop { $0 == " " })
            parsedHeaders.append(WebOutput.Header(name: name, value: try template("header", value)))
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
    private func secrets() throws(ConfigurationFile.ConfigurationError) -> [WebhookSecret] {
        guard
            let path = optionalText("secret-file").map({
                ServiceCredential.path(file.resolvedPath($0))
            }),
            !ServiceCredential.isMissing(path)
        else { return [] }
        let texts: [String]
        do throws(SecretFileError) { texts = try SecretFile.lines(path) } catch {
            throw mistake("secret-file", error.why)
        }
        let secrets = texts.compactMap { WebhookSecret($0) }
        guard secrets.count == texts.count, 1...WebhookSecret.keyLimit ~= secrets.count else {
            throw mistake(
                "secret-file",
                "expected 1 to \(WebhookSecret.keyLimit) lines, each with whsec_ and a key "
                    + "of 24 to 64 bytes in Base64")
        }
        return secrets
    }
}
