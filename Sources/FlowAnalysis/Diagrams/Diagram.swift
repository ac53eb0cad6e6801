public import GameFlow
internal import Timers

/// A diagram of a flow's states and transitions, which are found by calling the flow's selector with samples. For the rows of a flow
/// file that no sample takes, the search of `Lint` is made.
public struct Diagram {
    /// The output languages.
    public enum Format: String, CaseIterable, Sendable { case mermaid, dot, scxml }

    let flow: AnyFlow
    /// What each state of the flow does for each event and signal.
    let states: [StateSurvey]
    /// The events, timers and data that the diagram leaves out; nil if it shows everything.
    let hidden: HiddenNames?

    /// The diagram of a flow with all its events, timers and data.
    public init(_ flow: AnyFlow) { self.init(flow, hiding: nil) }

    /// The diagram of a flow without the events, timers and data that are `hidden`.
    package init(_ flow: AnyFlow, hiding hidden: HiddenNames?) {
        (self.flow, self.hidden) = (flow, hidden)
        Lint.searchForRows(of: flow)
        states = flow.survey
    }

    /// The diagram in `format`; each line ends with a newline.
    public func text(_ format: Format) -> String {
        switch format {
        case .mermaid: mermaid
        case .dot: dot
        case .scxml: scxml
        }
    }

    /// An arrow of the diagram. It stands for all transitions of one of these kinds:
    /// - transitions from one state to a different state;
    /// - transitions that enter the same state again;
    /// - transitions that keep the state.
    ///
    /// Transitions that no try of the survey or the search took have an arrow of their own.
    struct Arrow {
        /// The name of the state to which the arrow leads.
        let to: String
        /// The events that cause the transitions, each as `EventResult.title` writes it: `judge correct=true`.
        var events: [String] = []
        /// The timers whose signals cause the transitions.
        var timers: [LiveTimer] = []
        /// Whether the transitions keep the state instead of entering it again.
        let isKeep: Bool
        /// Whether the survey or the search saw the transitions. False for rows of a flow file that no try took.
        let wasTried: Bool
    }

    /// The arrows that begin at a state, in the order in which the flow declares its events and signals.
    func arrows(from state: StateSurvey) -> [Arrow] {
        var arrows: [Arrow] = []
        for result in results(of: state) {
            for (index, outcome) in result.outcomes.enumerated() {
                let (to, isKeep): (String, Bool)
                switch outcome {
                case .enters(let next, _): (to, isKeep) = (next, false)
                case .keeps: (to, isKeep) = (state.state, true)
                case .defers, .refused: continue
                }
                let wasTried = result.wasTried(outcomeAt: index)
                let existingIndex = arrows.firstIndex {
                    $0.to == to && $0.isKeep == isKeep && $0.wasTried == wasTried
                }
                let arrowIndex = existingIndex ?? arrows.endIndex
                if existingIndex == nil {
                    arrows.append(Arrow(to: to, isKeep: isKeep, wasTried: wasTried))
                }
                if result.isSignal, let timer = state.timer(result.on) {
                    arrows[arrowIndex].timers.append(timer)
                } else {
                    arrows[arrowIndex].events.append(result.title(ofOutcomeAt: index))
                }
            }
        }
        return arrows
    }

    /// The results, in this state, of those events and timers that the diagram shows.
    func results(of state: StateSurvey) -> [StateSurvey.EventResult] {
        guard let hidden else { return state.possibleResults }
        return state.possibleResults.filter { result in
            !hidden.hidesEvent(result.on)
                && !(result.isSignal && hidden.hidesTimer(result.on, in: state.state))
        }
    }

    /// Those events that a state defers and the diagram shows.
    func deferredEvents(of state: StateSurvey) -> [String] { hidden.shown(state.deferred) }

    /// Those timers of a state that the diagram shows.
    func timers(of state: StateSurvey) -> [LiveTimer] {
        state.timers.filter { hidden?.hidesTimer($0.fires, in: state.state) != true }
    }

    func isFinal(_ state: StateSurvey) -> Bool { flow.finals.contains(state.state) }
}

extension LiveTimer {
    /// The kind of the timer and its duration: `after 1 min 30 s`, `each 1 s`, `counts up`, `at 20:00`; `(paused)` if it begins paused.
    var words: String {
        let text =
            switch info.kind {
            case .countdown: "after \(length)"
            case .pendulum: "each \(length)"
            case .stopwatch: "counts up"
            case .when: "at \(markText)"
            case .until: "at \(timeOfDay)"
            }
        return info.isPaused ? "\(text) (paused)" : text
    }

    private var timeOfDay: String { until?.time.description ?? "" }

    /// What the countdown of a mark has left when the mark fires: `1 min left`.
    private var markText: String { "\(Self.text(info.mark?.left ?? .zero)) left" }

    /// The timer's duration: `1 min 30 s`, `250 ms`; for a mark, what its countdown then has left; `20:00` for a time of day.
    var length: String {
        switch info.kind {
        case .when: markText
        case .until: timeOfDay
        case .countdown, .pendulum, .stopwatch: Self.text(info.total)
        }
    }

    /// The timer's duration as the delay of an SCXML event: `90s`, `250ms`.
    var delay: String {
        let ms = info.total.milliseconds
        return ms % 1000 == 0 ? "\(ms / 1000)s" : "\(ms)ms"
    }

    /// A duration as people read it: `1 h 30 min`, `250 ms`. A clock's colon would end a label in Mermaid.
    private static func text(_ time: Duration) -> String {
        let ms = time.milliseconds
        if ms % 1000 != 0 { return "\(ms) ms" }
        let seconds = ms.magnitude / 1000
        let parts = [(seconds / 3600, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s")]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return parts.isEmpty ? "0 s" : (ms < 0 ? "-" : "") + parts.joined(separator: " ")
    }
}
