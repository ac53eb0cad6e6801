import CEventHTTP

/// Replaces libevent's own error pages by JSON before they are sent. If libevent cannot parse a request, or does not support
/// it, libevent answers with HTML. Clients of this server do not expect HTML.
enum WebErrorPage {
    /// Watches the output of a connection for error pages. `buffers` is the connection's bufferevent. Wraps `evbuffer_add_cb`.
    static func watch(_ buffers: OpaquePointer) {
        evbuffer_add_cb(
            bufferevent_get_output(buffers),
            { buffer, change, _ in
                if let buffer, let change, change.pointee.n_added > 0 {
                    WebErrorPage.replace(buffer)
                }
            }, nil)
    }

    /// Replaces the content of the output buffer if the content is an error page of libevent.
    private static func replace(_ buffer: OpaquePointer) {
        let length = evbuffer_get_length(buffer)
        // libevent's pages are shorter than 1024 bytes. The 10th byte is the first digit of an error status: 4 or 5.
        guard 64..<1024 ~= length, 0x34...0x35 ~= byte(9, of: buffer) else { return }
        let text = String(decoding: firstBytes(length, of: buffer), as: UTF8.self)
        guard text.hasPrefix("HTTP/1."), text.hasSuffix("</HTML>\n"),
            let code = text.split(separator: " ").dropFirst().first.flatMap({ Int32($0) })
        else { return }
        let error = WebError(code: code, reason(in: text))
        // libevent freezes the front of its output buffer (the argument 1) against removal.
        evbuffer_unfreeze(buffer, 1)
        evbuffer_drain(buffer, length)
        evbuffer_freeze(buffer, 1)
        let bytes = error.responseBytes
        evbuffer_add(buffer, bytes, bytes.count)
    }

    /// The reason phrase in the status line of the page, such as `Not Found`.
    private static func reason(in page: String) -> String {
        let statusLine = page.prefix { $0 != "\r\n" && $0 != "\n" }
        let reason = statusLine.split(separator: " ", maxSplits: 2).dropFirst(2).first
        return reason.map(String.init) ?? ""
    }

    /// The byte at an index below 16; 0 if there is none. Every reply passes here, so nothing is allocated. Wraps
    /// `evbuffer_copyout`.
    private static func byte(_ index: Int, of buffer: OpaquePointer) -> UInt8 {
        var beginning = (UInt64(0), UInt64(0))
        return withUnsafeMutableBytes(of: &beginning) { memory in
            evbuffer_copyout(buffer, memory.baseAddress, index + 1) > index ? memory[index] : 0
        }
    }

    /// Wraps `evbuffer_copyout`.
    private static func firstBytes(_ count: Int, of buffer: OpaquePointer) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { memory, copiedCount in
            copiedCount = max(0, Int(evbuffer_copyout(buffer, memory.baseAddress, count)))
        }
    }
}
