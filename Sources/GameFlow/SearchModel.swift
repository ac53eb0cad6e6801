/// What the searches (lint, races and paths) need to know of a flow: with which arguments they try its events, and which data
/// are part of a situation.
@usableFromInline package struct SearchModel {
    /// The arguments with which the searches try an event.
    package struct EventTrials {
        package let samples: [[Member]]
        /// Whether each value in the declared ranges of the arguments is tried; false if the combinations would be too many.
        package let hasWholeRanges: Bool
        /// Whether no other arguments can have another effect on which situations are reached.
        package let isExhaustive: Bool

        package init(samples: [[Member]], hasWholeRanges: Bool, isExhaustive: Bool) {
            (self.samples, self.hasWholeRanges) = (samples, hasWholeRanges)
            self.isExhaustive = isExhaustive
        }
    }

    /// The data of a state that are part of a situation.
    package struct SituationData {
        /// The names of the data that decide something.
        package var names: Set<String> = []
        /// The names of the sets and tallies whose order decides nothing.
        package var unordered: Set<String> = []

        package init() {}
    }

    /// The data of each state, by the state's name; nil if all data are part of a situation, in their order.
    package let situationData: [String: SituationData]?
    /// Whether the time that a timer has left can decide what happens; nil if that is not known.
    package let dependsOnTime: Bool?
    /// The trials of each event, in the flow's order.
    package let trials: [EventTrials]

    package init(
        situationData: [String: SituationData]?, dependsOnTime: Bool?, trials: [EventTrials]
    ) {
        (self.situationData, self.dependsOnTime) = (situationData, dependsOnTime)
        self.trials = trials
    }

    /// The model of a flow that is written in Swift. `samples` are the samples of each event; they stand for all arguments.
    @usableFromInline init(samples: [[[Member]]]) {
        self.init(
            situationData: nil, dependsOnTime: nil,
            trials: samples.map {
                EventTrials(samples: $0, hasWholeRanges: true, isExhaustive: true)
            })
    }
}
