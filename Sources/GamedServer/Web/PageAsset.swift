import Sessions
import WebPages

/// A file of the web page, embedded in the program.
struct PageAsset {
    private let asset: page_asset

    /// The content security policy: the page may load only from this server, and execute only
    /// scripts from its files.
    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:",
        "media-src blob:",
        "connect-src 'self'", "font-src 'self'", "manifest-src 'self'", "base-uri 'none'",
        "form-action 'none'", "frame-ancestors 'none'",
    ].joined(separator: "; ")

    /// The file at a path; nil if no file has this path.
    static func at(_ path: String) -> PageAsset? {
        if path == "/" { return named("desk/index.html") }
        if path == "/join" { return named("join/index.html") }
        if path == "/stats" { return named("stats/index.html") }
        if path == "/openapi.json" { return named("openapi.json") }
        if path.hasPrefix("/play/") {
            return SessionName(String(path.dropFirst(6))) == nil ? nil : named("play/index.html")
        }
        if path.hasPrefix("/leaderboard/") {
            return isFlowName(path.dropFirst(13)) ? named("leaderboard/index.html") : nil
        }
        guard path.hasPrefix("/page/") else { return nil }
        return named(String(path.dropFirst(6)))
    }

    /// Whether a text can be the name of a flow. The page itself asks whether there is such a flow.
    private static func isFlowName(_ text: Substring) -> Bool {
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

    /// The names of all files.
    static let names: [String] = all.map { String(cString: $0.name) }

    static func named(_ name: String) -> PageAsset? {
        all.first { String(cString: $0.name) == name }.map { PageAsset(asset: $0) }
    }

    private static var all: UnsafeBufferPointer<page_asset> {
        UnsafeBufferPointer(start: page_all(), count: page_count())
    }

    private init(asset: page_asset) { self.asset = asset }

    var bytes: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: asset.bytes, count: asset.length)
    }

    /// Sends the file, compressed if the client accepts gzip.
    func reply(to request: WebRequest, _ compressed: CompressedPages) {
        // Browsers apply the policy only to documents. In a reply with a script or a style sheet, this header would be a third
        // of the bytes.
        if isDocument { request.set("Content-Security-Policy", Self.policy) }
        request.set("Cache-Control", "no-cache")
        request.set("Vary", "Accept-Encoding")
        guard Gzip.isAccepted(by: request.head.header("Accept-Encoding")),
            let compressedBytes = compressed.bytes(of: self)
        else { return request.reply(.ok, type, bytes) }
        request.set("Content-Encoding", "gzip")
        request.reply(.ok, type, compressedBytes)
    }

    var name: String { String(cString: asset.name) }

    private var isDocument: Bool { !name.hasSuffix(".js") && !name.hasSuffix(".css") }

    private var type: String {
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
