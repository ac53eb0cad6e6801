import CEventHTTP
import HTTP

/// libevent answers by itself what it cannot read, or does not know: with a page of HTML, which no program expects
/// here. Puts JSON in its place before it goes out.
enum WebErrorPage {
    /// Looks at all that is written to a connection. Wraps `evbuffer_add_cb`.
    static func watch(_ buffers: OpaquePointer) {
        evbuffer_add_cb(
            bufferevent_get_output(buffers),
            { buffer, change, _ in
                if let buffer, let change, change.pointee.n_added > 0 {
                    WebErrorPage.replace(buffer)
                }
            }, nil)
    }

    private static func replace(_ buffer: OpaquePointer) {
        let length = evbuffer_get_length(buffer)
        // A page of libevent's is shorter than this, and begins with an error.
        guard 64..<1024 ~= length, let digit = first(10, of: buffer).last, 0x34...0x35 ~= digit
        else { return }
        let text = String(decoding: first(length, of: buffer), as: UTF8.self)
        guard text.hasPrefix("HTTP/1."), text.hasSuffix("</HTML>\n"),
            let code = text.split(separator: " ").dropFirst().first.flatMap({ Int32($0) })
        else { return }
        let error = WebError(code: code, reason(in: text))
        // What is to go out is frozen so that nobody takes it away.
        evbuffer_unfreeze(buffer, 1)
        evbuffer_drain(buffer, length)
        evbuffer_freeze(buffer, 1)
        let bytes = error.message
        evbuffer_add(buffer, bytes, bytes.count)
    }

    private static func reason(in page: String) -> String {
        let line = page.prefix { $0 != "\r\n" && $0 != "\n" }
        return line.split(separator: " ", maxSplits: 2).dropFirst(2).first.map(String.init) ?? ""
    }

    /// Wraps `evbuffer_copyout`.
    private static func first(_ count: Int, of buffer: OpaquePointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { room, taken in
            taken = max(0, Int(evbuffer_copyout(buffer, room.baseAddress, count)))
        }
    }
}
