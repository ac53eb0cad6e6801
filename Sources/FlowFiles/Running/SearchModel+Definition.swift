internal import GameFlow

/// Makes the search model of a flow from a checked file.
extension SearchModel {
    init(_ flow: FlowFileDefinition, settings: [Value]) {
        let dependencies = SituationDependencies(flow)
        var situationData: [String: SituationData] = [:]
        for (index, state) in flow.states.enumerated() {
            var data = SituationData()
            data.names = Set(dependencies.data[index].map { state.data[$0].wireName })
            if !flow.comparesCollections {
                let collections = state.data.filter(\.type.unwrapped.isCollection)
                data.unordered = Set(collections.map(\.wireName))
            }
            situationData[state.name] = data
        }
        self.init(
            situationData: situationData, dependsOnTime: dependencies.dependsOnTime,
            trials: zip(flow.events, dependencies.arguments).map { event, reads in
                EventTrialMaker(event, reads, settings).trials
            })
    }
}

/// Makes the arguments with which the searches try one event. Each value of a declared range is tried, as long as the number of
/// combinations stays within a limit.
private struct EventTrialMaker {
    /// The values of one argument that are tried.
    private struct Column {
        var values: [Value]
        /// Whether no other value can have another effect on which situations are reached.
        var isExhaustive: Bool
        /// Whether each value of the declared range is tried; true without a range.
        var isWhole: Bool
    }

    private let event: EventDefinition
    private var columns: [Column] = []

    init(_ event: EventDefinition, _ reads: ExpressionReads, _ settings: [Value]) {
        self.event = event
        columns = event.arguments.enumerated().map { index, argument in
            let samples =
                argument.samples(with: settings) + (argument.type.isOptional ? [.null] : [])
            // An argument that decides nothing needs one value.
            guard let readCount = reads.arguments[index] else {
                return Column(
                    values: Array(samples.prefix(1)), isExhaustive: !samples.isEmpty, isWhole: true)
            }
            // If the file only compares the argument with samples, all other values have the same effect.
            let isOnlyCompared = readCount == reads.comparedArguments[index]
            return Column(
                values: samples,
                isExhaustive: argument.isFinite
                    || isOnlyCompared && samples.count < FlowFileLimit.samples.maximum,
                isWhole: argument.range == nil)
        }
        tryWholeRanges()
    }

    /// Replaces the samples of arguments with a range by all values, in the order of the arguments, as long as the combinations
    /// stay within the limit.
    private mutating func tryWholeRanges() {
        for (index, argument) in event.arguments.enumerated() {
            guard let range = argument.range, !columns[index].isWhole else { continue }
            let others = combinationCount(except: index)
            guard range.count <= EventDefinition.sampleLimit,
                others * (range.count + 1) <= EventDefinition.sampleLimit
            else { continue }
            let null: [Value] = argument.type.isOptional ? [.null] : []
            columns[index] = Column(
                values: range.map { .int($0) } + null, isExhaustive: true, isWhole: true)
        }
    }

    /// The number of combinations of the arguments' values, without one argument if `index` is given. Numbers above the limit
    /// are not exact.
    private func combinationCount(except index: Int? = nil) -> Int {
        columns.enumerated().filter { $0.offset != index }.reduce(1) { count, column in
            min(count * column.element.values.count, 2 * EventDefinition.sampleLimit)
        }
    }

    var trials: SearchModel.EventTrials {
        let isWhole = combinationCount() <= EventDefinition.sampleLimit
        let combinations =
            isWhole
            ? EventDefinition.combinations(columns.map(\.values))
            : EventDefinition.someCombinations(columns.map(\.values))
        return SearchModel.EventTrials(
            samples: combinations.map(event.members),
            hasWholeRanges: isWhole && columns.allSatisfy(\.isWhole),
            isExhaustive: isWhole && columns.allSatisfy(\.isExhaustive))
    }
}

extension FieldDefinition {
    /// The declared range of an integer or a duration; nil for other types, and without a range.
    fileprivate var range: ClosedRange<Int>? {
        switch type.unwrapped {
        case .integer, .duration: limits
        default: nil
        }
    }

    /// Whether the samples are all values of the type.
    fileprivate var isFinite: Bool {
        switch type.unwrapped {
        case .boolean: true
        case .oneOf(let names): names.count <= FlowFileLimit.samples.maximum
        default: false
        }
    }
}
