import RPC

/// The page of a session that a guest's browser opens.
package enum InvitationPage: String, Sendable {
    /// The players' page.
    case players
    /// The players' page for a wall: without buttons, and readable from far away.
    case wall
    /// The transparent page for a program such as OBS.
    case overlay

    /// The role of a guest if the invitation gives none: nobody presses a button on a wall or an overlay.
    var usualRole: Role { self == .players ? .play : .observe }

    /// The query of the page `/join`, which leads to this page.
    var query: String {
        switch self {
        case .players: ""
        case .wall: "?screen=wall"
        case .overlay: "?to=overlay"
        }
    }
}
