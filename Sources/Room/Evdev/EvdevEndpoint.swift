package import EventLoop
package import Inputs
package import Parts
import Support

/// The device of a line `evdev`: an input device of the kernel, such as a keyboard. The line names the path of the device, or
/// has `auto=` with a pattern. The pattern selects the first device whose name matches it.
package struct EvdevEndpoint: ConnectionEndpoint {
    package static let word = "evdev"
    package static let form = "NAME PATH|auto=GLOB [grab=yes|no]"
    package static let sentence =
        "Read the keys of an input device, by its path or by a pattern for its name."
    package static let details = "With `grab=yes`, no other program gets the keys of the device."
    package static let keys = ["auto", "grab"]
    package static var serviceNeed: ServiceNeed {
        ServiceNeed(word: word, dropIn: word) { $0.allowsDevice(["char-input", "/dev/input"]) }
    }
    package static var pattern: any InputPattern.Type { KeyPattern.self }

    package let device: EvdevConnection.Device
    /// Whether no other program gets the device's keys.
    package let isGrabbed: Bool

    package static func hasLocation(_ line: ConnectionDirective) -> Bool {
        line.value("auto") == nil
    }

    package func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let device = EvdevConnection(device, isGrabbed: isGrabbed, on: loop)
        let connection = RoomConnection(line, device)
        device.onInput = { [unowned connection, name = self.device.name] in
            connection.onInput(KeyInput(code: $0, peer: name))
        }
        return connection
    }
}

extension EvdevEndpoint {
    package init(_ line: ConnectionDirective) throws(ConfigurationError) {
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

extension EvdevEndpoint {
    package static func note(_ line: ConfigurationFile.Line, in file: ConfigurationFile)
        -> ConfigurationError?
    {
        DevicePathNote.note(
            line, in: file, numbered: ["/dev/input/event"], links: "/dev/input/by-id")
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
package struct KeyInput: RoomInput {
    package let code: UInt16
    package let peer: String

    package var shownText: String { KeyNames.name(of: code) }
}

/// The condition of a `map` line about the press of a key.
package struct KeyPattern: InputPattern {
    package static let form = "key=KEY"
    package static let keys = ["key"]

    private let code: UInt16

    package init(_ line: MapWords) throws(ConfigurationError) {
        let name = try line.text("key")
        guard let code = KeyNames.code(of: name) else {
            let hint = DidYouMean.question(name, KeyNames.all).map { "; \($0)" } ?? ""
            throw line.mistake("key", "no key \(name)\(hint)")
        }
        self.code = code
    }

    package var text: String { "key=\(KeyNames.name(of: code))" }

    package func mayHaveValue(for placeholder: InputPlaceholder) -> Bool { false }

    package func values(of input: KeyInput) -> InputValues? {
        input.code == code ? { _ in nil } : nil
    }
}
