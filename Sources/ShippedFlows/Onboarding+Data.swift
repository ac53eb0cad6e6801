public import GameFlow

extension Onboarding {
    static let exampleMac = "00:1A:2B:3C:4D:5E"

    /// A hardware address of six octets, joined throughout by `:` or by `-`, as it is kept: in upper
    /// case, with `:`.
    static func canonical(_ cmMac: String) throws(Reason) -> String {
        let separator: Character = cmMac.contains("-") ? "-" : ":"
        let octets = cmMac.split(separator: separator, omittingEmptySubsequences: false)
        let isHex = octets.allSatisfy {
            $0.utf8.count == 2 && $0.allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        guard octets.count == 6, isHex else {
            throw .invalid("cmMac", "not six hexadecimal octets joined by : or -")
        }
        return octets.map { $0.uppercased() }.joined(separator: ":")
    }

    /// The name of a state that can be gone back to.
    private enum ResumeName: String, CaseIterable, Argument {
        case accountLoader, welcome, deviceIdentification, error
    }

    public func describe(_ state: State) -> StateDescription<StateName> {
        switch state {
        case .accountLoader: StateDescription(.accountLoader)
        case .welcome: StateDescription(.welcome)
        case .deviceIdentification: StateDescription(.deviceIdentification)
        case .performDeviceChecks(let cmMac):
            StateDescription(.performDeviceChecks, [Member("cmMac", cmMac)])
        case .error(let message): StateDescription(.error, [Member("message", message)])
        case .offline(let resume): StateDescription(.offline, data(resume))
        case .loggedOut: StateDescription(.loggedOut)
        }
    }

    private func data(_ resume: Resumable) -> [Member] {
        switch resume {
        case .accountLoader: [Member("resume", ResumeName.accountLoader.value)]
        case .welcome: [Member("resume", ResumeName.welcome.value)]
        case .deviceIdentification: [Member("resume", ResumeName.deviceIdentification.value)]
        case .error(let message):
            [Member("resume", ResumeName.error.value), Member("message", message)]
        }
    }

    public func entering(_ name: StateName, _ data: Arguments) throws(Reason)
        -> Transition<Onboarding>
    {
        switch name {
        case .accountLoader: return enter(nil, .accountLoader)
        case .welcome: return enter(nil, .welcome)
        case .deviceIdentification: return enter(nil, .deviceIdentification)
        case .performDeviceChecks:
            let cmMac: String = try data("cmMac", samples: [Self.exampleMac])
            return enter(nil, .performDeviceChecks(cmMac: try Self.canonical(cmMac)))
        case .error: return enter(nil, .error(message: try data("message")))
        case .offline: return enter(nil, .offline(resume: try resumable(data)))
        case .loggedOut: return enter(nil, .loggedOut)
        }
    }

    /// Where to go back to: an error has its message, and nothing else has one.
    private func resumable(_ data: Arguments) throws(Reason) -> Resumable {
        let resume: ResumeName = try data("resume")
        let message: String? = try data.optional("message")
        switch (resume, message) {
        case (.error, let message?): return .error(message: message)
        case (.error, nil): throw .invalid("message", "missing")
        case (_, .some): throw .invalid("message", "goes with an error")
        case (.accountLoader, nil): return .accountLoader
        case (.welcome, nil): return .welcome
        case (.deviceIdentification, nil): return .deviceIdentification
        }
    }
}
