import Access
import HTTP
import RPC
import Support

/// `/media/FILE`: pictures, sounds, videos and the theme of the players' pages.
extension WebServer {
    /// The style sheet that changes the look of the players' page, for flows without one of their own.
    private static let themeName = "theme.css"

    /// Whether a file of this name is a style sheet of the players' pages, of all sessions or of one flow's sessions.
    private static func isTheme(_ name: String) -> Bool {
        name == themeName || (name.hasPrefix("themes/") && name.hasSuffix(".css"))
    }

    /// The file of this name. A flow without its own style sheet uses the style sheet of all flows.
    private func mediaFile(_ name: String) -> MediaFile? {
        let files = context.media.files
        return files[ByteText(name)] ?? (Self.isTheme(name) ? files[ByteText(Self.themeName)] : nil)
    }

    /// The content security policy: scripts in a file, such as an SVG file, are not executed.
    static let mediaPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    /// The policy of an operator's own page: its scripts are executed, and can neither read cookies nor send requests.
    private static let ownPagePolicy =
        "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"

    /// Sends a file to a client that may observe at least one session. `path` is the end of the request's path.
    func sendMedia(
        _ connection: HTTPConnection, _ head: RequestHead, _ path: String,
        _ webIdentity: WebIdentity
    ) throws(WebError) {
        let rights = context.authorizer.rights(of: webIdentity.identity)
        guard rights.has(.observe) else { throw unauthorized("media", to: webIdentity.identity) }
        let name = FormText.decode(path.utf8, plusIsSpace: false)
        guard let file = name.flatMap(mediaFile) else {
            // Each players' page asks for the theme, which is optional. Browsers report 404 as an error in their console.
            guard name.map(Self.isTheme) == true else {
                throw WebError(.notFound, why: "no media file has this name")
            }
            return connection.reply(.noContent)
        }
        connection.response.set(
            "Content-Security-Policy", file.isDocument ? Self.ownPagePolicy : Self.mediaPolicy)
        connection.response.caching = "private, no-cache"
        connection.response.set("Vary", "Cookie, Authorization, Gamed-Page")
        connection.response.set("ETag", file.tag)
        if head.header("If-None-Match") == file.tag { return connection.reply(.notModified) }
        switch file.content {
        case .memory(let bytes): connection.reply(file.type, sharing: bytes)
        case .disk(let descriptor): send(file, descriptor, connection, head)
        }
    }

    /// Sends a file on the disk, or the part of it that the client asks for.
    private func send(
        _ file: MediaFile, _ descriptor: PassedFile, _ connection: HTTPConnection,
        _ head: RequestHead
    ) {
        let size = file.stamp.size
        connection.response.set("Accept-Ranges", "bytes")
        // A part of a file that has changed does not fit to the parts that the client has.
        let isSameFile = head.header("If-Range").map { $0 == file.tag } ?? true
        let isForPart = isSameFile && head.method == .get
        switch ByteRange(isForPart ? head.header("Range") : nil, ofSize: size) {
        case .whole: connection.reply(.ok, file.type, descriptor, 0..<size)
        case .part(let range):
            connection.response.set(
                "Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(size)")
            connection.reply(.partialContent, file.type, descriptor, range)
        case .unsatisfiable:
            connection.response.set("Content-Range", "bytes */\(size)")
            connection.reply(.rangeNotSatisfiable)
        }
    }
}
