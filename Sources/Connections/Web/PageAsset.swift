package import HTTP
import Sessions
import WebPages

/// A file of the web pages (HTML, script, style sheet or picture), embedded in the program. `WebServer` sends it.
package struct PageAsset {
    /// The name and the bytes of the file, as the generated C file declares them.
    private let asset: page_asset

    /// The content security policy: the pages may load only from this server, and execute only
    /// scripts that are files. `blob:` is for pictures and sounds: the players' page fetches them with its token, and
    /// shows them from memory. A video is too long for that.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "media-src 'self' blob:",
        "frame-src 'self'", "connect-src 'self'", "font-src 'self'", "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// The beginning of the paths of scripts, style sheets and pictures.
    static let filesPath: StaticString = "/page/"

    /// The file at the path of a URL; nil if no file has this path.
    package static func at(_ path: String) -> PageAsset? {
        if path == "/" { return named("desk/index.html") }
        if path == "/join" { return named("join/index.html") }
        if path == "/stats" { return named("stats/index.html") }
        if path == "/openapi.json" { return named("openapi.json") }
        if let session = rest(of: path, after: "/play/") ?? rest(of: path, after: "/overlay/") {
            return SessionName(session) == nil ? nil : named("play/index.html")
        }
        if let flow = rest(of: path, after: "/leaderboard/") {
            return isFlowName(flow) ? named("leaderboard/index.html") : nil
        }
        guard let name = rest(of: path, after: "\(filesPath)") else { return nil }
        return named(name)
    }

    /// The part of the path after the prefix; nil if the path does not begin with the prefix.
    private static func rest(of path: String, after prefix: String) -> String? {
        path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }

    /// Whether a text has the form of a flow's name. The script of the page asks the daemon whether the flow exists.
    private static func isFlowName(_ text: String) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    /// The names of all files: paths relative to the folder `WebPages`.
    package static let names: [String] = all.map { String(cString: $0.name) }

    /// The file with this name; nil if there is none.
    package static func named(_ name: String) -> PageAsset? {
        all.first { String(cString: $0.name) == name }.map { PageAsset(asset: $0) }
    }

    private static var all: UnsafeBufferPointer<page_asset> {
        UnsafeBufferPointer(start: page_all(), count: page_count())
    }

    private init(asset: page_asset) { self.asset = asset }

    package var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: asset.bytes, count: asset.length)
    }

    /// Answers a request with the file, compressed if the client accepts gzip. `compressed` is the server's cache of compressed
    /// files.
    package func reply(
        to head: RequestHead, over connection: HTTPConnection, _ compressed: CompressedPages
    ) {
        // Browsers apply the policy only to documents. In a reply with a script or a style sheet, this header would be a third
        // of the bytes.
        if isDocument { connection.response.set("Content-Security-Policy", Self.policy) }
        connection.response.caching = "no-cache"
        connection.response.set("Vary", "Accept-Encoding")
        guard Gzip.isAccepted(by: head.header("Accept-Encoding")),
            let compressedBytes = compressed.bytes(of: self)
        else { return connection.reply(.ok, type, bytes) }
        connection.response.set("Content-Encoding", "gzip")
        connection.reply(.ok, type, compressedBytes)
    }

    /// The path of the file, relative to the folder `WebPages`.
    package var name: String { String(cString: asset.name) }

    private var isDocument: Bool { !name.hasSuffix(".js") && !name.hasSuffix(".css") }

    /// The media type, for the header `Content-Type`.
    private var type: StaticString {
        switch name.split(separator: ".").last {
        case "html": "text/html; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "json": "application/json"
        default: "application/octet-stream"
        }
    }
}
