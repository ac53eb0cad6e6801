internal import GameFlow
internal import JSON
internal import Timers

/// A JSON object of a record, with its members by name. A missing member or one of another type is
/// reported as damage.
struct Fields {
    let members: [Member]

    init(_ members: [Member]) { self.members = members }

    /// Parses the object.
    init(_ json: [UInt8]) throws(UnreadableRow) {
        var text = JSONText()
        do { try text.read(json[...]) } catch { throw UnreadableRow(why: "no JSON") }
        guard text.kind(JSONText.root) == .object else {
            throw UnreadableRow(why: "no object")
        }
        members = text.object(at: JSONText.root)
    }

    /// The value of a member; nil if it is missing or null.
    func find(_ name: String) -> Value? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    func text(_ name: String) throws(UnreadableRow) -> String {
        guard case .string(let text) = find(name) else { throw damage(name, "a string") }
        return text
    }

    func int(_ name: String) throws(UnreadableRow) -> Int {
        guard case .int(let number) = find(name) else { throw damage(name, "an integer") }
        return number
    }

    /// A count: not negative, and small enough that adding to it cannot overflow.
    func count(_ name: String) throws(UnreadableRow) -> Int {
        let number = try int(name)
        guard 0...Self.most ~= number else { throw damage(name, "a count") }
        return number
    }

    static let most = 1 << 53

    func nanoseconds(_ name: String) throws(UnreadableRow) -> Int64 {
        guard let number = Int64(try text(name)) else { throw damage(name, "nanoseconds") }
        return number
    }

    /// An instant in the range of the clock.
    func instant(_ name: String) throws(UnreadableRow) -> Instant {
        let instant = Instant(nanoseconds: try nanoseconds(name))
        guard Instant.zero...Instant.last ~= instant else { throw damage(name, "an instant") }
        return instant
    }

    func object(_ name: String) throws(UnreadableRow) -> Fields {
        guard case .object(let members) = find(name) else { throw damage(name, "an object") }
        return Fields(members)
    }

    func objects(_ name: String) throws(UnreadableRow) -> [Fields] {
        guard case .array(let values) = find(name) else { throw damage(name, "an array") }
        var objects: [Fields] = []
        for value in values {
            guard case .object(let members) = value else { throw damage(name, "objects") }
            objects.append(Fields(members))
        }
        return objects
    }

    func counts(_ name: String) throws(UnreadableRow) -> [Int] {
        guard case .array(let values) = find(name) else { throw damage(name, "an array") }
        var numbers: [Int] = []
        for value in values {
            guard case .int(let number) = value, 0...Self.most ~= number else {
                throw damage(name, "counts")
            }
            numbers.append(number)
        }
        return numbers
    }

    private func damage(_ name: String, _ expected: String) -> UnreadableRow {
        UnreadableRow(why: "\(name): expected \(expected)")
    }
}
