import EventLoop
import Inputs
import JSONCoding
import Net
import Sessions
import Shell
import Support

/// Reads the lines `mqtt`, `osc`, `serial` and `evdev` of the configuration. A value of this type holds the words of one line
/// while the line is read. The methods throw the mistake of the line, with its place in the file.
struct ConnectionDirective {
    /// The syntax of each line, after the name of the setting; shown in the manual and in messages.
    static let forms: [ConnectionLine.Kind: String] = [
        .mqtt:
            "NAME mqtt[s]://HOST[:PORT] [ca=FILE] [user=NAME password-file=FILE] [client=ID] [publish=PREFIX] [discovery=homeassistant]",
        .osc: "NAME listen=ADDRESS:PORT",
        .serial: "NAME PATH [baud=N] [end=lf|cr|crlf|any]",
        .evdev: "NAME PATH|auto=GLOB [grab=yes|no]",
    ]
    /// The maximum number of these lines in a configuration.
    static let limit = 64

    private let kind: ConnectionLine.Kind
    private let line: ConfigurationFile.Line
    private let file: ConfigurationFile
    /// The words `KEY=VALUE` of the line, by their keys. `word` has the column for messages.
    private var keyedWords: [String: (word: TextWord, value: String)] = [:]
    /// The other words of the line: the connection's name, and then the address of a broker or the path of a device.
    private let bareWords: [TextWord]

    /// Reads a line. `others` are the lines before it. Throws if one of them defines a connection with the same name.
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

    /// Divides the words of a line into `keyedWords` and `bareWords`. Throws if a key is unknown, given twice or empty.
    private init(
        _ kind: ConnectionLine.Kind, _ line: ConfigurationFile.Line, _ file: ConfigurationFile
    ) throws(ConfigurationFile.ConfigurationError) {
        (self.kind, self.line, self.file) = (kind, line, file)
        let keys: [ConnectionLine.Kind: [String]] = [
            .mqtt: ["ca", "user", "password-file", "client", "publish", "discovery"],
            .osc: ["listen"], .serial: ["baud", "end"],
            .evdev: ["auto", "grab"],
        ]
        bareWords = line.words.filter { $0.pair == nil }
        for word in line.words {
            guard let (key, value) = word.pair else { continue }
            guard keys[kind]?.contains(key) == true else {
                throw file.mistake(line, word, "\(key): unknown; \(Self.expected(kind))")
            }
            guard keyedWords[key] == nil else {
                throw file.mistake(line, word, "\(key) is given twice")
            }
            guard !value.isEmpty else { throw file.mistake(line, word, "\(key): empty") }
            keyedWords[key] = (word, value)
        }
    }

    /// The part of a message that gives the syntax of the line.
    private static func expected(_ kind: ConnectionLine.Kind) -> String {
        "expected \(kind.rawValue) \(forms[kind] ?? "")"
    }

    /// The connection that the line defines.
    private func connection() throws(ConfigurationFile.ConfigurationError) -> ConnectionLine {
        guard let name = bareWords.first else { throw file.mistake(line, nil, Self.expected(kind)) }
        guard SessionName(name.text) != nil else {
            throw file.mistake(line, name, "\(name.text): expected 1 to 64 of A-Z a-z 0-9 . _ -")
        }
        // The name is followed by an address or a path, except for `osc` and for `evdev` with `auto=`.
        let needsLocation =
            kind == .mqtt || kind == .serial || (kind == .evdev && value("auto") == nil)
        guard bareWords.count == (needsLocation ? 2 : 1) else {
            throw file.mistake(line, bareWords.count > 2 ? bareWords[2] : name, Self.expected(kind))
        }
        let endpoint: ConnectionLine.Endpoint
        switch kind {
        case .mqtt: endpoint = .mqtt(try broker(bareWords[1], name: name.text))
        case .osc: endpoint = try oscSocket()
        case .serial:
            endpoint = .serial(
                path: try path(bareWords[1]), baud: try baud(), end: try lineEnd())
        case .evdev: endpoint = try device()
        }
        return ConnectionLine(name: name.text, endpoint: endpoint)
    }

    /// The value of a key; nil if the line does not have it.
    private func value(_ key: String) -> String? { keyedWords[key]?.value }

    /// The path of a device file. A name without a folder is refused: it is hardly a file beside the configuration.
    private func path(_ word: TextWord) throws(ConfigurationFile.ConfigurationError) -> String {
        guard word.text.utf8.contains(UInt8(ascii: "/")) else {
            throw file.mistake(line, word, "\(word.text): expected the path of a device")
        }
        return file.absolutePath(word.text)
    }

    /// The broker of a line `mqtt`. `word` is its address, `name` the connection's name.
    private func broker(_ word: TextWord, name: String)
        throws(ConfigurationFile.ConfigurationError) -> ConnectionLine.Broker
    {
        let isSecure = word.text.hasPrefix("mqtts://")
        guard isSecure || word.text.hasPrefix("mqtt://") else {
            throw file.mistake(line, word, "\(word.text): expected mqtt[s]://HOST[:PORT]")
        }
        let authority = String(word.text.dropFirst(isSecure ? "mqtts://".count : "mqtt://".count))
        // The ports that IANA has assigned to MQTT, with TLS and without.
        let withStandardPort = "\(authority):\(isSecure ? 8883 : 1883)"
        guard
            case .network(let host, let port)? = Address(authority) ?? Address(withStandardPort),
            port > 0,
            !host.contains("/"), !host.contains("@")
        else { throw file.mistake(line, word, "\(word.text): expected mqtt[s]://HOST[:PORT]") }
        let prefix = try prefix()
        var login = try login(name)
        // The broker publishes this message when it loses the connection.
        login.will = prefix.map {
            MQTTMessage(
                topic: PublishedPrefix(text: $0).status, payload: Array(MQTTPublisher.offline.utf8),
                isRetained: true)
        }
        return ConnectionLine.Broker(
            host: host, port: port, isSecure: isSecure,
            authorities: try authorities(isSecure: isSecure), login: login, prefix: prefix,
            hasDiscovery: try discovery(hasPrefix: prefix != nil),
            hasFixedClient: keyedWords["client"] != nil)
    }

