/// Discovers the characteristics of a device over a new link, and subscribes to the wanted ones.
///
/// First reads the handles and types of all attributes (the request Find Information), and then the values of the service
/// declarations. Never uses the request Read By Type: it is not needed, and Debian's btmon crashes when it reads a capture with
/// the responses.
final class Discovery {
    /// How a discovery ended.
    enum Outcome {
        /// The subscriptions are made; `problem` describes those that failed.
        case ready(problem: String?)
        /// The device does not respond, a response is malformed, or the device has too many attributes. The value is a text for
        /// operators.
        case failed(String)
    }

    private(set) var table = AttributeTable()
    /// The subscribed characteristics, by the handle of their value.
    private(set) var subscriptionsByHandle: [UInt16: Subscription] = [:]
    private let client: ATTClient
    private let wantedSubscriptions: [Subscription]
    /// The maximum number of attributes that the device may have.
    private let limit: Int
    private let report: (Finding) -> Void
    private let completion: (Outcome) -> Void
    /// Sentences that describe the subscriptions that failed.
    private var problems: [String] = []

    /// An intermediate result.
    enum Finding {
        /// `subscriptionsByHandle` is complete.
        case handles
        /// The value of the battery level.
        case battery([UInt8])
        /// A subscription was made, other than that to the battery level.
        case subscribed
    }

    init(
        _ client: ATTClient, _ wantedSubscriptions: [Subscription], limit: Int,
        report: @escaping (Finding) -> Void, completion: @escaping (Outcome) -> Void
    ) {
        (self.client, self.wantedSubscriptions, self.limit) = (client, wantedSubscriptions, limit)
        (self.report, self.completion) = (report, completion)
    }

    /// Sends the first request: negotiates the maximum length of a packet (MTU).
    func begin() {
        client.request(.mtuRequest, [UInt16(ATTPacket.maximumMTU)]) { [weak self] response in
            switch response {
            // A device that does not support the request uses the default MTU.
            case .mtu?, .refused?: self?.findInformation()
            default: self?.fail("MTU exchange")
            }
        }
    }

    /// Ends the discovery because the response to `request` is missing or invalid.
    private func fail(_ request: String) { completion(.failed("\(request): no valid response")) }

    // MARK: handles and types

    /// Requests the handles and types of further attributes, until the device has no more.
    private func findInformation() {
        guard let next = table.nextHandle else { return readServices(table.serviceHandles[...]) }
        client.request(.findInformationRequest, [next, .max]) { [weak self] response in
            guard let self else { return }
            switch response {
            case .information(let page)?:
                guard table.append(page) else { return fail("attribute discovery") }
                guard table.attributes.count <= limit else {
                    return completion(.failed("it has more than \(limit) attributes"))
                }
                findInformation()
            // There are no attributes from the handle `next` on.
            case .refused?: readServices(table.serviceHandles[...])
            default: fail("attribute discovery")
            }
        }
    }

    /// Reads the service declarations with these handles, one after another.
    private func readServices(_ handles: ArraySlice<UInt16>) {
        guard let handle = handles.first else { return chooseCharacteristics() }
        client.request(.readRequest, [handle]) { [weak self] response in
            guard let self else { return }
            switch response {
            case .value(let value)?: table.setService(value, at: handle)
            case .refused?: break
            default: return fail("service discovery")
            }
            readServices(handles.dropFirst())
        }
    }

    // MARK: subscriptions

    /// Finds the wanted characteristics among the characteristics of the device.
    private func chooseCharacteristics() {
        let characteristics = table.characteristics
        let missing = wantedSubscriptions.filter { wanted in
            !characteristics.contains { $0.name == wanted }
        }
        if !missing.isEmpty {
            // The operator needs to know which characteristics exist: at most eight, so that the sentence stays short.
            let names = characteristics.prefix(8).map(\.name.text).joined(separator: ", ")
            problems.append(
                "it has no \(missing.map(\.text).joined(separator: ", ")); it has \(names.isEmpty ? "no characteristics" : names)"
            )
        }
        let selection = characteristics.filter {
            wantedSubscriptions.contains($0.name) || $0.name == .battery
        }
        for characteristic in selection {
            subscriptionsByHandle[characteristic.handle] = characteristic.name
        }
        report(.handles)
        subscribe(selection[...])
    }

    /// Subscribes to the remaining characteristics, one after another, and then ends the discovery.
    private func subscribe(_ remaining: ArraySlice<AttributeTable.Characteristic>) {
        guard let characteristic = remaining.first else {
            let problem = problems.isEmpty ? nil : problems.joined(separator: "; ")
            return completion(.ready(problem: problem))
        }
        let proceed = { [weak self] () -> Void in self?.subscribe(remaining.dropFirst()) }
        guard characteristic.name == .battery else { return configure(characteristic, proceed) }
        // A device notifies only changes of the battery level. So the present level must be read.
        client.request(.readRequest, [characteristic.handle]) { [weak self] response in
            guard let self else { return }
            switch response {
            case .value(let value)?: report(.battery(value))
            case .refused?: break
            default: return fail("battery level")
            }
            configure(characteristic, proceed)
        }
    }

