import Glibc

/// TCP ports of the loopback interface.
public enum LoopbackPort {
    /// A port that no program uses at present. Linux gives only higher ports to outgoing connections. So a program can close
    /// this port and open it again later. Wraps bind(2).
    public static func findUnused() -> Int {
        while true {
            let port = UInt16.random(in: 20_000..<32_000)
            if canBind(port) { return Int(port) }
        }
    }

    private static func canBind(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
