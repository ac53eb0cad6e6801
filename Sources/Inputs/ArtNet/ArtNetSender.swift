internal import EventLoop
internal import Glibc

/// Sends levels of DMX channels to receivers of Art-Net. A packet has all channels of a universe: those that were not set in this run
/// are 0. All calls are on the loop's thread.
public final class ArtNetSender {
    /// A universe of a receiver.
    private struct Universe: Hashable {
        let host: String
        let port: UInt16
        let number: Int
    }

    /// The levels of each universe for which some were set. The `on` lines limit their number.
    private var levels: [Universe: [UInt8]] = [:]
    /// A socket for each family of addresses that is used.
    private var sockets: [Int32: Int32] = [:]

    public init() {}

    deinit { for socket in sockets.values { close(socket) } }

    /// Sets the levels of some channels, which count from 1, and sends those of the universe to a numeric address, which may be a
    /// broadcast address. Returns nil when the kernel has taken the packet, otherwise a sentence about the failure. The levels
    /// stay set.
    public func send(
        _ channels: [(number: Int, level: UInt8)], universe: Int, toHost host: String, port: UInt16
    ) -> String? {
        guard ArtNetPacket.universes.contains(universe),
            channels.allSatisfy({ 1...ArtNetPacket.channels ~= $0.number }),
            let address = HostLookup.numericAddresses(of: host, port, for: .datagram)?.first
        else { return "\(host): not a numeric address, or no such channel" }
        let key = Universe(host: host, port: port, number: universe)
        var all = levels[key] ?? [UInt8](repeating: 0, count: ArtNetPacket.channels)
        for (number, level) in channels { all[number - 1] = level }
        levels[key] = all
        guard let socket = socket(Int32(address.family)) else {
            return String(cString: strerror(errno))
        }
        let bytes = ArtNetPacket.bytes(universe: universe, levels: all)
        let count = address.withPointer { sendto(socket, bytes, bytes.count, 0, $0, $1) }
        return count == bytes.count ? nil : String(cString: strerror(errno))
    }

    private func socket(_ family: Int32) -> Int32? {
        if let known = sockets[family] { return known }
        let type =
            Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(family, type, 0)
        guard descriptor >= 0 else { return nil }
        var permitsBroadcast: Int32 = 1
        setsockopt(
            descriptor, SOL_SOCKET, SO_BROADCAST, &permitsBroadcast,
            socklen_t(MemoryLayout<Int32>.size))
        sockets[family] = descriptor
        return descriptor
    }
}
