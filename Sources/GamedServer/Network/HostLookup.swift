import CLinux
import EventLoop
import Glibc
import Timers

/// Resolves a host to the addresses at which to listen. Wraps getaddrinfo(3).
enum HostLookup {
    /// An address in the form for bind(2).
    struct ResolvedAddress: Sendable {
        let family: Int32
        let bytes: [UInt8]
    }

    /// The addresses that were found, or the error.
    typealias Answer = Result<[ResolvedAddress], NetworkSocket.SocketError>

    /// The addresses of a host. May block for seconds on a name server.
    static func addresses(of host: String, _ port: UInt16)
        throws(NetworkSocket.SocketError) -> [ResolvedAddress]
    {
        try find(host, port, 0).get()
    }

    /// The addresses of a numeric host; nil for a name.
    static func numericAddresses(of host: String, _ port: UInt16) -> [ResolvedAddress]? {
        try? find(host, port, AI_NUMERICHOST).get()
    }

    private static func find(_ host: String, _ port: UInt16, _ flags: Int32) -> Answer {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV | flags
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0 else {
            let why = "\(host): \(String(cString: gai_strerror(status)))"
            return .failure(.init(why: why, isTemporary: temporary.contains(status)))
        }
        defer { freeaddrinfo(found) }
        var addresses: [ResolvedAddress] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            addresses.append(ResolvedAddress(family: entry.ai_family, bytes: Array(bytes)))
        }
        return .success(addresses)
    }

    /// The errors that occur before the network or the name server is available. -5 is EAI_NODATA,
    /// which is a GNU extension.
    private static let temporary: Set<Int32> = [EAI_AGAIN, EAI_NONAME, EAI_FAIL, -5]

    /// Resolves a name on a separate thread; sends the answer to `door`.
    static func start(_ host: String, _ port: UInt16, _ door: ThreadInbox<Answer>) {
        do throws(EventLoopError) {
            try WorkerThread.start { door.send(find(host, port, 0)) }
        } catch {
            let why = "\(host): cannot start a thread to look up the name: \(error)"
            door.send(.failure(NetworkSocket.SocketError(why: why, isTemporary: true)))
        }
    }
}
