internal import GameFlow
internal import Timers

/// The diagram in W3C SCXML with the null data model. A countdown is a delayed `send`, cancelled on exit
/// from the state; a pendulum's transition sends the event again.
///
/// SCXML cannot express effects, deferral and data; they are attributes in the namespace
/// `urn:gamed:flow`. If the next state depends on the data, there is one transition for each possible
/// target; an interpreter takes the first.
extension Diagram {
    var scxml: String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" xmlns:gamed=\"urn:gamed:flow\""
                + " version=\"1.0\" datamodel=\"null\" name=\(value(flow.name))"
                + " initial=\(value(flow.initial))>",
        ]
        for state in states { lines += element(state) }
        return (lines + ["</scxml>"]).map { $0 + "\n" }.joined()
    }

    private func element(_ state: FlowModel) -> [String] {
        let tag = isFinal(state) ? "final" : "state"
        var head = "\(tag) id=\(value(state.state))"
        let data = flow.data(of: state.state).map(\.name).filter {
            hidden?.hidesDatum($0, in: state.state) != true
        }
        if !data.isEmpty { head += " gamed:data=\(value(data.joined(separator: " ")))" }
        let deferred = state.deferred
        if !deferred.isEmpty { head += " gamed:defers=\(value(deferred.joined(separator: " ")))" }
        let inside = isFinal(state) ? [] : timers(state) + transitions(state)
        guard !inside.isEmpty else { return ["  <\(head)/>"] }
        return ["  <\(head)>"] + inside.map { "    \($0)" } + ["  </\(tag)>"]
    }

    private func timers(_ state: FlowModel) -> [String] {
        let timers = timers(of: state)
        guard !timers.isEmpty else { return [] }
        let sends = timers.map { "  " + send($0, state) }
        let cancels = timers.map { "  <cancel sendid=\(id($0, state))/>" }
        return ["<onentry>"] + sends + ["</onentry>", "<onexit>"] + cancels + ["</onexit>"]
    }

    private func transitions(_ state: FlowModel) -> [String] {
        verdicts(of: state).flatMap { verdict in
            let timer = verdict.isSignal ? state.timer(verdict.on) : nil
            return verdict.outcomes.flatMap { outcome -> [String] in
                switch outcome {
                case .enters(let to, let effects):
                    let head = "transition event=\(value(verdict.on)) target=\(value(to))"
                    return ["<\(head)\(attribute(effects))/>"]
                case .keeps(let effects):
                    let head = "transition event=\(value(verdict.on))\(attribute(effects))"
                    guard let timer, timer.info.isPendulum else { return ["<\(head)/>"] }
                    return ["<\(head)>", "  " + send(timer, state), "</transition>"]
                case .defers, .refused: return []
                }
            }
        }
    }

    private func send(_ timer: LiveTimer, _ state: FlowModel) -> String {
        let delay = value(timer.length(""))
        return "<send id=\(id(timer, state)) event=\(value(timer.fires)) delay=\(delay)/>"
    }

    private func id(_ timer: LiveTimer, _ state: FlowModel) -> String {
        value("\(state.state).\(timer.fires)")
    }

    private func attribute(_ effects: [String]) -> String {
        effects.isEmpty ? "" : " gamed:effects=\(value(effects.joined(separator: " ")))"
    }

    private func value(_ text: String) -> String {
        var quoted = ""
        for character in text {
            switch character {
            case "&": quoted += "&amp;"
            case "<": quoted += "&lt;"
            case "\"": quoted += "&quot;"
            default: quoted.append(character)
            }
        }
        return "\"\(quoted)\""
    }
}
