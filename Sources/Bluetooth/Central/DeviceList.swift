/// The devices that were heard of, in that order. Those that nobody wants make room for new ones.
struct DeviceList {
    private(set) var all: [Device] = []
    private var byAddress: [DeviceAddress: Device] = [:]
    var limit = Int.max

    subscript(_ address: DeviceAddress) -> Device? { byAddress[address] }

    /// Remembers one more.
    mutating func append(_ device: Device) {
        if all.count >= limit,
            let oldest = all.firstIndex(where: { !$0.isWanted && !$0.isEngaged })
        {
            byAddress[all.remove(at: oldest).address] = nil
        }
        all.append(device)
        byAddress[device.address] = device
    }
}
