public import Timers

/// Sees every packet between a host and its controller, both ways.
public typealias PacketTap = (HCIPacket, PacketDirection, Instant) -> Void

/// Which way a packet went.
public enum PacketDirection: Sendable {
    case toController, toHost
}
