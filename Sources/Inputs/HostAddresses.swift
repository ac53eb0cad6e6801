internal import EventLoop
internal import Glibc

/// An address in the form for connect(2), bind(2) and sendto(2).
struct SocketAddress: Equatable, Sendable {
    let family: Int32
    let bytes: [UInt8]

    /// Calls `body` with the address.
    func with<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var storage = sockaddr_storage()
        let count = min(bytes.count, MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix(count)) }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(count)) }
        }
    }
}

/// Resolves a host. Wraps getaddrinfo(3).
enum HostAddresses {
    enum Kind: Sendable { case stream, datagram }

    /// The addresses, or a sentence about the failure.
    enum Answer: Sendable {
        case found([SocketAddress])
        case failed(String)
    }

    /// The addresses of a host. May block for seconds on a name server, unless `isNumeric`.
    static func find(_ host: String, _ port: UInt16, _ kind: Kind, isNumeric: Bool = false)
        -> Answer
    {
        var hints = addrinfo()
        hints.ai_socktype = Int32(
            kind == .stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : 0)
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0 else {
            return .failed("\(host): \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(found) }
        var addresses: [SocketAddress] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            addresses.append(SocketAddress(family: entry.ai_family, bytes: Array(bytes)))
        }
        return .found(addresses)
    }

    /// Resolves a host on a thread of its own, and sends the answer with `number` to `inbox`.
    static func start(
        _ host: String, _ port: UInt16, _ kind: Kind, _ number: Int,
        _ inbox: ThreadInbox<(Int, Answer)>
    ) {
        do throws(EventLoopError) {
            try WorkerThread.start { inbox.send((number, find(host, port, kind))) }
        } catch { inbox.send((number, .failed("\(host): cannot start a thread: \(error)"))) }
    }
}
