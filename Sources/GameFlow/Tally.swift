public import JSON

/// Points by name, in the order in which the names came up: `{"ann":2,"bob":1}`.
public struct Tally: Argument, Equatable, Sendable {
    private var points: [Member] = []

    public init() {}

    public mutating func add(_ more: Int, to name: String) {
        guard let place = points.firstIndex(where: { $0.name == name }),
            case .int(let before) = points[place].value
        else { return points.append(Member(name, more)) }
        points[place] = Member(name, before + more)
    }

    /// The highest number of points; 0 where nobody has any.
    public var highest: Int {
        points.map { if case .int(let points) = $0.value { points } else { 0 } }.max() ?? 0
    }

    // MARK: Argument

    public static var type: String { "object" }
    public static var samples: [Tally] { [Tally()] }

    public init(_ value: Value) throws(Misfit) {
        guard case .object(let members) = value else { throw .expected("an object", value) }
        for member in members where try Int(member.value) < 0 {
            throw Misfit("\(member.name) has fewer than no points")
        }
        points = members
    }

    public var value: Value { .object(points) }
}
