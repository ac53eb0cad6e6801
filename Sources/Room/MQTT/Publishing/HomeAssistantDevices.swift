import GameFlow
package import RPC
package import Sessions
import Support
import Timers

/// Makes the devices of Home Assistant from the flows of the sessions.
package final class HomeAssistantDevices {
    private let catalog: FlowCatalog
    /// Finds the timers and data of all states of a flow, in another thread.
    private let surveyor: any FlowSurveyor
    /// The flows that are being surveyed.
    private var surveyed: Set<String> = []
    /// The address of the pages; nil without `--public`.
    var address: String?
    /// Called when a flow is known, so that the devices of its sessions can be made.
    var flowIsKnown: () -> Void = {}

    package init(_ catalog: FlowCatalog, _ surveyor: any FlowSurveyor) {
        (self.catalog, self.surveyor) = (catalog, surveyor)
    }

    /// The newest version of a flow, if it is this one. A device needs no other: a session that plays an older one keeps the entities
    /// that its broker has.
    func flow(_ name: String, _ version: String) -> AnyFlow? {
        guard let flow = catalog.newest(name), flow.versionText == version else { return nil }
        return flow
    }

    /// The device of a session; nil if its flow is not known yet, or not at all.
    func device(
        _ session: SessionName, _ detail: PublishedDetail, _ broker: MQTTBroker,
        _ prefix: PublishedPrefix
    ) -> HomeAssistantDevice? {
        guard let flow = detail.flow, isSurveyed(flow) else { return nil }
        let name = detail.label("title") ?? session.text
        let team = detail.label("team").map { "\(name) – \($0)" }
        return HomeAssistantDevice(
            prefix: prefix, session: session, name: team ?? name,
            model: flow.presentation.flow.title ?? flow.name, version: flow.versionText,
            address: address, entities: entities(of: flow, broker), hasPause: broker.hasControls)
    }

    /// The entities of the sessions of a flow, for a broker with these settings.
    private func entities(of flow: AnyFlow, _ broker: MQTTBroker)
        -> HomeAssistantDevice.FlowEntities
    {
        let key = "\(flow.name) \(flow.versionText) \(broker.hasControls) \(broker.showsOperators)"
        if let known = knownEntities[key] { return known }
        if knownEntities.count >= Self.knownLimit { knownEntities = [:] }
        let presentation = flow.presentation
        let hidden = broker.showsOperators ? nil : flow.hidden
        let states = flow.survey
        let entities = HomeAssistantDevice.FlowEntities(
            states: Self.distinct(states.map(\.state), presentation),
            timers: Self.named(
                states.flatMap { state in
                    state.timers.filter {
                        ($0.info.kind == .countdown || $0.info.kind == .until)
                            && hidden?.hidesTimer($0.fires, in: state.state) != true
                    }.map { ($0.fires, presentation.states[state.state]?.timers[$0.fires]?.title) }
                }),
            data: Self.named(
                states.flatMap { state in
                    flow.data(of: state.state).map(\.name).filter {
                        hidden?.hidesDatum($0, in: state.state) != true
                    }.map { ($0, presentation.states[state.state]?.data[$0]?.title) }
                }),
            controls: broker.hasControls
                ? flow.events.filter {
                    hidden?.hidesEvent($0.name) != true && $0.parameters.count < 2
                        && !hasHiddenArgument($0, hidden)
                        && ($0.allowedSources.isEmpty || $0.allowedSources.contains("mqtt"))
                }.map {
                    .init(
                        event: .init($0.name, presentation.events[$0.name]?.label.title),
                        argument: $0.parameters.first)
                } : [])
        knownEntities[key] = entities
        return entities
    }

    /// Whether an argument of an event is hidden: its control would show the argument's values.
    private func hasHiddenArgument(_ event: AnyFlow.Event, _ hidden: HiddenNames?) -> Bool {
        event.parameters.contains { hidden?.hidesArgument($0.name, of: event.name) == true }
    }

    /// The entities of flows, by the name and version of the flow and the settings of the broker.
    private var knownEntities: [String: HomeAssistantDevice.FlowEntities] = [:]
    /// The maximum number of entries in `knownEntities`. When it is reached, all are removed.
    private static let knownLimit = 64

    private func isSurveyed(_ flow: AnyFlow) -> Bool {
        // A flow that is compiled into the program is surveyed at once.
        guard flow.source != nil, !flow.isSurveyed else { return true }
        guard surveyed.insert("\(flow.name) \(flow.versionText)").inserted else { return false }
        surveyor.survey(flow) { [weak self] in
            self?.surveyed.remove("\(flow.name) \(flow.versionText)")
            self?.flowIsKnown()
        }
        return flow.isSurveyed
    }

    /// The states with their titles. Two states with one title have their names as well, because Home Assistant tells states by their
    /// texts.
    private static func distinct(_ states: [String], _ presentation: FlowPresentation)
        -> [HomeAssistantDevice.Named]
    {
        let titles = states.map { presentation.states[$0]?.label.title ?? $0 }
        return zip(states, titles).map { state, title in
            let isUnique = titles.count { $0 == title } == 1
            return .init(state, isUnique ? title : "\(title) (\(state))")
        }
    }

    /// The names, each once, with the first title that a state gives it.
    private static func named(_ names: [(name: String, title: String?)])
        -> [HomeAssistantDevice.Named]
    {
        var titles: [String: String?] = [:]
        var order: [String] = []
        for (name, title) in names {
            if titles[name] == nil { order.append(name) }
            titles[name] = (titles[name] ?? nil) ?? title
        }
        return order.map { .init($0, titles[$0] ?? nil) }
    }
}

extension AnyFlow {
    /// The version as a status has it.
    fileprivate var versionText: String { source?.version ?? "\(version)" }
}
