import EventLoop
import Inputs
import JSONCoding
import Sessions
import Shell
import Support
import TLSClient

/// Reads the lines `mqtt`, `osc`, `serial` and `evdev` of the configuration.
struct ConnectionDirective {
    /// The syntax of the arguments of each line.
    static let forms: [ConnectionLine.Kind: String] = [
        .mqtt:
            "NAME mqtt[s]://HOST[:PORT] [ca=FILE] [user=NAME password-file=FILE] [client=ID] [publish=PREFIX] [discovery=homeassistant]",
        .osc: "NAME listen=ADDRESS:PORT",
        .serial: "NAME PATH [baud=N]",
        .evdev: "NAME PATH|auto=GLOB [grab=yes|no]",
    ]
    /// The maximum number of connections.
    static let limit = 64

    private let kind: ConnectionLine.Kind
    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The words `KEY=VALUE`, by their keys.
    private var words: [String: (word: TextWord, value: String)] = [:]
    /// The words that are not `KEY=VALUE`.
    private let bareWords: [TextWord]

    /// Reads a line. Throws if one of `others`, the lines before it, defines a connection of the same name.
    static func read(
        _ kind: ConnectionLine.Kind, _ line: ConfigurationFile.Line,
        in file: ConfigurationFile, others: [ConnectionLine]
    ) throws(ConfigurationFile.ConfigurationError) -> ConnectionLine {
        let connection = try ConnectionDirective(kind, line, file).connection()
        guard !others.contains(where: { $0.name == connection.name }) else {
            throw file.mistake(
                line, line.words.first, "a connection \(connection.name) is given twice")
        }
        guard others.count < limit else {
            throw file.mistake(line, nil, "at most \(limit) connections")
        }
        return connection
    }

    private init(
        _ kind: ConnectionLine.Kind, _ line: ConfigurationFile.Line, _ file: ConfigurationFile
    ) throws(ConfigurationFile.ConfigurationError) {
        (self.kind, self.line, self.file) = (kind, line, file)
        let keys: [ConnectionLine.Kind: [String]] = [
            .mqtt: ["ca", "user", "password-file", "client", "publish", "discovery"],
            .osc: ["listen"], .serial: ["baud"],
            .evdev: ["auto", "grab"],
        ]
        bareWords = line.words.filter { Self.pair($0) == nil }
        for word in line.words {
            guard let (key, value) = Self.pair(word) else { continue }
            guard keys[kind]?.contains(key) == true else {
                throw file.mistake(line, word, "\(key): unknown; \(Self.expected(kind))")
            }
            guard words[key] == nil else { throw file.mistake(line, word, "\(key) is given twice") }
            guard !value.isEmpty else { throw file.mistake(line, word, "\(key): empty") }
            words[key] = (word, value)
        }
    }

