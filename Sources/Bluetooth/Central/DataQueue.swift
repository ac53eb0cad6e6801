/// The outgoing data packets (ACL packets) of all links. A packet occupies a buffer of the controller until the controller has
/// sent it to the device. So the queue hands out a packet only when a buffer is free.
struct DataQueue {
    /// The standard's minimum for the length of a buffer.
    static let minimumLength = 27

    private struct WaitingPacket {
        let handle: UInt16
        let packet: HCIPacket
    }

    /// The length of a buffer in bytes. It is also the length of the longest fragment.
    private let bufferLength: Int
    /// The number of the controller's free buffers.
    private var freeBuffers: Int
    /// The number of the controller's buffers that packets of a link occupy, by the link's connection handle.
    private var occupiedBuffers: [UInt16: Int] = [:]
    private var waiting: [WaitingPacket] = []

    /// How many packets of a link wait for a buffer.
    func waitingCount(of handle: UInt16) -> Int { waiting.count { $0.handle == handle } }

    /// The arguments are what the controller reports. Values below the standard's minimum are raised to the minimum.
    init(bufferLength: Int = DataQueue.minimumLength, freeBuffers: Int = 1) {
        self.bufferLength = max(bufferLength, DataQueue.minimumLength)
        self.freeBuffers = max(freeBuffers, 1)
    }

    /// Splits a frame into packets, and appends them.
    mutating func append(_ frame: L2CAPFrame, to handle: UInt16) {
        for packet in ACLFragment.packets(
            of: frame, over: handle, limit: bufferLength, fromHost: true)
        {
            waiting.append(WaitingPacket(handle: handle, packet: packet))
        }
    }

    /// Removes and returns the next packet, if a buffer is free; else returns nil.
    mutating func next() -> HCIPacket? {
        guard freeBuffers > 0, !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        freeBuffers -= 1
        occupiedBuffers[first.handle, default: 0] += 1
        return first.packet
    }

    /// Frees the buffers of `count` packets of a link, which the controller has sent. A count above the number of the link's
    /// occupied buffers is reduced to that number.
    mutating func releaseBuffers(_ count: Int, of handle: UInt16) {
        guard let occupied = occupiedBuffers[handle] else { return }
        let released = min(count, occupied)
        freeBuffers += released
        occupiedBuffers[handle] = occupied - released
    }

    /// Removes a link that has ended, and frees the buffers that its packets occupy.
    mutating func removeLink(_ handle: UInt16) {
        freeBuffers += occupiedBuffers.removeValue(forKey: handle) ?? 0
        removeWaiting(of: handle)
    }

    /// Drops the waiting packets of a link that is about to end.
    mutating func removeWaiting(of handle: UInt16) { waiting.removeAll { $0.handle == handle } }
}
