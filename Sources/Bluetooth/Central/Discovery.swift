/// Finds out what a device has, and has it notify: by the handles and types of all its attributes, the services'
/// declarations and what is wanted itself.
///
/// Never by type: handles and types are all it takes, and captures stay readable by Debian's btmon, which dies of the
/// answers to Read By Type.
final class Discovery {
    /// What came of it.
    enum Outcome {
        /// The device notifies, as far as it has what is wanted; what it lacks, in words.
        case ready(lacking: String?)
        /// It does not answer, or what it says makes no sense.
        case failed(String)
    }

    private(set) var table = AttributeTable()
    /// What notifies, by the handle of its value.
    private(set) var notifying: [UInt16: Subscription] = [:]
    private let client: ATTClient
    private let wish: [Subscription]
    private let limit: Int
    private let tell: (Finding) -> Void
    private let done: (Outcome) -> Void
    private var lacking: [String] = []

    /// What is told on the way.
    enum Finding {
        /// Which handles mean what is known from now on.
        case handles
        case battery([UInt8])
        /// It was asked to notify.
        case subscribed
    }

    init(
        _ client: ATTClient, _ wish: [Subscription], limit: Int,
        tell: @escaping (Finding) -> Void, done: @escaping (Outcome) -> Void
    ) {
        (self.client, self.wish, self.limit) = (client, wish, limit)
        (self.tell, self.done) = (tell, done)
    }

    func begin() {
        client.ask(.mtuRequest, [UInt16(ATTPacket.mtu)]) { [weak self] answer in
            switch answer {
            // One that does not know of it holds what all hold.
            case .mtu?, .refused?: self?.find()
            default: self?.fail("its MTU")
            }
        }
    }

    private func fail(_ what: String) { done(.failed("it does not answer about \(what)")) }

    // MARK: handles and types

    private func find() {
        guard let next = table.next else { return readServices(table.serviceHandles[...]) }
        client.ask(.findInformationRequest, [next, .max]) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .information(let page)?:
                guard table.append(page) else { return fail("its attributes") }
                guard table.attributes.count <= limit else {
                    return done(.failed("it has more than \(limit) attributes"))
                }
                find()
            case .refused?: readServices(table.serviceHandles[...])
            default: fail("its attributes")
            }
        }
    }

    private func readServices(_ handles: ArraySlice<UInt16>) {
        guard let handle = handles.first else { return choose() }
        client.ask(.readRequest, [handle]) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .value(let value)?: table.setService(value, at: handle)
            case .refused?: break
            default: return fail("its services")
            }
            readServices(handles.dropFirst())
        }
    }

    // MARK: what is wanted

    private func choose() {
        let characteristics = table.characteristics
        let missing = wish.filter { wanted in !characteristics.contains { $0.name == wanted } }
        if !missing.isEmpty {
            // Who wrote the line wants to know what to write instead.
            let there = characteristics.prefix(8).map(\.name.text).joined(separator: ", ")
            lacking.append(
                "it has no \(missing.map(\.text).joined(separator: ", ")); there is \(there)")
        }
        let chosen = characteristics.filter { wish.contains($0.name) || $0.name == .battery }
        for characteristic in chosen { notifying[characteristic.handle] = characteristic.name }
        tell(.handles)
        subscribe(chosen[...])
    }

    private func subscribe(_ rest: ArraySlice<AttributeTable.Characteristic>) {
        guard let one = rest.first else {
            return done(.ready(lacking: lacking.isEmpty ? nil : lacking.joined(separator: "; ")))
        }
        let goOn = { [weak self] () -> Void in self?.subscribe(rest.dropFirst()) }
        guard one.name == .battery else { return configure(one, goOn) }
        client.ask(.readRequest, [one.handle]) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .value(let value)?: tell(.battery(value))
            case .refused?: break
            default: return fail("its battery")
            }
            configure(one, goOn)
        }
    }

    private func configure(
        _ one: AttributeTable.Characteristic, _ goOn: @escaping () -> Void
    ) {
        // Some notify without being asked, and have nothing by which to ask.
        guard let configuration = one.configuration else { return goOn() }
        client.ask(.readRequest, [one.declaration]) { [weak self] answer in
            guard let self else { return }
            var properties: UInt8 = 0x10
            switch answer {
            case .value(let value)?: properties = value.first ?? properties
            case .refused?: break
            default: return fail("a characteristic")
            }
            let onlyIndicates = properties & 0x30 == 0x20
            write(one, configuration, onlyIndicates ? [2, 0] : [1, 0], goOn)
        }
    }

    private func write(
        _ one: AttributeTable.Characteristic, _ configuration: UInt16, _ value: [UInt8],
        _ goOn: @escaping () -> Void
    ) {
        client.ask(.writeRequest, [configuration], value) { [weak self] answer in
            guard let self else { return }
            switch answer {
            case .written?: if one.name != .battery { tell(.subscribed) }
            case .refused(let error)? where error.wantsPairing:
                lacking.append("\(one.name.characteristic.text) wants pairing")
            case .refused?: lacking.append("\(one.name.characteristic.text) refuses to notify")
            default: return fail("a subscription")
            }
            goOn()
        }
    }
}
