package import EventLoop
import GameFlow
package import Inputs
package import Parts

/// The device of a line `serial`: the device file of a serial port, its speed in bits per second, and what tells the lines that
/// it sends from each other.
package struct SerialEndpoint: ConnectionEndpoint {
    package static let word = "serial"
    package static let form = "NAME PATH [baud=N] [end=lf|cr|crlf|any|frame=HH..HH]"
    package static let sentence =
        "Read lines of text from a serial device, by default at 9600 baud."
    package static let details =
        "gamed opens the device again after it was unplugged and plugged in. `end` is what ends a line of the device, by default CR, LF or both; `frame` has, in hexadecimal, the bytes before and after each line, such as `02..03`."
    package static let keys = ["baud", "end", "frame"]
    package static var serviceNeed: ServiceNeed {
        ServiceNeed(word: word, dropIn: word) { $0.allowsDevice(["char-tty", "/dev/tty"]) }
    }
    package static var pattern: any InputPattern.Type { SerialPattern.self }

    package let path: String
    package let baud: Int
    package var bounds = LineBounds.end(.any)

    package func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let device = SerialConnection(path: path, baud: baud, bounds, on: loop)
        let connection = RoomConnection(line, device)
        device.onInput = { [unowned connection] in
            connection.onInput(SerialInput(line: $0, peer: line.name))
        }
        return connection
    }
}

extension SerialEndpoint {
    package init(_ line: ConnectionDirective) throws(ConfigurationError) {
        self.init(
            path: try line.devicePath(), baud: try Self.baud(line), bounds: try Self.bounds(line))
    }

    /// The speed. Without `baud=`, it is 9600, the usual speed of such devices.
    private static func baud(_ line: ConnectionDirective) throws(ConfigurationError) -> Int {
        guard let speed = line.value("baud") else { return 9600 }
        guard let baud = Int(speed), SerialConnection.bauds.contains(baud) else {
            let known = SerialConnection.bauds.map(String.init).joined(separator: ", ")
            throw line.mistake("baud", "expected one of \(known)")
        }
        return baud
    }

    private static func bounds(_ line: ConnectionDirective) throws(ConfigurationError) -> LineBounds
    {
        if let text = line.value("frame") {
            guard line.value("end") == nil else {
                throw line.mistake("frame", "cannot be combined with end")
            }
            guard let frame = LineFrame(text) else {
                throw line.mistake(
                    "frame", "expected two different bytes in hexadecimal, such as 02..03")
            }
            return .frame(frame)
        }
        guard let name = line.value("end") else { return .end(.any) }
        guard let end = LineEnd(rawValue: name) else {
            throw line.mistake("end", "expected lf, cr, crlf or any")
        }
        return .end(end)
    }
}

extension SerialEndpoint {
    package static func note(_ line: ConfigurationFile.Line, in file: ConfigurationFile)
        -> ConfigurationError?
    {
        DevicePathNote.note(
            line, in: file, numbered: ["/dev/ttyUSB", "/dev/ttyACM"], links: "/dev/serial/by-id")
    }
}

/// A line of a serial device, without its line end, and the name of the connection.
package struct SerialInput: RoomInput {
    package let line: [UInt8]
    package let peer: String

    package var shownText: String { String(decoding: line, as: UTF8.self) }
}

/// The condition of a `map` line about the lines of a serial device.
package struct SerialPattern: InputPattern {
    package static let form = "line=PATTERN"
    package static let keys = ["line"]

    private let pattern: LinePattern

    package init(_ line: MapWords) throws(ConfigurationError) {
        pattern = LinePattern(try line.text("line"))
    }

    package var text: String { "line=\(pattern.text)" }

    package func mayHaveValue(for placeholder: InputPlaceholder) -> Bool {
        if case .number(let number) = placeholder { number <= pattern.captureCount } else { false }
    }

    /// The values are the parts of the line that each `*` of the pattern matched, in order.
    package func values(of input: SerialInput) -> InputValues? {
        guard String(validating: input.line, as: UTF8.self) != nil,
            let captures = pattern.match(input.line)
        else { return nil }
        return pattern.values(captures)
    }
}