    /// The two parts of a word `KEY=VALUE`, whose key can contain hyphens; nil for another word.
    static func pair(_ word: TextWord) -> (key: String, value: String)? {
        if let key = word.key { return (String(key), String(word.value)) }
        guard let equals = word.text.firstIndex(of: "=") else { return nil }
        let name = word.text[..<equals]
        let isName = name.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        }
        guard isName, !name.isEmpty else { return nil }
        return (String(name), String(word.text[word.text.index(after: equals)...]))
    }

    private static func expected(_ kind: ConnectionLine.Kind) -> String {
        "expected \(kind.rawValue) \(forms[kind] ?? "")"
    }

    private func connection() throws(ConfigurationFile.ConfigurationError) -> ConnectionLine {
        guard let name = bareWords.first else { throw file.mistake(line, nil, Self.expected(kind)) }
        guard SessionName(name.text) != nil else {
            throw file.mistake(line, name, "\(name.text): expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        let needsLocation =
            kind == .mqtt || kind == .serial || (kind == .evdev && text("auto") == nil)
        guard bareWords.count == (needsLocation ? 2 : 1) else {
            throw file.mistake(line, bareWords.count > 2 ? bareWords[2] : name, Self.expected(kind))
        }
        let endpoint: ConnectionLine.Endpoint
        switch kind {
        case .mqtt: endpoint = .mqtt(try broker(bareWords[1], name: name.text))
        case .osc: endpoint = try oscSocket()
        case .serial: endpoint = .serial(path: try path(bareWords[1]), baud: try baud())
        case .evdev: endpoint = try device()
        }
        return ConnectionLine(name: name.text, endpoint: endpoint)
    }

    private func text(_ key: String) -> String? { words[key]?.value }

    private func path(_ word: TextWord) throws(ConfigurationFile.ConfigurationError) -> String {
        guard word.text.hasPrefix("/") else {
            throw file.mistake(line, word, "\(word.text): expected the path of a device")
        }
        return word.text
    }

    private func broker(_ word: TextWord, name: String)
        throws(ConfigurationFile.ConfigurationError) -> ConnectionLine.Broker
    {
        let isSecure = word.text.hasPrefix("mqtts://")
        guard isSecure || word.text.hasPrefix("mqtt://") else {
            throw file.mistake(line, word, "\(word.text): expected mqtt[s]://HOST[:PORT]")
        }
        let authority = String(word.text.dropFirst(isSecure ? 8 : 7))
        let withStandardPort = "\(authority):\(isSecure ? 8883 : 1883)"
        guard
            case .network(let host, let port)? = Address(authority) ?? Address(withStandardPort),
            port > 0,
            !host.contains("/"), !host.contains("@")
        else { throw file.mistake(line, word, "\(word.text): expected mqtt[s]://HOST[:PORT]") }
        let prefix = try prefix()
        var login = try login(name)
        login.will = prefix.map {
            MQTTMessage(
                topic: "\($0)/status", payload: Array(MQTTPublisher.offline.utf8), isRetained: true)
        }
        return ConnectionLine.Broker(
            host: host, port: port, isSecure: isSecure,
            authorities: try authorities(isSecure: isSecure), login: login, prefix: prefix,
            hasDiscovery: try discovery(hasPrefix: prefix != nil),
            hasFixedClient: words["client"] != nil)
    }

    private func authorities(isSecure: Bool) throws(ConfigurationFile.ConfigurationError)
        -> String?
    {
        guard let (word, path) = words["ca"] else { return nil }
        guard isSecure else { throw file.mistake(line, word, "ca: only with mqtts://") }
        do throws(TLSClientError) { _ = try TLSClientContext(authorities: path) } catch {
            throw file.mistake(line, word, "ca: \(error.why)")
        }
        return path
    }

    /// The prefix of the topics that this daemon publishes; nil without `publish=`.
    private func prefix() throws(ConfigurationFile.ConfigurationError) -> String? {
        guard let (word, prefix) = words["publish"] else { return nil }
        guard MQTTTopic.isName(prefix), prefix.utf8.count <= Self.longestPrefix,
            !prefix.hasPrefix("$"), !prefix.hasSuffix("/")
        else {
            throw file.mistake(
                line, word,
                "publish: expected the beginning of a topic, such as gamed, of at most \(Self.longestPrefix) bytes"
            )
        }
        return prefix
    }

    /// The maximum length of a prefix in bytes.
    private static let longestPrefix = 256

    private func discovery(hasPrefix: Bool) throws(ConfigurationFile.ConfigurationError) -> Bool {
        guard let (word, kind) = words["discovery"] else { return false }
        guard kind == "homeassistant", hasPrefix else {
            throw file.mistake(line, word, "discovery: expected homeassistant, with publish=PREFIX")
        }
        return true
    }

    /// A random part of the client ids, so that each start of the daemon has different ones.
    private static let startID = String(UInt32.random(in: .min ... .max), radix: 16)

    private func login(_ name: String) throws(ConfigurationFile.ConfigurationError) -> MQTTLogin {
        // Two clients with one id would end each other's connections.
        let client = text("client") ?? "gamed-\(Self.startID)-\(name)"
        var login = MQTTLogin(client: client, user: text("user"))
        guard let (word, path) = words["password-file"] else { return login }
        guard login.user != nil else {
            throw file.mistake(line, word, "password-file: needs user=NAME")
        }
        do throws(SecretFileError) {
            login.password = try SecretFile.read(path)
        } catch { throw file.mistake(line, word, "password-file: \(error.why)") }
        return login
    }

    private func oscSocket() throws(ConfigurationFile.ConfigurationError)
        -> ConnectionLine.Endpoint
    {
        guard let (word, address) = words["listen"] else {
            throw file.mistake(line, nil, Self.expected(kind))
        }
        guard case .network(let host, let port)? = Address(address),
            HostLookup.numericAddresses(of: host, port) != nil
        else {
            throw file.mistake(
                line, word, "listen: expected a numeric address and a port, such as 0.0.0.0:9000")
        }
        return .osc(host: host, port: port)
    }

    private func baud() throws(ConfigurationFile.ConfigurationError) -> Int {
        guard let (word, speed) = words["baud"] else { return 9600 }
        guard let baud = Int(speed), SerialConnection.bauds.contains(baud) else {
            let known = SerialConnection.bauds.map(String.init).joined(separator: ", ")
            throw file.mistake(line, word, "baud: expected one of \(known)")
        }
        return baud
    }

    private func device() throws(ConfigurationFile.ConfigurationError) -> ConnectionLine.Endpoint {
        let grab = text("grab") ?? "no"
        guard grab == "yes" || grab == "no" else {
            throw file.mistake(line, words["grab"]?.word, "grab: expected yes or no")
        }
        let selection: EvdevConnection.Device
        if let pattern = text("auto") {
            selection = .named(pattern)
        } else {
            selection = .path(try path(bareWords[1]))
        }
        return .evdev(selection, isGrabbed: grab == "yes")
    }
}
