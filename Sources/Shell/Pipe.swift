internal import Glibc

/// Reading from a pipe.
enum Pipe {
    /// Reads from a pipe until all that can write to it have closed it. Wraps read(2).
    static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return bytes }
            bytes += buffer.prefix(count)
        }
    }
}
