import EventLoop
import Inputs
import Support

/// The device of a line `evdev`: an input device of the kernel, such as a keyboard. The line names the path of the device, or
/// has `auto=` with a pattern. The pattern selects the first device whose name matches it.
struct EvdevEndpoint: ConnectionEndpoint {
    static let word = "evdev"
    static let form = "NAME PATH|auto=GLOB [grab=yes|no]"
    static let sentence =
        "Read the keys of an input device, by its path or by a pattern for its name."
    static let details = "With `grab=yes`, no other program gets the keys of the device."
    static let keys = ["auto", "grab"]
    static var serviceNeed: ServiceNeed {
        ServiceNeed(word: word, dropIn: word) { $0.allowsDevice(["char-input", "/dev/input"]) }
    }
    static var pattern: any InputPattern.Type { KeyPattern.self }

    let device: EvdevConnection.Device
    /// Whether no other program gets the device's keys.
    let isGrabbed: Bool

    static func hasLocation(_ line: ConnectionDirective) -> Bool { line.value("auto") == nil }

    func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let device = EvdevConnection(device, isGrabbed: isGrabbed, on: loop)
        let connection = RoomConnection(line, device)
        device.onInput = { [unowned connection, name = self.device.name] in
            connection.onInput(KeyInput(code: $0, peer: name))
        }
        return connection
    }
}

extension EvdevEndpoint {
    init(_ line: ConnectionDirective) throws(ConfigurationError) {
        let grab = line.value("grab") ?? "no"
        guard grab == "yes" || grab == "no" else {
            throw line.mistake("grab", "expected yes or no")
        }
        if let pattern = line.value("auto") {
            device = .named(pattern)
        } else {
            device = .path(try line.devicePath())
        }
        isGrabbed = grab == "yes"
    }
}

extension EvdevConnection.Device {
    /// The path or the pattern, as the line has it.
    fileprivate var name: String {
        switch self {
        case .path(let path): path
        case .named(let pattern): pattern
        }
    }
}

/// The press of a key, and the path or name of its device.
struct KeyInput: RoomInput {
    let code: UInt16
    let peer: String

    var shownText: String { KeyNames.name(of: code) }
}

/// The condition of a `map` line about the press of a key.
struct KeyPattern: InputPattern {
    static let form = "key=KEY"
    static let keys = ["key"]

    private let code: UInt16

    init(_ line: MapWords) throws(ConfigurationError) {
        let name = try line.text("key")
        guard let code = KeyNames.code(of: name) else {
            let hint = DidYouMean.question(name, KeyNames.all).map { "; \($0)" } ?? ""
            throw line.mistake("key", "no key \(name)\(hint)")
        }
        self.code = code
    }

    var text: String { "key=\(KeyNames.name(of: code))" }

    func mayHaveValue(for placeholder: InputPlaceholder) -> Bool { false }

    func values(of input: KeyInput) -> InputValues? { input.code == code ? { _ in nil } : nil }
}
