import RPC

/// A caller and its rights. The rights are written twice: the daemon uses `rights`; the replies are checked with `role`,
/// `everywhere` and `sends`.
struct TestIdentity {
    /// The caller's token, which says what the caller may do.
    let token: String
    let rights: Rights
    /// The highest role for a session.
    let role: (_ session: String) -> Role?
    /// The highest role for all present and future sessions.
    let everywhere: Role?
    /// Whether the caller may send an event to a session.
    let sends: (_ event: String, _ session: String) -> Bool

    /// The highest role for any session.
    var somewhere: Role? { rights.grants.map(\.role).max() }

    private init(
        _ token: String, _ grants: [Grant], everywhere: Role? = nil,
        role: @escaping (String) -> Role?, sends: @escaping (String, String) -> Bool
    ) {
        (self.token, rights, self.everywhere) = (token, Rights(grants), everywhere)
        (self.role, self.sends) = (role, sends)
    }

    private static func isRoom(_ session: String) -> Bool { session.hasPrefix("room-") }

    /// A caller without a valid token.
    nonisolated(unsafe) static let unknown = TestIdentity(
        "", [], role: { _ in nil }, sends: { _, _ in false })

    nonisolated(unsafe) static let all = [
        TestIdentity(
            "observe-all", [Grant(.observe)], everywhere: .observe,
            role: { _ in .observe }, sends: { _, _ in false }),
        TestIdentity(
            "observe-main", [Grant(.observe, session: Glob("main"))],
            role: { $0 == "main" ? .observe : nil }, sends: { _, _ in false }),
        TestIdentity(
            "play-start-events", [Grant(.play, event: Glob("start*"))], everywhere: .play,
            role: { _ in .play }, sends: { event, _ in event.hasPrefix("start") }),
        TestIdentity(
            "play-rooms", [Grant(.observe), Grant(.play, session: Glob("room-*"))],
            everywhere: .observe, role: { isRoom($0) ? .play : .observe },
            sends: { _, session in isRoom(session) }),
        TestIdentity(
            "operate-main", [Grant(.operate, session: Glob("main"))],
            role: { $0 == "main" ? .operate : nil }, sends: { _, session in session == "main" }),
        TestIdentity(
            "operate-display-events", [Grant(.operate, event: Glob("display*"))],
            everywhere: .operate,
            role: { _ in .operate }, sends: { event, _ in event.hasPrefix("display") }),
        TestIdentity(
            "play-main-and-operate-rooms",
            [
                Grant(.play, session: Glob("main"), event: Glob("choose*")),
                Grant(.operate, session: Glob("room-[ab]")),
            ],
            role: { ["main": .play, "room-a": .operate, "room-b": .operate][$0] },
            sends: { event, session in
                session == "main"
                    ? event.hasPrefix("choose") : ["room-a", "room-b"].contains(session)
            }),
        TestIdentity(
            "operate-all", [Grant(.operate)], everywhere: .operate,
            role: { _ in .operate }, sends: { _, _ in true }),
    ]

    static func of(_ token: String?) -> TestIdentity? { all.first { $0.token == token } }
}
