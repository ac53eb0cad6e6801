public import GameFlow

extension Startup {
    // MARK: validators

    public func validate(_ event: Event) throws(Reason) {
        switch event {
        case .loginSucceeded(let userID): try check(userID: userID)
        case .deepLink(let link): try check(link: link)
        default: break
        }
    }

    private func check(userID: String) throws(Reason) {
        guard 1...64 ~= userID.unicodeScalars.count else {
            throw .invalid("userID", "not of 1…64 characters")
        }
    }

    static let exampleLink = "app://home"

    /// A scheme as RFC 3986 has it, `://`, and something behind it; no blank anywhere.
    private func check(link: String) throws(Reason) {
        let scalars = link.unicodeScalars
        let scheme = scalars.prefix { $0 != ":" }
        let rest = scalars.dropFirst(scheme.count)
        guard let first = scheme.first, "a"..."z" ~= first || "A"..."Z" ~= first,
            scheme.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || Self.inScheme($0)) }),
            rest.starts(with: "://".unicodeScalars), rest.count > 3,
            !scalars.contains(where: \.properties.isWhitespace)
        else {
            throw .invalid("link", "not a scheme, :// and something behind it, without a blank")
        }
    }

    private static func inScheme(_ scalar: Unicode.Scalar) -> Bool {
        "0"..."9" ~= scalar || scalar == "+" || scalar == "-" || scalar == "."
    }

    // MARK: names and data

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .launching: StateDescription(.launching)
        case .hydrating: StateDescription(.hydrating)
        case .needsLogin: StateDescription(.needsLogin)
        case .authenticating: StateDescription(.authenticating)
        case .ready(let userID): StateDescription(.ready, [Member("userID", userID)])
        case .showing(let userID, let link):
            StateDescription(.showing, [Member("userID", userID), Member("link", link)])
        case .error(let message): StateDescription(.error, [Member("message", message)])
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason)
        -> Transition<Startup>
    {
        switch name {
        case .launching: return enter(nil, .launching)
        case .hydrating: return enter(nil, .hydrating)
        case .needsLogin: return enter(nil, .needsLogin)
        case .authenticating: return enter(nil, .authenticating)
        case .error: return enter(nil, .error(message: try data("message")))
        case .ready:
            let userID: String = try data("userID")
            try check(userID: userID)
            return enter(nil, .ready(userID: userID))
        case .showing:
            let userID: String = try data("userID")
            let link: String = try data("link", samples: [Self.exampleLink])
            try check(userID: userID)
            try check(link: link)
            return enter(nil, .showing(userID: userID, link: link))
        }
    }
}
