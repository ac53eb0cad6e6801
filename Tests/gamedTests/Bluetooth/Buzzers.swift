import Bluetooth
import Glibc
import TestSupport
import Testing

@testable import gamed

/// Four quiz buzzers, `Buzzer 1` to `Buzzer 4`, in somebody's hands.
protocol Buzzers: AnyObject {
    /// Where their controller is, as `--bluetooth` has it.
    var location: String { get }
    /// A buzzer tells a value.
    func press(_ number: Int, _ value: UInt8, in hall: BuzzersFixture)
    /// All of them do, at once.
    func pressAll(_ value: UInt8, in hall: BuzzersFixture)
    func drop(_ number: Int, in hall: BuzzersFixture)
    func comeBack(_ number: Int, in hall: BuzzersFixture)
}

/// Which buzzers, and where.
enum Maker: String, CaseIterable, CustomTestStringConvertible {
    case simulated
    case bumbleOverUNIX
    /// With a controller that tells of advertisements as those do that know no Extended Advertising.
    case bumbleOverTCP

    var testDescription: String { rawValue }

    func make(_ folder: Folder) throws -> any Buzzers {
        switch self {
        case .simulated: SimulatedBuzzers(folder)
        case .bumbleOverUNIX:
            try BumbleBuzzers(
                "hci:unix:\(folder.path)/hci", ["unix-server:\(folder.path)/hci"])
        case .bumbleOverTCP:
            try BumbleBuzzers.overTCP()
        }
    }
}

/// Our own.
final class SimulatedBuzzers: Buzzers {
    let location: String

    init(_ folder: Folder) {
        let lines = (1...4).map { "device \"Buzzer \($0)\" buzzer\n" }.joined()
        location = "sim:" + folder.write("radio.scenario", lines)
    }

    private func buzzer(_ number: Int, _ hall: BuzzersFixture) -> Peripheral {
        hall.source.simulator!.peripherals[number - 1]
    }

    func press(_ number: Int, _ value: UInt8, in hall: BuzzersFixture) {
        buzzer(number, hall).press(button: value.trailingZeroBitCount)
        hall.source.processSimulatedAction()
    }

    func pressAll(_ value: UInt8, in hall: BuzzersFixture) {
        for number in 1...4 { buzzer(number, hall).press(button: value.trailingZeroBitCount) }
        hall.source.processSimulatedAction()
    }

    func drop(_ number: Int, in hall: BuzzersFixture) { buzzer(number, hall).drop() }
    func comeBack(_ number: Int, in hall: BuzzersFixture) { buzzer(number, hall).comeBack() }
}

/// Bumble's, in a process of their own.
final class BumbleBuzzers: Buzzers {
    let location: String
    private let process: ChildProcess

    /// Starts them, and waits until they advertise.
    init(_ location: String, _ arguments: [String]) throws {
        self.location = location
        let root = ChildProcess.root
        let command = [
            "\(root)/.venv/bin/python", "\(root)/Tests/gamedTests/Clients/radio.py",
        ]
        process = try ChildProcess(command + arguments, talksBy: [0, 1])
        guard process.waitFor("ready\n") else {
            throw ChildProcess.Failure(why: "Bumble does not begin")
        }
    }

    /// At a port that nobody has at present.
    static func overTCP() throws -> BumbleBuzzers {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size)
                getsockname(descriptor, $0, &size)
            }
        }
        close(descriptor)
        let spot = "127.0.0.1:\(UInt16(bigEndian: address.sin_port))"
        return try BumbleBuzzers("hci:tcp:\(spot)", ["tcp-server:\(spot)", "legacy"])
    }

    func press(_ number: Int, _ value: UInt8, in hall: BuzzersFixture) {
        process.say("press \(number) \(value)")
    }
    func pressAll(_ value: UInt8, in hall: BuzzersFixture) { process.say("all \(value)") }
    func drop(_ number: Int, in hall: BuzzersFixture) { process.say("drop \(number)") }
    func comeBack(_ number: Int, in hall: BuzzersFixture) { process.say("return \(number)") }
}
