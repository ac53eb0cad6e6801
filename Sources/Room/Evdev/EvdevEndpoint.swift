package import EventLoop
import GameFlow
package import Inputs
package import Parts
import Support

/// The device of a line `evdev`: an input device of the kernel, such as a keyboard. The line names the path of the device, or
/// has `auto=` with a pattern for its name.
package struct EvdevEndpoint: ConnectionEndpoint {
    package static let word = "evdev"
    package static let form = "NAME PATH|auto=GLOB [grab=yes|no] [end=KEY] [layout=NAME]"
    package static let sentence =
        "Read the keys of an input device, by its path or by a pattern for its name."
    package static let details = """
        With `grab=yes`, no other program gets the keys of the device. For `map` lines with `text=`, `end` is the key that ends a
        text, by default Enter, and `layout` the layout of the device's keyboard, such as `de`, by default `us`.
        """
    package static let keys = ["auto", "grab", "end", "layout"]
    package static var serviceNeed: ServiceNeed {
        ServiceNeed(word: word, dropIn: word) { $0.allowsDevice(["char-input", "/dev/input"]) }
    }
    package static var pattern: any InputPattern.Type { KeyPattern.self }

    package let device: EvdevConnection.Device
    /// Whether no other program gets the device's keys.
    package let isGrabbed: Bool
    /// What the device's keys type.
    package var layout = KeyLayout.us
    /// The keys that end a text.
    package var endKeys = TypedText.enter

    package static func hasLocation(_ line: ConnectionDirective) -> Bool {
        line.value("auto") == nil
    }

    package func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let device = EvdevConnection(
            device, isGrabbed: isGrabbed, TypedText(layout, endKeys: endKeys), on: loop)
        let connection = InputDeviceConnection(line, device)
        device.onInput = { [unowned connection, name = self.device.name] in
            connection.onInput(KeyInput(content: $0, peer: name))
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
        if let name = line.value("end") {
            endKeys = [try KeyNames.code(of: name, line.mistake, at: "end")]
        }
        if let name = line.value("layout") {
            do throws(KeyLayoutError) { layout = try KeyLayout(name) } catch {
                throw line.mistake("layout", error.why)
            }
        }
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

/// The connection of a line `evdev`.
package final class InputDeviceConnection: RoomConnection {
    private let device: EvdevConnection

    package init(_ line: ConnectionLine, _ device: EvdevConnection) {
        self.device = device
        super.init(line, device)
    }

    override func subscribe(for patterns: [any InputPattern], and filters: [String]) {
        device.readsTexts = patterns.contains { ($0 as? KeyPattern)?.isAboutText == true }
    }

    /// A key of a device whose texts are read is a part of a text.
    package override func isExpected(_ input: any RoomInput) -> Bool {
        guard device.readsTexts, case .key? = (input as? KeyInput)?.content else { return false }
        return true
    }

    override var deviceMembers: [Member] {
        guard let (path, others) = device.found else { return [] }
        return [Member("file", path)]
            + (others.isEmpty ? [] : [Member("others", .array(others.map { .string($0) }))])
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
