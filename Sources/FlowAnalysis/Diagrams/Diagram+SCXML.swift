internal import GameFlow
internal import Timers

/// The diagram in W3C SCXML with the null data model. A timer is a delayed `send` element, which is cancelled when the
/// state is left. If a pendulum's signal keeps the state, the transition contains the same `send` again for the next beat.
///
/// Effects, deferred events and data are attributes in the namespace `urn:gamed:flow`, because SCXML with this data model
/// cannot express them. A row of a flow file that no try took has the attribute `tried="false"`. The next state may
/// depend on the data. Then there is one transition for each possible target, and an SCXML interpreter takes the first of these
/// transitions.
extension Diagram {
    var scxml: String {
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<scxml xmlns=\"http://www.w3.org/2005/07/scxml\" xmlns:gamed=\"urn:gamed:flow\""
                + " version=\"1.0\" datamodel=\"null\" name=\(quoted(flow.name))"
                + " initial=\(quoted(flow.initial))>",
        ]
        for state in states { lines += stateElement(state) }
        return (lines + ["</scxml>"]).map { $0 + "\n" }.joined()
    }

    /// The lines of a state's element.
    private func stateElement(_ state: StateSurvey) -> [String] {
        let elementName = isFinal(state) ? "final" : "state"
        var startTag = "\(elementName) id=\(quoted(state.state))"
        let data = flow.data(of: state.state).map(\.name).filter {
            hidden?.hidesDatum($0, in: state.state) != true
        }
        if !data.isEmpty { startTag += " gamed:data=\(quoted(data.joined(separator: " ")))" }
        let deferred = deferredEvents(of: state)
        if !deferred.isEmpty {
            startTag += " gamed:defers=\(quoted(deferred.joined(separator: " ")))"
        }
        let content = isFinal(state) ? [] : timerElements(state) + transitionElements(state)
        guard !content.isEmpty else { return ["  <\(startTag)/>"] }
        return ["  <\(startTag)>"] + content.map { "    \($0)" } + ["  </\(elementName)>"]
    }

    /// The lines that start a state's timers on entry and cancel them on exit.
    private func timerElements(_ state: StateSurvey) -> [String] {
        // A stopwatch sends nothing, and what begins paused is not sent at the entry. When a time of day is, SCXML cannot say.
        let timers = timers(of: state).filter {
            $0.info.deadline != nil && $0.info.mark == nil && $0.until == nil
        }
        guard !timers.isEmpty else { return [] }
        let sends = timers.map { "  " + sendElement($0, state) }
        let cancels = timers.map { "  <cancel sendid=\(sendID($0, state))/>" }
        return ["<onentry>"] + sends + ["</onentry>", "<onexit>"] + cancels + ["</onexit>"]
    }

    private func transitionElements(_ state: StateSurvey) -> [String] {
        results(of: state).flatMap { result in
            let timer = result.isSignal ? state.timer(result.on) : nil
            return result.outcomes.enumerated().flatMap { index, outcome -> [String] in
                let mark = result.wasTried(outcomeAt: index) ? "" : " gamed:tried=\"false\""
                switch outcome {
                case .enters(let to, let effects):
                    let startTag = "transition event=\(quoted(result.on)) target=\(quoted(to))"
                    return ["<\(startTag)\(effectsAttribute(effects))\(mark)/>"]
                case .keeps(let effects):
                    let startTag =
                        "transition event=\(quoted(result.on))\(effectsAttribute(effects))\(mark)"
                    guard let timer, timer.info.isPendulum else { return ["<\(startTag)/>"] }
                    return ["<\(startTag)>", "  " + sendElement(timer, state), "</transition>"]
                case .defers, .refused: return []
                }
            }
        }
    }

    private func sendElement(_ timer: LiveTimer, _ state: StateSurvey) -> String {
        let delay = quoted(timer.delay)
        return "<send id=\(sendID(timer, state)) event=\(quoted(timer.fires)) delay=\(delay)/>"
    }

    /// The id of a timer's `send`, with quotes: `"asking.timeUp"`.
    private func sendID(_ timer: LiveTimer, _ state: StateSurvey) -> String {
        quoted("\(state.state).\(timer.fires)")
    }

    /// The attribute with the names of the effects, after a space; empty if there are no effects.
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
