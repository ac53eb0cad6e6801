package import GameFlow
import RPC
import Support

/// Checks the names in an `on` line against the flows: states, effects and data. The option `--check` reports the results.
package struct OnNameCheck {
    private let flows: [AnyFlow]
    private let states: [String]
    /// The effects that the analysis of the flows has found. Effects that a flow asks for only under rare conditions may be
    /// missing.
    private let effects: [String]

    package init(_ flows: [AnyFlow]) {
        self.flows = flows
        states = flows.flatMap(\.stateNames)
        var effectNames: Set<String> = []
        for stateSurvey in flows.flatMap(\.survey) {
            for outcome in stateSurvey.results.flatMap(\.outcomes) {
                switch outcome {
                case .enters(_, let effects), .keeps(let effects): effectNames.formUnion(effects)
                case .defers, .refused: break
                }
            }
        }
        effects = effectNames.sorted()
    }

    /// A sentence about the mistake in the value of one of the line's keys; nil if there is no mistake.
    package func mistake(_ key: String, _ value: String) -> String? {
        switch key {
        case "enter", "leave":
            guard !states.contains(where: Glob(value).matches) else { return nil }
            let hint = DidYouMean.question(value, states).map { "; \($0)" } ?? ""
            return "\(key): no flow has a state \(value)\(hint)"
        case "effect":
            // If an unknown name is similar to a known name, it is a mistake. Otherwise it may be the name of a rare effect,
            // which is not known here.
            guard !effects.contains(where: Glob(value).matches),
                let question = DidYouMean.question(value, effects)
            else { return nil }
            return "effect: no flow asks for the effect \(value); \(question)"
        default: return dataMistake(key, value)
        }
    }

    /// A sentence about an effect that the analysis has not found, which may be a mistake. Nil if the analysis has found the
    /// effect, if `mistake` reports it, or if the key is not `effect`.
    package func note(_ key: String, _ value: String) -> String? {
        guard key == "effect", !effects.contains(where: Glob(value).matches),
            DidYouMean.question(value, effects) == nil
        else { return nil }
        return "effect: no flow was found to ask for the effect \(value)"
    }

    /// Looks for a placeholder that names a datum which no state has. Returns a sentence about it; nil if `value` contains no
    /// placeholder of this kind. Nil also if `value` is not a valid template: `OnDirective` reports this mistake.
    private func dataMistake(_ key: String, _ value: String) -> String? {
        guard let template = try? OutputTemplate(value) else { return nil }
        for case .data(let name) in template.placeholders {
            let names = flows.flatMap { flow in
                flow.stateNames.flatMap { flow.data(of: $0).map(\.name) }
            }
            guard !names.contains(name), !names.contains(name + Field.durationSuffix)
            else { continue }
            let hint = DidYouMean.question(name, Array(Set(names)).sorted()).map { "; \($0)" } ?? ""
            return "\(key): no state has a datum \(name)\(hint)"
        }
        return nil
    }
}
