/// A hash table of sessions by name.
///
/// It stores only references: a dictionary would store each name again, which takes twice the memory of the table. A
/// session is in the first free place from that of its hash on.
struct SessionTable {
    /// The places; their number is a power of two, and at least a quarter of them is free.
    private var places = [Session?](repeating: nil, count: 8)
    private(set) var count = 0

    init() {}

    /// A table of sessions whose names differ.
    init(_ sessions: [Session]) {
        var size = 8
        while sessions.count > size / 4 * 3 { size *= 2 }
        places = Array(repeating: nil, count: size)
        for session in sessions { insert(session) }
    }

    func find(_ name: SessionName) -> Session? {
        var place = home(of: name)
        while let session = places[place] {
            if session.name == name { return session }
            place = next(place)
        }
        return nil
    }

    /// Adds a session, whose name must not be in the table.
    mutating func insert(_ session: Session) {
        if count >= places.count / 4 * 3 { grow() }
        var place = home(of: session.name)
        while let other = places[place] {
            precondition(other.name != session.name, "a name is taken once")
            place = next(place)
        }
        places[place] = session
        count += 1
    }

    /// Removes the session of that name. Returns false if the table has no such session.
    mutating func remove(_ name: SessionName) -> Bool {
        var hole = home(of: name)
        while let session = places[hole], session.name != name { hole = next(hole) }
        guard places[hole] != nil else { return false }
        count -= 1
        // A session after the hole moves into it, unless its own place lies between them.
        var place = next(hole)
        while let session = places[place] {
            let distance = (place &- home(of: session.name)) & (places.count - 1)
            if distance >= (place &- hole) & (places.count - 1) {
                places[hole] = session
                hole = place
            }
            place = next(place)
        }
        places[hole] = nil
        return true
    }

    private func home(of name: SessionName) -> Int { name.hashValue & (places.count - 1) }

    private func next(_ place: Int) -> Int { (place + 1) & (places.count - 1) }

    private mutating func grow() {
        let old = places
        places = Array(repeating: nil, count: 2 * old.count)
        count = 0
        for case let session? in old { insert(session) }
    }
}
