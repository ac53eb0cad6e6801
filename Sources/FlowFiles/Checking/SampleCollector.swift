internal import GameFlow

/// Collects the values with which the expressions of a flow file compare arguments and data. From these values it makes samples
/// for each argument and datum. The analyses (lint, races, paths and coverage) try these samples.
struct SampleCollector {
    /// The event whose arguments an expression can read, and the state whose data it can read, by their indices.
    struct ReadableFields {
        var event: Int?
        var state: Int?
    }

    /// An argument or a datum, by the index of its event or state in the flow and by its own index there.
    private enum Key: Hashable {
        case argument(event: Int, index: Int)
        case datum(state: Int, index: Int)
    }

    /// The values, including the defaults of settings, with which the file compares each argument and datum.
    private var comparedValues: [Key: [Value]] = [:]
    /// The indices of the settings with which the file compares each argument and datum.
    private var comparedSettings: [Key: [Int]] = [:]

    /// Adds the comparisons of one expression. `readable` is the event and the state whose fields the expression reads.
    mutating func add(
        _ comparisons: [ExpressionCompiler.Comparison], _ readable: ReadableFields,
        _ flow: FlowFileDefinition
    ) {
        for comparison in comparisons {
            let key: Key
            switch (comparison.slot, readable.event, readable.state) {
            case (.argument(let index), let event?, _): key = .argument(event: event, index: index)
            case (.datum(let index), _, let state?): key = .datum(state: state, index: index)
            default: continue
            }
            switch comparison.operand {
            case .value(let value): comparedValues[key, default: []].append(value)
            case .setting(let index):
                comparedValues[key, default: []].append(flow.settings[index].defaultValue)
                comparedSettings[key, default: []].append(index)
            }
        }
    }

    /// Sets the samples of every argument and datum.
    func setSamples(in flow: inout FlowFileDefinition) {
        for event in flow.events.indices {
            for index in flow.events[event].arguments.indices {
                let key = Key.argument(event: event, index: index)
                setSamples(&flow.events[event].arguments[index], comparedValues[key])
                flow.events[event].arguments[index].comparedSettings = comparedSettings[key] ?? []
            }
        }
        for state in flow.states.indices {
            for index in flow.states[state].data.indices {
                setSamples(
                    &flow.states[state].data[index],
                    comparedValues[.datum(state: state, index: index)])
            }
        }
    }

    /// Sets the samples of one argument or datum. The samples are the default, those in the file, those of the type, and
    /// `comparedValues`: the values with which the file compares the argument or datum. Each compared integer adds its two
    /// neighbours. The default comes first, because a description of a state shows the timers that the first samples give.
    private func setSamples(_ field: inout FieldDefinition, _ comparedValues: [Value]?) {
        let comparedValues = comparedValues ?? []
        let comparedAndNeighbours = comparedValues.flatMap { value -> [Value] in
            guard case .int(let number) = value else { return [value] }
            return [.int(number), .int(number - 1), .int(number + 1)]
        }
        let candidates =
            (field.defaultValue.map { [$0] } ?? []) + field.samples + Self.samplesOfType(field)
            + comparedAndNeighbours
        var samples: [Value] = []
        for value in candidates where samples.count < FlowFileLimit.samples.maximum {
            guard field.violation(value) == nil, (try? field.read(value)) != nil,
                !ValueOperation.contains(samples, value)
            else { continue }
            samples.append(value)
        }
        // A text with which the file compares the field may be a solution that players have to find.
        field.hasSecretSamples = field.type.unwrapped.isText && !comparedValues.isEmpty
        field.samples = samples
    }

    /// The samples that follow from the type and its limits.
    private static func samplesOfType(_ field: FieldDefinition) -> [Value] {
        switch field.type.unwrapped {
        case .integer: return ends(field.limits) ?? [.int(1)]
        case .duration: return ends(field.limits) ?? [.int(5000)]  // milliseconds
        case .boolean: return [.bool(true), .bool(false)]
        case .oneOf(let names): return names.map { .string($0) }
        case .link: return [.string("https://example.org")]
        case .address: return [.string("00:1A:2B:3C:4D:5E")]
        case .time: return [.string("00:00"), .string("12:00"), .string("23:59")]
        case .checklist(let names):
            // Empty, each item alone, all but one, and all.
            let items = names.map { Value.string($0) }
            return [.array([])] + items.map { .array([$0]) }
                + [.array(Array(items.dropLast())), .array(items)]
        case .order(_, let rowCount):
            // Empty, the written order and its reverse.
            let shuffled = rowCount <= FlowFileLimit.shuffledRows.maximum ? rowCount : 0
            let numbers = (0..<shuffled).map { Value.int($0 + 1) }
            return [.array([]), .array(numbers), .array(numbers.reversed())]
        case .set: return [.array([]), .array([.string("x")])]
        case .tally: return [.object([])]
        case .text:
            let lengths = field.limits.map { [$0.lowerBound, $0.upperBound] } ?? []
            let extremes = lengths.map { Value.string(String(repeating: "x", count: $0)) }
            return [.string("x"), .string("y")] + extremes
        case .optional, .null, .emptyCollection: return []
        }
    }

    /// The ends of a range, and the number next to each end, inside the range. In a range of one number, both neighbours are
    /// outside; `setSamples` leaves them out.
    private static func ends(_ limits: ClosedRange<Int>?) -> [Value]? {
        limits.map { range in
            [range.lowerBound, range.lowerBound + 1, range.upperBound - 1, range.upperBound]
                .map { .int($0) }
        }
    }
}
