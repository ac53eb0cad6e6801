public import GameFlow
internal import Support

/// The points of the players of a `Quiz` by name, in the order in which the names were added: `{"ann":2,"bob":1}`.
public struct Tally: Argument, Equatable, Sendable {
    private var points: [Member] = []

    public init() {}

    /// The maximum number of points of a name. Further points are not added.
    public static let maximum = 1_000_000

    /// Adds `amount` points to the points of a name; a new name begins with 0. `amount` may not be negative.
    public mutating func add(_ amount: Int, to name: String) {
        guard let index = points.firstIndex(where: { $0.name.hasSameBytes(as: name) }),
            case .int(let oldPoints) = points[index].value
        else { return points.append(Member(name, min(amount, Self.maximum))) }
        // `amount` is limited first, so that the addition cannot overflow.
        let newPoints = min(oldPoints + min(amount, Self.maximum), Self.maximum)
        points[index] = Member(name, newPoints)
    }

    // MARK: Argument

    public static var type: String { "object" }
    /// With these values, lint and the survey of a flow try the events and states that have a tally.
    public static var samples: [Tally] { [Tally()] }

    public init(_ value: Value) throws(ArgumentError) {
        guard case .object(let members) = value else { throw .expected("an object", value) }
        for member in members where !(0...Self.maximum ~= (try Int(member.value))) {
            throw ArgumentError("\(member.name): points not within 0…\(Self.maximum)")
        }
        points = members
    }

    public var value: Value { .object(points) }
}
