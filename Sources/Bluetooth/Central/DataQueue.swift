/// Outgoing ACL packets of all links. At most as many are in transit as the controller has buffers for.
struct DataQueue {
    private struct WaitingPacket {
        let handle: UInt16
        let packet: HCIPacket
    }

    /// The longest fragment, and the number of free buffers.
    private(set) var length = 27
    private var freeBuffers = 1
    private var inTransit: [UInt16: Int] = [:]
    private var waiting: [WaitingPacket] = []

    /// How many packets of a link wait for a buffer.
    func count(of handle: UInt16) -> Int { waiting.count { $0.handle == handle } }

    /// Takes the controller's values, which are at least the minimum of the standard.
    init(length: Int = 27, freeBuffers: Int = 1) {
        (self.length, self.freeBuffers) = (max(length, 27), max(freeBuffers, 1))
    }

    mutating func append(_ frame: L2CAPFrame, to handle: UInt16) {
        for packet in ACLFragment.packets(of: frame, over: handle, limit: length, fromHost: true) {
            waiting.append(WaitingPacket(handle: handle, packet: packet))
        }
    }

    /// The next packet, if a buffer is free; else nil.
    mutating func next() -> HCIPacket? {
        guard freeBuffers > 0, !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        freeBuffers -= 1
        inTransit[first.handle, default: 0] += 1
        return first.packet
    }

    /// Frees the buffers of sent packets. More than are in transit are ignored.
    mutating func completed(_ count: Int, of handle: UInt16) {
        let done = min(count, inTransit[handle] ?? 0)
        freeBuffers += done
        inTransit[handle, default: 0] -= done
    }

    /// Removes a link that has ended. The controller frees its buffers only now.
    mutating func removeLink(_ handle: UInt16) {
        freeBuffers += inTransit.removeValue(forKey: handle) ?? 0
        removeWaiting(of: handle)
    }

    /// Drops the waiting packets of a link that is about to end.
    mutating func removeWaiting(of handle: UInt16) { waiting.removeAll { $0.handle == handle } }
}