    /// The path of the file with the certificate authorities to trust for TLS; nil without `ca=`.
    private func authorities(isSecure: Bool) throws(ConfigurationFile.ConfigurationError)
        -> String?
    {
        guard let (word, text) = keyedWords["ca"] else { return nil }
        guard isSecure else { throw file.mistake(line, word, "ca: only with mqtts://") }
        let path = ServiceCredential.path(file.resolvedPath(text))
        if ServiceCredential.isMissing(path) { return path }
        do throws(TLSClientError) { _ = try TLSClientContext(authorities: path) } catch {
            throw file.mistake(line, word, "ca: \(error.why)")
        }
        return path
    }

    /// The beginning of the topics to which this daemon publishes; nil without `publish=`.
    private func prefix() throws(ConfigurationFile.ConfigurationError) -> String? {
        guard let (word, prefix) = keyedWords["publish"] else { return nil }
        guard MQTTTopic.isName(prefix), prefix.utf8.count <= Self.prefixLimit,
            !prefix.hasPrefix("$"), !prefix.hasSuffix("/")
        else {
            throw file.mistake(
                line, word,
                "publish: expected the beginning of a topic, such as gamed, of at most \(Self.prefixLimit) bytes"
            )
        }
        return prefix
    }

    /// The maximum length of a prefix in bytes.
    private static let prefixLimit = 256

    /// Whether discovery messages are published. `homeassistant` is the only system for which there are such messages.
    private func discovery(hasPrefix: Bool) throws(ConfigurationFile.ConfigurationError) -> Bool {
        guard let (word, kind) = keyedWords["discovery"] else { return false }
        guard kind == "homeassistant", hasPrefix else {
            throw file.mistake(line, word, "discovery: expected homeassistant, with publish=PREFIX")
        }
        return true
    }

    /// A random part of the client ids, so that each run of the daemon has different client ids.
    private static let startID = String(UInt32.random(in: .min ... .max), radix: 16)

    /// The login at the broker, without a will. `name` is the connection's name.
    private func login(_ name: String) throws(ConfigurationFile.ConfigurationError) -> MQTTLogin {
        // If two clients use the same id, the broker ends the connection of the client that connected first. So the default id
        // is different for each connection and each run.
        let client = value("client") ?? "gamed-\(Self.startID)-\(name)"
        var login = MQTTLogin(client: client, user: value("user"))
        guard let (word, text) = keyedWords["password-file"] else { return login }
        guard login.user != nil else {
            throw file.mistake(line, word, "password-file: needs user=NAME")
        }
        let path = ServiceCredential.path(file.resolvedPath(text))
        if ServiceCredential.isMissing(path) { return login }
        do throws(SecretFileError) {
            login.password = try SecretFile.read(path)
        } catch { throw file.mistake(line, word, "password-file: \(error.why)") }
        return login
    }

    /// The address at which a line `osc` listens. The address is numeric; a host name is not allowed.
    private func oscSocket() throws(ConfigurationFile.ConfigurationError)
        -> ConnectionLine.Endpoint
    {
        guard let (word, address) = keyedWords["listen"] else {
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

    /// The speed of a serial port in bits per second. Without `baud=`, the speed is 9600, the usual speed of such devices.
    private func baud() throws(ConfigurationFile.ConfigurationError) -> Int {
        guard let (word, speed) = keyedWords["baud"] else { return 9600 }
        guard let baud = Int(speed), SerialConnection.bauds.contains(baud) else {
            let known = SerialConnection.bauds.map(String.init).joined(separator: ", ")
            throw file.mistake(line, word, "baud: expected one of \(known)")
        }
        return baud
    }

    /// What ends the lines of a serial device.
    private func lineEnd() throws(ConfigurationFile.ConfigurationError) -> LineEnd {
        guard let (word, name) = keyedWords["end"] else { return .any }
        guard let end = LineEnd(rawValue: name) else {
            throw file.mistake(line, word, "end: expected lf, cr, crlf or any")
        }
        return end
    }

    /// The input device of a line `evdev`. The line names the path of the device, or has `auto=` with a pattern. The pattern
    /// selects the first device whose name matches it.
    private func device() throws(ConfigurationFile.ConfigurationError) -> ConnectionLine.Endpoint {
        let grab = value("grab") ?? "no"
        guard grab == "yes" || grab == "no" else {
            throw file.mistake(line, keyedWords["grab"]?.word, "grab: expected yes or no")
        }
        let selection: EvdevConnection.Device
        if let pattern = value("auto") {
            selection = .named(pattern)
        } else {
            selection = .path(try path(bareWords[1]))
        }
        return .evdev(selection, isGrabbed: grab == "yes")
    }
}
