package import EventLoop
import GameFlow
import Inputs
package import Parts

/// The device of a line `led`: the directory of a light-emitting diode.
package struct LEDEndpoint: ConnectionEndpoint {
    package static let word = "led"
    package static let form = "NAME PATH"
    package static let sentence = "Use a light-emitting diode of the kernel."
    package static let keys: [String] = []
    package static var serviceNeed: ServiceNeed {
        ServiceNeed(word: word, dropIn: word) { $0.allowsDevice(["/sys/class/leds"]) }
    }
    package static var pattern: any InputPattern.Type { LevelPattern.self }

    private let path: String

    package init(_ line: ConnectionDirective) throws(ConfigurationError) {
        path = try line.devicePath()
    }

    package func connection(for line: ConnectionLine, on loop: LibeventLoop) -> RoomConnection {
        let device = LEDConnection(path: path, on: loop)
        let connection = RoomConnection(line, device)
        device.onInput = { [unowned connection] in
            connection.onInput(LevelInput(level: $0, peer: line.name))
        }
        return connection
    }
}

/// A level that was set, and the name of the connection.
package struct LevelInput: RoomInput {
    package let level: Int
    package let peer: String

    package var shownText: String { "\(level)" }
}

/// The condition of a `map` line about a level.
package struct LevelPattern: InputPattern {
    package static let form = "level=N"
    package static let keys = ["level"]

    private let level: Int

    package init(_ line: MapWords) throws(ConfigurationError) {
        guard let level = Int(try line.text("level")) else {
            throw line.mistake("level", "expected a number")
        }
        self.level = level
    }

    package var text: String { "level=\(level)" }

    package func mayHaveValue(for placeholder: InputPlaceholder) -> Bool { false }

    package func values(of input: LevelInput) -> InputValues? {
        input.level == level ? { _ in nil } : nil
    }
}
