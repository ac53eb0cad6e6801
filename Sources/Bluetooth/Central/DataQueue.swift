/// The outgoing ACL packets of all links. No more packets are in transit than the controller has buffers.
struct DataQueue {
    private struct WaitingPacket {
        let handle: UInt16
        let packet: HCIPacket
    }

    /// The length of the longest fragment, in bytes.
    private(set) var bufferLength = 27
    /// The number of the controller's free buffers.
    private var freeBuffers = 1
    /// The number of packets that the controller has not sent yet, by the handle of the link.
    private var inTransit: [UInt16: Int] = [:]
    private var waiting: [WaitingPacket] = []

    /// How many packets of a link wait for a buffer.
    func waitingCount(of handle: UInt16) -> Int { waiting.count { $0.handle == handle } }

    /// `length` and `freeBuffers` are the controller's values. Values below the standard's minimum are raised to it.
    init(bufferLength: Int = 27, freeBuffers: Int = 1) {
        (self.bufferLength, self.freeBuffers) = (max(bufferLength, 27), max(freeBuffers, 1))
    }

    mutating func append(_ frame: L2CAPFrame, to handle: UInt16) {
        for packet in ACLFragment.packets(of: frame, over: handle, limit: bufferLength, fromHost: true) {
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

    /// The controller has sent `count` packets of a link: frees their buffers. A count above the number in transit is reduced.
    mutating func releaseBuffers(_ count: Int, of handle: UInt16) {
        let done = min(count, inTransit[handle] ?? 0)
        freeBuffers += done
        inTransit[handle, default: 0] -= done
    }

    /// Removes a link that has ended. This frees the buffers of its packets in transit.
    mutating func removeLink(_ handle: UInt16) {
        freeBuffers += inTransit.removeValue(forKey: handle) ?? 0
        removeWaiting(of: handle)
    }

    /// Drops the waiting packets of a link that is about to end.
    mutating func removeWaiting(of handle: UInt16) { waiting.removeAll { $0.handle == handle } }
}
