package import GameFlow
package import JSONCoding
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

    /// A sentence about the mistake in the value of one of the keys of a line with these words; nil if there is no mistake.
    package func mistake(_ key: String, _ value: String, among words: [TextWord]) -> String? {
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
        default: return placeholderMistake(value, among: words).map { "\(key): \($0)" }
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

    /// A sentence about a placeholder that never has a value when the line sends something. Nil if `value` contains no such
    /// placeholder. Nil also if `value` is not a valid template: `OnDirective` reports this mistake.
    private func placeholderMistake(_ value: String, among words: [TextWord]) -> String? {
        guard let template = try? OutputTemplate(value) else { return nil }
        let isAboutEffects = words.contains { $0.key == "effect" }
        let isAboutRefusals = words.contains { $0.text == "refused" }
        for placeholder in template.placeholders {
            let why: String? =
                switch placeholder {
                case .data(let name):
                    mistake(in: name, fields: dataNames, "no state has a datum")
                case .args(let name) where isAboutRefusals:
                    mistake(in: name, fields: argumentNames, "no event has an argument")
                case .args where !isAboutEffects:
                    "\(placeholder): only an effect or a refused event has arguments"
                case .effect where !isAboutEffects: "\(placeholder): only for on effect"
                case .args, .label, .session, .state, .effect, .alert: nil
                }
            if let why { return why }
        }
        return nil
    }

    /// A sentence if none of the fields has this name, or is a duration with this short name.
    private func mistake(in name: String, fields: [String], _ sentence: String) -> String? {
        guard !fields.contains(name), !fields.contains(name + Field.durationSuffix) else {
            return nil
        }
        let hint = DidYouMean.question(name, fields).map { "; \($0)" } ?? ""
        return "\(sentence) \(name)\(hint)"
    }

    /// The names of the data of all states.
    private var dataNames: [String] {
        let names = flows.flatMap { flow in
            flow.stateNames.flatMap { flow.data(of: $0).map(\.name) }
        }
        return Set(names).sorted()
    }

    /// The names of the arguments of all events.
    private var argumentNames: [String] {
        Set(flows.flatMap(\.events).flatMap(\.parameters).map(\.name)).sorted()
    }
}
