/// What is known of a device's attributes: their handles and types as Find Information tells, and the services'
/// declarations, which are read.
struct AttributeTable {
    /// A characteristic of a service.
    struct Characteristic: Equatable {
        let name: Subscription
        let declaration: UInt16
        let handle: UInt16
        /// Its client configuration; nil of one that notifies without being asked.
        let configuration: UInt16?
    }

    private(set) var attributes: [ATTAnswer.Attribute] = []
    private var services: [UInt16: BluetoothUUID] = [:]

    /// The handle to go on from; nil when there can be no more.
    var next: UInt16? {
        guard let last = attributes.last?.handle else { return 1 }
        return last == .max ? nil : last + 1
    }

    /// Takes in a page. False, and nothing is taken, if its handles do not go up from where it was asked to begin.
    mutating func append(_ page: [ATTAnswer.Attribute]) -> Bool {
        var last = attributes.last?.handle ?? 0
        for attribute in page {
            guard attribute.handle > last else { return false }
            last = attribute.handle
        }
        attributes += page
        return true
    }

    /// The handles of the services' declarations.
    var serviceHandles: [UInt16] {
        attributes.filter(\.type.beginsService).map(\.handle)
    }

    mutating func setService(_ value: [UInt8], at handle: UInt16) {
        services[handle] = BluetoothUUID(packet: value[...])
    }

    /// All characteristics, in the order of their handles.
    var characteristics: [Characteristic] {
        var found: [Characteristic] = []
        var service: BluetoothUUID?
        for (place, attribute) in attributes.enumerated() {
            switch attribute.type {
            case let type where type.beginsService: service = services[attribute.handle]
            case .characteristic:
                guard let service, place + 1 < attributes.count else { continue }
                let value = attributes[place + 1]
                let name = Subscription(service: service, characteristic: value.type)
                found.append(
                    Characteristic(
                        name: name, declaration: attribute.handle, handle: value.handle,
                        configuration: configuration(after: place + 1)))
            default: break
            }
        }
        return found
    }

    /// The first one before another characteristic or service begins.
    private func configuration(after place: Int) -> UInt16? {
        let own = attributes[(place + 1)...].prefix {
            !$0.type.beginsService && $0.type != .characteristic
        }
        return own.first { $0.type == .clientConfiguration }?.handle
    }
}
