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

    // MARK: on a thread

    /// Looks a name up on a thread of its own; the answer comes out of `door`.
    static func start(_ host: String, _ port: UInt16, _ door: Door<Answer>) {
        Question(host, port, door).ask()
    }

    /// What the thread works with.
    private final class Question: Sendable {
        private let (host, port, door): (String, UInt16, Door<Answer>)

        init(_ host: String, _ port: UInt16, _ door: Door<Answer>) {
            (self.host, self.port, self.door) = (host, port, door)
        }

        /// Wraps pthread_create(3).
        func ask() {
            var thread = pthread_t()
            let me = Unmanaged.passRetained(self)
            let status = pthread_create(
                &thread, nil,
                { me in
                    Unmanaged<Question>.fromOpaque(me!).takeRetainedValue().answer()
                    return nil
                }, me.toOpaque())
            if status == 0 {
                pthread_detach(thread)
            } else {
                me.release()
                fail(String(cString: strerror(status)))
            }
        }

        private func answer() { door.send(HostLookup.find(host, port, 0)) }

        private func fail(_ why: String) {
            let failure = NetworkSocket.Unavailable(
                why: "\(host): no thread: \(why)", isTemporary: true)
            door.send(.failure(failure))
        }
    }
}
