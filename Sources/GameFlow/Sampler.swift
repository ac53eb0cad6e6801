/// Returns sample values for a state's data, and records which fields (data, with names and types) were requested.
///
/// A run is one attempt to enter the state. Repeated runs go through all combinations of the samples: from one run to the
/// next, the sample of the run's final request changes first. The fields that are requested may depend on the values that
/// were returned before in the same run.
final class Sampler {
    /// The fields that were requested in any run.
    private(set) var fields: [Field] = []
    /// The values that were returned in this run, with the names of their fields.
    private(set) var members: [Member] = []
    /// For each request of this run, the index of its choice and the number of choices. A choice is a sample or, as the last
    /// choice for an optional field, to leave out the field.
    private var choices: [(index: Int, count: Int)] = []
    /// The number of requests in this run.
    private var requestCount = 0

    /// The maximum number of combinations that are tried, so that a state with many fields does not take too long.
    static let limit = 1024

    /// Returns the sample data that a state accepts, the state's fields, and the most recent refusal, if the state refused a
    /// combination. `enter` throws for a combination that the state refuses. At most `limit` combinations are tried.
    static func samples(_ limit: Int = limit, _ enter: (Arguments) throws(Reason) -> Void)
        -> (data: [[Member]], fields: [Field], refusal: Reason?)
    {
        let sampler = Sampler()
        var data: [[Member]] = []
        var refusal: Reason?
        var runs = 0
        repeat {
            do throws(Reason) {
                try enter(Arguments(sampledBy: sampler))
                data.append(sampler.members)
            } catch { refusal = error }
            runs += 1
        } while runs < limit && sampler.advance()
        return (data, sampler.fields, refusal)
    }

    /// Returns one of `samples` as the sample of a required field. If `samples` is empty, returns one of the samples of the
    /// type `A`.
    func sample<A: Argument>(_ name: String, _ samples: [A]) -> A {
        record(Field(name, A.self))
        let samples = samples.isEmpty ? A.samples : samples
        let sample = samples[choose(samples.count)]
        members.append(Member(name, sample.value))
        return sample
    }

    /// Returns one of `values` as the sample of a required field.
    func sample(_ name: String, _ values: [Value]) -> Value {
        record(Field(name, oneOf: values))
        let sample = values[choose(values.count)]
        members.append(Member(name, sample))
        return sample
    }

    /// Returns one of the samples of an optional field; nil if this run leaves out the field.
    func sampleOptional<A: Argument>(_ name: String, _ samples: [A]) -> A? {
        record(Field(name, A.self, isOptional: true))
        let choice = choose(samples.count + 1)
        guard choice < samples.count else { return nil }
        members.append(Member(name, samples[choice].value))
        return samples[choice]
    }

    /// Returns a sample of a field whose type is known only at run time; nil if this run leaves out an optional field.
    func sample(_ field: Field, _ samples: [Value]) -> Value? {
        record(field)
        let choice = choose(samples.count + (field.isOptional ? 1 : 0))
        guard choice < samples.count else { return nil }
        members.append(Member(field.name, samples[choice]))
        return samples[choice]
    }

    /// Records that a field was requested.
    private func record(_ field: Field) {
        if !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
    }

    /// Returns the index of this run's choice for the next request, which has `count` choices.
    private func choose(_ count: Int) -> Int {
        if requestCount == choices.count { choices.append((0, count)) }
        defer { requestCount += 1 }
        return choices[requestCount].index
    }

    /// Advances to the next combination; returns false if every combination was tried.
    private func advance() -> Bool {
        (requestCount, members) = (0, [])
        while let last = choices.popLast() {
            guard last.index + 1 < last.count else { continue }
            choices.append((last.index + 1, last.count))
            return true
        }
        return false
    }
}
