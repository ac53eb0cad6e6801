/// The devices that were heard of, in that order. Some make room for new ones: names and addresses cost whoever
/// sends them nothing.
struct DeviceList {
    private(set) var all: [Device] = []
    private var byAddress: [DeviceAddress: Device] = [:]
    var limit = Int.max

    subscript(_ address: DeviceAddress) -> Device? { byAddress[address] }

    /// Remembers one more.
    mutating func append(_ device: Device) {
        if all.count >= limit, let place = dispensable {
            byAddress[all.remove(at: place).address] = nil
        }
        all.append(device)
        byAddress[device.address] = device
    }

    /// Who is missed least: one that nobody wants; else one that never had a link; else one that has none. Those
    /// heard of first go first.
    private var dispensable: Int? {
        all.firstIndex { !$0.isWanted && !$0.isEngaged }
            ?? all.firstIndex { $0.lostAt == nil && !$0.isEngaged }
            ?? all.firstIndex { !$0.isEngaged }
    }
}
