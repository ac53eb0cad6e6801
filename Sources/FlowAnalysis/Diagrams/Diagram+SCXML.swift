internal import GameFlow
internal import Timers

/// The diagram in W3C SCXML with the null data model. A countdown is a delayed `send`, cancelled on exit
/// from the state; a pendulum's transition sends the event again.
///
/// SCXML cannot express effects, deferral and data; they are attributes in the namespace
/// `urn:gamed:flow`. If the next state depends on the data, there is one transition for each possible
/// target; an SCXML interpreter takes the first of them.
extension Diagram {
    var scxml: String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" xmlns:gamed=\"urn:gamed:flow\""
                + " version=\"1.0\" datamodel=\"null\" name=\(quoted(flow.name))"
                + " initial=\(quoted(flow.initial))>",
        ]
        for state in states { lines += element(state) }
        return (lines + ["</scxml>"]).map { $0 + "\n" }.joined()
    }

    private func element(_ state: StateSurvey) -> [String] {
        let tag = isFinal(state) ? "final" : "state"
        var head = "\(tag) id=\(quoted(state.state))"
        let data = flow.data(of: state.state).map(\.name).filter {
            hidden?.hidesDatum($0, in: state.state) != true
        }
        if !data.isEmpty { head += " gamed:data=\(quoted(data.joined(separator: " ")))" }
        let deferred = state.deferred
        if !deferred.isEmpty { head += " gamed:defers=\(quoted(deferred.joined(separator: " ")))" }
        let inside = isFinal(state) ? [] : timers(state) + transitions(state)
        guard !inside.isEmpty else { return ["  <\(head)/>"] }
        return ["  <\(head)>"] + inside.map { "    \($0)" } + ["  </\(tag)>"]
    }

    private func timers(_ state: StateSurvey) -> [String] {
        let timers = timers(of: state)
        guard !timers.isEmpty else { return [] }
        let sends = timers.map { "  " + send($0, state) }
        let cancels = timers.map { "  <cancel sendid=\(id($0, state))/>" }
        return ["<onentry>"] + sends + ["</onentry>", "<onexit>"] + cancels + ["</onexit>"]
    }

    private func transitions(_ state: StateSurvey) -> [String] {
        results(of: state).flatMap { result in
            let timer = result.isSignal ? state.timer(result.on) : nil
            return result.outcomes.flatMap { outcome -> [String] in
                switch outcome {
                case .enters(let to, let effects):
                    let head = "transition event=\(quoted(result.on)) target=\(quoted(to))"
                    return ["<\(head)\(effectsAttribute(effects))/>"]
                case .keeps(let effects):
                    let head = "transition event=\(quoted(result.on))\(effectsAttribute(effects))"
                    guard let timer, timer.info.isPendulum else { return ["<\(head)/>"] }
                    return ["<\(head)>", "  " + send(timer, state), "</transition>"]
                case .defers, .refused: return []
                }
            }
        }
    }

    private func send(_ timer: LiveTimer, _ state: StateSurvey) -> String {
        let delay = quoted(timer.length(""))
        return "<send id=\(id(timer, state)) event=\(quoted(timer.fires)) delay=\(delay)/>"
    }

    private func id(_ timer: LiveTimer, _ state: StateSurvey) -> String {
        quoted("\(state.state).\(timer.fires)")
    }

    private func effectsAttribute(_ effects: [String]) -> String {
        effects.isEmpty ? "" : " gamed:effects=\(quoted(effects.joined(separator: " ")))"
    }

    /// The value of an attribute, with quotes.
    private func quoted(_ text: String) -> String {
        var escaped = ""
        for character in text {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
        return "\"\(escaped)\""
    }
}
