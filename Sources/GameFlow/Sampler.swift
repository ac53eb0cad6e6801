/// Answers with samples whoever asks for a state's data, and writes down what was asked for.
///
/// Run again and again, it goes through all combinations of the samples, as an odometer does; what is
/// asked for may depend on what was answered before.
final class Sampler {
    /// Everything that was asked for, in any run.
    private(set) var fields: [Field] = []
    /// What was answered in this run.
    private(set) var members: [Member] = []
    /// Which sample each question of this run got, and of how many.
    private var wheels: [(choice: Int, count: Int)] = []
    private var asked = 0

    /// How many combinations are gone through: a flow with more has samples to spare.
    static let limit = 1024

    /// All data that a state can be entered with, as samples have it, and its fields. `enter` throws
    /// where a combination is none.
    static func samples(_ enter: (Arguments) throws(Reason) -> Void)
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
        } while runs < limit && sampler.turn()
        return (data, sampler.fields, refusal)
    }

    func sample<A: Argument>(_ name: String, _ samples: [A]) -> A {
        note(Field(name, A.self))
        let sample = samples[choose(samples.count)]
        members.append(Member(name, sample.value))
        return sample
    }

    func sampleOptional<A: Argument>(_ name: String, _ samples: [A]) -> A? {
        note(Field(name, A.self, isOptional: true))
        let choice = choose(samples.count + 1)
        guard choice < samples.count else { return nil }
        members.append(Member(name, samples[choice].value))
        return samples[choice]
    }

    private func note(_ field: Field) {
        if !fields.contains(where: { $0.name == field.name }) { fields.append(field) }
    }

    private func choose(_ count: Int) -> Int {
        if asked == wheels.count { wheels.append((0, count)) }
        defer { asked += 1 }
        return wheels[asked].choice
    }

    /// Makes ready for the next combination; whether there is one.
    private func turn() -> Bool {
        (asked, members) = (0, [])
        while let last = wheels.popLast() {
            guard last.choice + 1 < last.count else { continue }
            wheels.append((last.choice + 1, last.count))
            return true
        }
        return false
    }
}
