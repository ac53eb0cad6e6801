import GameFlow
import JSON
import Sessions
import Shell
import Support
import Timers

/// Options one by one, from wherever they come.
extension Options {
    /// Takes what the configuration says; what is wrong with it.
    mutating func takeConfiguration(_ path: String?, _ flows: [String])
        -> [ConfigurationFile.Mistake]
    {
        let file: ConfigurationFile
        do throws(ConfigurationFile.Mistake) {
            guard let found = try ConfigurationFile.read(path) else { return [] }
            file = found
        } catch { return [error] }
        configuration = file.path
        var mistakes = file.mistakes
        for line in file.lines {
            do throws(ConfigurationFile.Mistake) { try take(line, of: file, flows) } catch {
                mistakes.append(error)
            }
        }
        return mistakes.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
    }

    private mutating func take(
        _ line: ConfigurationFile.Line, of file: ConfigurationFile, _ flows: [String]
    ) throws(ConfigurationFile.Mistake) {
        let name = line.name.text
        if name == "allow" { return rules.append(try RuleLine.read(line, in: file)) }
        if name == "map" { return maps.maps.append(try MapLine.read(line, in: file)) }
        let possible = Self.known.filter {
            !["help", "version", "check", "config"].contains($0.name)
        }
        guard let option = possible.first(where: { $0.name == name }) else {
            let near = DidYouMean.suggest(name, ["allow", "map"] + possible.map(\.name))
            let hint =
                name.contains("=")
                ? "; a space stands between a name and its value"
                : near.isEmpty ? "" : "; did you mean \(near[0])?"
            throw file.mistake(line, nil, "\(name): unknown\(hint)")
        }
        let words = option.value == nil ? 0 : 1
        guard line.words.count >= words else {
            throw file.mistake(line, nil, "\(name) needs a value: \(option.value ?? "")")
        }
        guard line.words.count == words else {
            throw file.mistake(line, line.words[words], "a word too many")
        }
        do throws(UsageError) { try take(name, line.words.first?.text, flows) } catch {
            throw file.mistake(line, line.words.first, error.message)
        }
    }

    /// Takes an option, which is one of those that are known; its message does not name it.
    mutating func take(_ name: String, _ value: String?, _ flows: [String]) throws(UsageError) {
        let value = value ?? ""
        switch name {
        case "socket":
            guard SocketPath.address(value) != nil else {
                throw UsageError("expected a path of 1 to 107 bytes")
            }
            (socket, isStandardSocket) = (value, false)
        case "flow":
            guard flows.contains(value) else { throw Self.unknownFlow(value, flows) }
            flow = value
        case "no-main": opensMain = false
        case "clock": isVirtual = try Self.choose(value, ["real", "virtual"]) == 1
        case "state-dir": stateDirectory = try Self.path(value)
        case "keep": try takeKeep(value)
        case "audit": auditsRefusals = try Self.choose(value, ["refusals"]) == 0
        case "accept-loss": acceptsLoss = true
        default: try takeNetwork(name, value)
        }
    }

    private mutating func takeNetwork(_ name: String, _ value: String) throws(UsageError) {
        switch name {
        case "listen":
            guard let address = Address(value), case .network = address else {
                throw UsageError("expected HOST:PORT, such as 127.0.0.1:7001 or [::1]:7001")
            }
            try Self.add(address, value, to: &listen)
        case "http":
            guard let address = Address(value), Self.fits(address) else {
                throw UsageError("expected HOST:PORT or unix:PATH, such as 127.0.0.1:8080")
            }
            try Self.add(address, value, to: &http)
        case "http-host":
            guard !value.isEmpty, !value.contains("/") else {
                throw UsageError("expected a name, such as hall.example")
            }
            hosts.append(value.lowercased())
        case "tls-cert": certificate = try Self.path(value)
        case "tls-key": key = try Self.path(value)
        case "tls-client-ca": clientAuthority = try Self.path(value)
        case "insecure": isInsecure = true
        case "tokens": tokens = try Self.path(value)
        case "limit": try takeLimit(value)
        case "bluetooth":
            guard let place = BluetoothPlace(value), Self.fits(place) else {
                throw UsageError(
                    "expected sim:FILE, hci:unix:PATH or hci:tcp:HOST:PORT, whose host is a number or localhost"
                )
            }
            bluetooth = place
        case "btsnoop": btsnoop = try Self.path(value)
        default: preconditionFailure("\(name) is known, and is nobody's to take")
        }
    }

