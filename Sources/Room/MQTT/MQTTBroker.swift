package import EventLoop
package import GameFlow
package import Inputs
import JSONCoding
import Net
package import Parts
import Shell

/// The broker of a line `mqtt`, the login, and what this daemon publishes there.
package struct MQTTBroker: Equatable {
    package let host: String
    package let port: UInt16
    package let isSecure: Bool
    /// The path of the file with the certificate authorities to trust; nil for the authorities that the system trusts.
    package let authorities: String?
    package private(set) var login: MQTTLogin
    /// The beginning of the topics to which the states of sessions are published; nil if no states are published.
    package let prefix: String?
    /// Whether discovery messages for Home Assistant are published.
    let hasDiscovery: Bool
    /// Whether Home Assistant gets controls that send events, and a switch that pauses the timers.
    let hasControls: Bool
    /// Whether the devices of closed sessions stay in Home Assistant.
    let keepsDevices: Bool
    /// Whether the published details are those that operators see.
    let showsOperators: Bool
    /// Whether the line sets the client id by `client=`.
    let hasFixedClient: Bool
}

extension MQTTBroker: ConnectionEndpoint {
    package static let word = "mqtt"
    package static let form =
        "NAME mqtt[s]://HOST[:PORT] [ca=FILE] [user=NAME password-file=FILE] [client=ID] [publish=PREFIX [view=operate]] [discovery=homeassistant [controls=yes] [keep=yes]]"
    package static let sentence = "Connect to an MQTT 3.1.1 broker."
    package static let details = """
        The password file must have the mode 0600 or stricter. With `publish`, the states of the sessions are published; with
        `view=operate`, with what only operators see. With `discovery`, Home Assistant gets a device for each session; with
        `controls`, it can send events and pause the timers, as far as a rule lets `source:mqtt`; with `keep`, the device of a
        closed session stays.
        """
    package static let keys = [
        "ca", "user", "password-file", "client", "publish", "view", "discovery", "controls", "keep",
    ]
    package static let fileKeys = ["ca", "password-file"]
    package static var serviceNeed: ServiceNeed { .network(word, dropIn: word) }
    package static var pattern: any InputPattern.Type { MQTTPattern.self }

    package init(_ line: ConnectionDirective) throws(ConfigurationError) {
        isSecure = line.location.hasPrefix("mqtts://")
        (host, port) = try Self.address(line, isSecure: isSecure)
        let prefix = try Self.prefix(line)
        var login = try Self.login(line)
        // The broker publishes this message when it loses the connection.
        login.will = prefix.map {
            MQTTMessage(
                topic: PublishedPrefix(text: $0).status,
                payload: Array(PublishedPrefix.offline.utf8),
                isRetained: true)
        }
        (self.prefix, self.login) = (prefix, login)
        authorities = try Self.authorities(line, isSecure: isSecure)
        hasDiscovery = try Self.discovery(line, hasPrefix: prefix != nil)
        hasControls = try Self.flag("controls", line, needs: hasDiscovery)
        keepsDevices = try Self.flag("keep", line, needs: hasDiscovery)
        showsOperators = try Self.view(line, hasPrefix: prefix != nil)
        hasFixedClient = line.value("client") != nil
    }

    /// Nodes that use the same line must have different client ids: if two clients use the same id, the broker ends the
    /// connection of the client that connected first. So `-NODE` is appended to the id, unless it is random.
    package func ofNode(_ node: String) -> MQTTBroker {
        guard hasFixedClient else { return self }
        var broker = self
        broker.login.client += "-\(node)"
        return broker
    }

    package func connection(for line: ConnectionLine, on loop: LibeventLoop) throws(EventLoopError)
        -> RoomConnection
    {
        var security: TLSClientContext?
        if isSecure {
            do throws(TLSClientError) {
                security = try TLSClientContext(authorities: authorities)
            } catch { throw .unavailable(error.why) }
        }
        return BrokerConnection(
            line,
            MQTTConnection(
                host: host, port: port, login, security: security, filters: [], on: loop),
            on: loop)
    }

    package static func note(_ line: ConfigurationFile.Line, in file: ConfigurationFile)
        -> ConfigurationError?
    {
        if let controls = line.words.first(where: { $0.text == "controls=yes" }),
            !file.lines.contains(where: {
                $0.name.text == "allow" && $0.words.first?.text == "source:mqtt"
            })
        {
            return file.mistake(
                line, controls,
                "controls: no rule lets Home Assistant send events, such as `allow source:mqtt play session=NAME`"
            )
        }
        guard let user = line.words.first(where: { $0.key == "user" }),
            !line.words.contains(where: { $0.pair?.key == "password-file" })
        else { return nil }
        return file.mistake(
            line, user, "user: without password-file=, the broker gets no password")
    }

