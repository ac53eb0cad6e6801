import CEventHTTP
import RPC
import Support

/// `/media/FILE`: pictures, sounds and the theme of the players' pages.
extension WebServer {
    static let mediaPath = "/media/"

    /// The style sheet that changes the look of the players' page.
    private static let themeName = "theme.css"

    /// The content security policy: scripts in a file, such as an SVG file, are not executed.
    private static let mediaPolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

    /// Sends a file to a client that may observe at least one session.
    func sendMedia(_ request: WebRequest, _ head: RequestHead, _ webIdentity: WebIdentity)
        throws(WebError)
    {
        let rights = context.authorizer.rights(of: webIdentity.identity)
        guard rights.has(.observe) else { throw unauthorized("media", to: webIdentity.identity) }
        let path = head.path.dropFirst(Self.mediaPath.count)
        let name = WebRequest.decode(path, plusIsSpace: false)
        guard let file = name.flatMap({ context.media?.files[ByteText($0)] }) else {
            // Each players' page asks for the theme, which is optional. Browsers report 404 as an error in their console.
            guard name == Self.themeName else {
                throw WebError(.notFound, why: "no media file has this name")
            }
            return request.reply(.noContent, nil, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        request.set("Content-Security-Policy", Self.mediaPolicy)
        request.set("Cache-Control", "private, no-cache")
        request.set("Vary", "Cookie, Authorization, Gamed-Page")
        request.set("ETag", file.tag)
        guard head.header("If-None-Match") != file.tag else {
            return request.reply(.notModified, nil, UnsafeRawBufferPointer(start: nil, count: 0))
        }
        request.reply(file)
    }
}