    /// Subscribes to a characteristic: to notifications, or to indications if the characteristic has no notifications.
    private func configure(
        _ characteristic: AttributeTable.Characteristic, _ proceed: @escaping () -> Void
    ) {
        // Some devices notify without a subscription, and have no client configuration.
        guard let configuration = characteristic.configuration else { return proceed() }
        client.request(.readRequest, [characteristic.declaration]) { [weak self] response in
            guard let self else { return }
            // Bit 4 of the properties means notifications, bit 5 indications. Notifications are assumed if the device refuses
            // the request.
            var properties: UInt8 = 0x10
            switch response {
            case .value(let value)?: properties = value.first ?? properties
            case .refused?: break
            default: return fail("characteristic declaration")
            }
            // The configuration 1 requests notifications, 2 indications.
            let onlyIndicates = properties & 0x30 == 0x20
            let value: [UInt8] = onlyIndicates ? [2, 0] : [1, 0]
            writeConfiguration(characteristic, configuration, value, proceed)
        }
    }

    /// Writes the client configuration with the handle `configuration`, which makes the subscription.
    private func writeConfiguration(
        _ characteristic: AttributeTable.Characteristic, _ configuration: UInt16, _ value: [UInt8],
        _ proceed: @escaping () -> Void
    ) {
        client.request(.writeRequest, [configuration], value) { [weak self] response in
            guard let self else { return }
            switch response {
            case .written?: if characteristic.name != .battery { report(.subscribed) }
            case .refused(let error)? where error.requiresPairing:
                problems.append("\(characteristic.name.characteristic.text) requires pairing")
            case .refused?:
                problems.append("\(characteristic.name.characteristic.text) refuses notifications")
            default: return fail("subscription")
            }
            proceed()
        }
    }
}

/// The attributes of a device. Their handles and types come from Find Information, and the UUIDs of the services from the
/// values of the service declarations.
struct AttributeTable {
    /// A characteristic of a service.
    struct Characteristic: Equatable {
        /// The UUIDs of the service and of the characteristic, by which it is subscribed to.
        let name: Subscription
        /// The handle of the declaration.
        let declaration: UInt16
        /// The handle of the value.
        let handle: UInt16
        /// The handle of the client configuration, which a client writes to subscribe. Nil if the characteristic has no client
        /// configuration, because the device notifies without a subscription.
        let configuration: UInt16?
    }

    /// The handles and types of all attributes, in ascending order of the handles.
    private(set) var attributes: [ATTResponse.Attribute] = []
    /// The UUIDs of the services, by the handles of their declarations.
    private var services: [UInt16: BluetoothUUID] = [:]

    /// The first handle that has not been asked for; nil after the last possible handle.
    var nextHandle: UInt16? {
        guard let last = attributes.last?.handle else { return 1 }
        return last == .max ? nil : last + 1
    }

    /// Appends the attributes of a response to Find Information. Returns false and changes nothing if their handles do not
    /// ascend.
    mutating func append(_ page: [ATTResponse.Attribute]) -> Bool {
        var last = attributes.last?.handle ?? 0
        for attribute in page {
            guard attribute.handle > last else { return false }
            last = attribute.handle
        }
        attributes += page
        return true
    }

    /// The handles of the service declarations.
    var serviceHandles: [UInt16] {
        attributes.filter(\.type.declaresService).map(\.handle)
    }

    /// Stores a service's UUID, which is the value of the declaration at `handle`.
    mutating func setService(_ value: [UInt8], at handle: UInt16) {
        services[handle] = BluetoothUUID(packet: value[...])
    }

    /// All characteristics, in ascending order of their handles.
    var characteristics: [Characteristic] {
        var found: [Characteristic] = []
        var service: BluetoothUUID?
        for (index, attribute) in attributes.enumerated() {
            switch attribute.type {
            case let type where type.declaresService: service = services[attribute.handle]
            case .characteristic:
                // The attribute after the declaration is the value.
                guard let service, index + 1 < attributes.count else { continue }
                let value = attributes[index + 1]
                let name = Subscription(service: service, characteristic: value.type)
                found.append(
                    Characteristic(
                        name: name, declaration: attribute.handle, handle: value.handle,
                        configuration: configuration(after: index + 1)))
            default: break
            }
        }
        return found
    }

    /// The handle of a characteristic's client configuration; `index` is the index of the characteristic's value in
    /// `attributes`. Nil if the characteristic has no client configuration.
    private func configuration(after index: Int) -> UInt16? {
        let descriptors = attributes[(index + 1)...].prefix {
            !$0.type.declaresService && $0.type != .characteristic
        }
        return descriptors.first { $0.type == .clientConfiguration }?.handle
    }
}