    package static func notes(
        _ file: ConfigurationFile, _ connections: [ConnectionLine], _ flows: [AnyFlow]
    ) -> [ConfigurationError] {
        MessageLoops(file, connections, flows).notes
    }
}

/// The words of the line.
extension MQTTBroker {
    private static func address(_ line: ConnectionDirective, isSecure: Bool)
        throws(ConfigurationError) -> (host: String, port: UInt16)
    {
        let scheme = isSecure ? "mqtts://" : "mqtt://"
        let authority = String(line.location.dropFirst(scheme.count))
        // The ports that IANA has assigned to MQTT, with TLS and without.
        let withStandardPort = "\(authority):\(isSecure ? 8883 : 1883)"
        guard line.location.hasPrefix(scheme),
            case .network(let host, let port)? = Address(authority) ?? Address(withStandardPort),
            port > 0,
            !host.contains("/"), !host.contains("@")
        else { throw line.locationMistake("expected mqtt[s]://HOST[:PORT]") }
        return (host, port)
    }

    /// The path of the file with the certificate authorities to trust for TLS; nil without `ca=`.
    private static func authorities(_ line: ConnectionDirective, isSecure: Bool)
        throws(ConfigurationError) -> String?
    {
        guard let text = line.value("ca") else { return nil }
        guard isSecure else { throw line.mistake("ca", "only with mqtts://") }
        let path = ServiceCredential.path(line.file.resolvedPath(text))
        if ServiceCredential.isMissing(path) { return path }
        do throws(TLSClientError) { _ = try TLSClientContext(authorities: path) } catch {
            throw line.mistake("ca", error.why)
        }
        return path
    }

    /// The beginning of the topics to which this daemon publishes; nil without `publish=`.
    private static func prefix(_ line: ConnectionDirective) throws(ConfigurationError) -> String? {
        guard let prefix = line.value("publish") else { return nil }
        guard MQTTTopic.isName(prefix), prefix.utf8.count <= prefixLimit,
            !prefix.hasPrefix("$"), !prefix.hasSuffix("/")
        else {
            throw line.mistake(
                "publish",
                "expected the beginning of a topic, such as gamed, of at most \(prefixLimit) bytes")
        }
        return prefix
    }

    /// The maximum length of a prefix in bytes.
    private static let prefixLimit = 256

    /// Whether discovery messages are published. `homeassistant` is the only system for which there are such messages.
    private static func discovery(_ line: ConnectionDirective, hasPrefix: Bool)
        throws(ConfigurationError) -> Bool
    {
        guard let system = line.value("discovery") else { return false }
        guard system == "homeassistant", hasPrefix else {
            throw line.mistake("discovery", "expected homeassistant, with publish=PREFIX")
        }
        return true
    }

    /// The value `yes` or `no` of a key that needs `discovery=`; false without it.
    private static func flag(_ key: String, _ line: ConnectionDirective, needs hasDiscovery: Bool)
        throws(ConfigurationError) -> Bool
    {
        guard let text = line.value(key) else { return false }
        guard text == "yes" || text == "no", hasDiscovery else {
            throw line.mistake(key, "expected yes or no, with discovery=homeassistant")
        }
        return text == "yes"
    }

    /// Whether the details are those that operators see.
    private static func view(_ line: ConnectionDirective, hasPrefix: Bool)
        throws(ConfigurationError) -> Bool
    {
        guard let text = line.value("view") else { return false }
        guard text == "operate" || text == "observe", hasPrefix else {
            throw line.mistake("view", "expected observe or operate, with publish=PREFIX")
        }
        return text == "operate"
    }

    /// A random part of the client ids, so that each run of the daemon has different client ids.
    private static let startID = String(UInt32.random(in: .min ... .max), radix: 16)

    /// The login at the broker, without a will.
    private static func login(_ line: ConnectionDirective) throws(ConfigurationError) -> MQTTLogin {
        // If two clients use the same id, the broker ends the connection of the client that connected first. So the default id
        // is different for each connection and each run.
        let client = line.value("client") ?? "gamed-\(startID)-\(line.name)"
        var login = MQTTLogin(client: client, user: line.value("user"))
        guard let text = line.value("password-file") else { return login }
        guard login.user != nil else { throw line.mistake("password-file", "needs user=NAME") }
        let path = ServiceCredential.path(line.file.resolvedPath(text))
        if ServiceCredential.isMissing(path) { return login }
        do throws(SecretFileError) {
            login.password = try SecretFile.read(path)
        } catch { throw line.mistake("password-file", error.why) }
        return login
    }
}

extension ConnectionLine {
    /// The broker; nil for a connection of another kind.
    package var broker: MQTTBroker? { endpoint as? MQTTBroker }
}
