/// Packets on their way over the links: as many at once as the controller has room for.
struct DataQueue {
    private struct Waiting {
        let handle: UInt16
        let packet: HCIPacket
    }

    /// How long a fragment may be, and for how many the controller has room.
    private(set) var length = 27
    private var room = 1
    private var onTheWay: [UInt16: Int] = [:]
    private var waiting: [Waiting] = []

    /// How many of a link wait for room.
    func count(of handle: UInt16) -> Int { waiting.count { $0.handle == handle } }

    /// As the controller said: at least what LE guarantees.
    init(length: Int = 27, room: Int = 1) {
        (self.length, self.room) = (max(length, 27), max(room, 1))
    }

    mutating func append(_ frame: L2CAPFrame, to handle: UInt16) {
        for packet in ACLFragment.packets(of: frame, over: handle, limit: length, fromHost: true) {
            waiting.append(Waiting(handle: handle, packet: packet))
        }
    }

    /// The next packet, if there is room for it.
    mutating func next() -> HCIPacket? {
        guard room > 0, !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        room -= 1
        onTheWay[first.handle, default: 0] += 1
        return first.packet
    }

    /// So many of a link's packets are gone. More than were on the way are not believed.
    mutating func completed(_ count: Int, of handle: UInt16) {
        let done = min(count, onTheWay[handle] ?? 0)
        room += done
        onTheWay[handle, default: 0] -= done
    }

    /// A link is no more, and with it what was on its way: the controller has that room again only now.
    mutating func forget(_ handle: UInt16) {
        room += onTheWay.removeValue(forKey: handle) ?? 0
        forgetWaiting(handle)
    }

    /// A link is to end: nothing more goes out over it.
    mutating func forgetWaiting(_ handle: UInt16) { waiting.removeAll { $0.handle == handle } }
}
