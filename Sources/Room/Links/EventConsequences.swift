package import GameFlow
import RPC

/// What each event can do in the sessions that take it, as the analysis of the flows has found it.
package struct EventConsequences {
    private struct Consequences {
        var states: Set<String> = []
        var leftStates: Set<String> = []
        var effects: Set<String> = []
    }

    private var consequences: [String: Consequences] = [:]

    package init(_ flows: [AnyFlow]) {
        for survey in flows.flatMap(\.survey) {
            for transition in survey.transitions {
                consequences[transition.on, default: Consequences()].states.insert(transition.to)
                consequences[transition.on, default: Consequences()].effects.formUnion(
                    transition.effects)
            }
            for result in survey.results {
                for case .enters in result.outcomes {
                    consequences[result.on, default: Consequences()].leftStates.insert(survey.state)
                }
            }
        }
    }

    /// Whether the event can cause an occasion for a line with this trigger.
    func canCause(_ trigger: OutputLine.Trigger, by event: String) -> Bool {
        // The analysis may not have found what a rare event does.
        guard let consequences = consequences[event] else { return true }
        return switch trigger {
        case .enter(let glob): consequences.states.contains(where: glob.matches)
        case .leave(let glob): consequences.leftStates.contains(where: glob.matches)
        case .effect(let glob): consequences.effects.contains(where: glob.matches)
        case .refused, .stuck, .alert: false
        }
    }
}
