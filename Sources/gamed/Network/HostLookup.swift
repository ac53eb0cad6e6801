import CLinux
import EventLoop
import Glibc
import Timers

/// Finds the addresses of a host, to listen at them. Wraps getaddrinfo(3).
enum HostLookup {
    /// An address as bind(2) takes it.
    struct Address: Sendable {
        let family: Int32
        let bytes: [UInt8]
    }

    /// What a lookup found, or why it found nothing.
    typealias Answer = Result<[Address], NetworkSocket.Unavailable>

    /// The addresses of a host. A name server may take seconds to answer.
    static func addresses(of host: String, _ port: UInt16)
        throws(NetworkSocket.Unavailable) -> [Address]
    {
        try find(host, port, 0).get()
    }

    /// The address of a host that is a number; nil of a name.
    static func numericAddresses(of host: String, _ port: UInt16) -> [Address]? {
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
        var addresses: [Address] = []
        var next = found
        while let entry = next?.pointee {
            next = entry.ai_next
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            addresses.append(Address(family: entry.ai_family, bytes: Array(bytes)))
        }
        return .success(addresses)
    }

    /// What a lookup says before the network or the name server is there. -5 is EAI_NODATA, which only GNU has.
    private static let temporary: Set<Int32> = [EAI_AGAIN, EAI_NONAME, EAI_FAIL, -5]

    /// Looks a name up on a thread of its own; the answer comes out of `door`.
    static func start(_ host: String, _ port: UInt16, _ door: ThreadInbox<Answer>) {
        do throws(EventLoopError) {
            try WorkerThread.start { door.send(find(host, port, 0)) }
        } catch {
            let why = "\(host): no thread for the name: \(error)"
            door.send(.failure(NetworkSocket.Unavailable(why: why, isTemporary: true)))
        }
    }
}