    private mutating func takeLimit(_ text: String) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let limit = Limit(rawValue: parts[0]) else {
            let names = Limit.allCases.map(\.rawValue).joined(separator: ", ")
            throw UsageError("expected NAME=VALUE, of \(names)")
        }
        if let why = limit.set(parts[1], in: &limits) { throw UsageError(why) }
    }

    private mutating func takeKeep(_ text: String) throws(UsageError) {
        if text == "forever" {
            keep = nil
            return
        }
        guard let time = DurationText.read(text) else {
            throw UsageError("expected a duration such as 30d, or forever")
        }
        keep = time
    }

    /// What no option can see alone.
    func checkWhole() throws(UsageError) {
        let standard = Options()
        if stateDirectory == nil {
            if keep != standard.keep { throw UsageError("--keep goes with --state-dir") }
            if auditsRefusals { throw UsageError("--audit goes with --state-dir") }
            if acceptsLoss { throw UsageError("--accept-loss goes with --state-dir") }
        }
        if btsnoop != nil, bluetooth == nil {
            throw UsageError("--btsnoop goes with --bluetooth")
        }
        guard (certificate == nil) == (key == nil) else {
            throw UsageError("--tls-cert and --tls-key go together")
        }
        if clientAuthority != nil, certificate == nil {
            throw UsageError("--tls-client-ca goes with --tls-cert")
        }
        if let both = listen.first(where: { $0.isOnlyOneSocket && http.contains($0) }) {
            throw UsageError("--listen and --http have the same address, \(both.text)")
        }
        let addresses = listen.map { ("listen", $0) } + http.map { ("http", $0) }
        for (name, address) in addresses {
            guard !address.isLocal, certificate == nil, !isInsecure else { continue }
            throw UsageError(
                "--\(name) on an address that others reach goes with --tls-cert and --tls-key; "
                    + "--insecure goes without, and anybody on the way can listen in")
        }
    }

    // MARK: values

    private static func add(_ address: Address, _ text: String, to addresses: inout [Address])
        throws(UsageError)
    {
        guard !address.isOnlyOneSocket || !addresses.contains(address) else {
            throw UsageError("\(text) is given twice")
        }
        guard addresses.count < Self.addresses else {
            throw UsageError("at most \(Self.addresses) addresses")
        }
        addresses.append(address)
    }

    private static func fits(_ address: Address) -> Bool {
        guard case .unix(let path) = address else { return true }
        return SocketPath.address(path) != nil
    }

    private static func fits(_ place: BluetoothPlace) -> Bool {
        guard case .unix(let path) = place else { return true }
        return SocketPath.address(path) != nil
    }

    private static func path(_ value: String) throws(UsageError) -> String {
        guard !value.isEmpty else { throw UsageError("expected a path") }
        return value
    }

    /// Which of the words it is.
    private static func choose(_ value: String, _ words: [String]) throws(UsageError) -> Int {
        guard let place = words.firstIndex(of: value) else {
            throw UsageError("expected \(words.joined(separator: " or "))")
        }
        return place
    }

    private static func unknownFlow(_ flow: String, _ flows: [String]) -> UsageError {
        let near = DidYouMean.suggest(flow, flows)
        return UsageError(
            near.isEmpty
                ? "no such flow; known: \(flows.joined(separator: ", "))"
                : "no such flow; did you mean \(near[0])?")
    }
}
