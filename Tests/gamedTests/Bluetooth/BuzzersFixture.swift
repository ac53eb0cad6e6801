import Bluetooth
import BluetoothPart
import EventLoop
import GameFlow
import Glibc
import JSONCoding
import Parts
import Sessions
import Shards
import ShippedFlows
import Support
import TestSupport
import Testing
import Timers

@testable import GamedServer
@testable import RPC

/// Four quiz buzzers, the Bluetooth source that connects to them, and sessions. The clock is virtual if the buzzers are
/// simulated, and real otherwise.
final class BuzzersFixture {
    let folder = Folder()
    let loop: LibeventLoop
    private let shards: OwnShards
    let sessions: Sessions
    let buzzers: any Buzzers
    private(set) var source: BluetoothSource!
    /// The path of the capture that the source writes.
    let capturePath: String
    private let isVirtual: Bool

    init(_ kind: BuzzerKind, _ mapLines: String, flow: String = "game") throws {
        buzzers = try kind.make(folder)
        isVirtual = kind == .simulated
        loop = try LibeventLoop()
        capturePath = "\(folder.path)/capture.btsnoop"
        let configuration = folder.write("gamed.conf", mapLines)
        let arguments = [
            "--config", configuration, "--bluetooth", buzzers.location, "--btsnoop", capturePath,
        ]
        let command = try Options.read(arguments, flows: AnyFlow.shipped())
        guard case .run(let options) = command, let controller = options.bluetooth.controller
        else { fatalError("\(command)") }
        let clock: any TimerClock = isVirtual ? VirtualClock() : loop
        shards = try ShardFixture(options, on: loop).onlyShard(on: clock)
        sessions = shards.only!.sessions
        _ = try sessions.open(.main, sessions.flow(flow), RequestContext(from: Source(.terminal)))
        source = try BluetoothSource(
            options, controller, sessions.clock, DeviceEvents(shards, nil, on: loop),
            AlertBoard { .zero },
            on: loop)
        sessions.simulator = source.radioDriver
    }

    /// Lets time pass until a condition is true, for at most 120 seconds, and expects the condition.
    func waitUntil(_ description: String, _ condition: @escaping () -> Bool) {
        if isVirtual {
            for _ in 0..<6000 where !condition() {
                _ = try? sessions.advance(.by(.milliseconds(20)))
            }
        } else {
            let timeout = ScopedCountdown(on: loop, .seconds(120)) { [unowned self] in loop.stop() }
            loop.beforeSleep = { [unowned self] in
                if condition() { loop.stop() }
                return false
            }
            if !condition() { loop.run() }
            loop.beforeSleep = nil
            withExtendedLifetime(timeout) {}
        }
        #expect(condition(), "\(description)")
    }

    var mainSession: Session { try! sessions.session(.main) }
    var state: String { mainSession.machine.place.state }

    /// The source's device for the buzzer with this number, counted from 1. Nil until the source has found the buzzer.
    func device(_ number: Int) -> Device? {
        source.central.devices.first { $0.name == "Buzzer \(number)" }
    }

    func isReady(_ number: Int) -> Bool { device(number)?.state == .ready }

    func send(_ event: String, _ arguments: [Member] = []) throws {
        _ = try sessions.send(
            event, arguments, to: mainSession, RequestContext(from: Source(.terminal)))
    }

    /// The records of session main, oldest first. The text of a change is its event and its kind, such as `buzz enter`. The
    /// text of a refusal is its JSON.
    var historyTexts: [String] {
        sessions.history(of: mainSession, limit: 1000).records.reversed().map { record in
            switch record {
            case .change(let change): "\(change.step.event?.name ?? "open") \(change.kind)"
            case .refusal: JSONWriter.text(of: record)
            }
        }
    }

    func stop() {
        source.stop()
        source = nil
    }
}

extension JSONWriter {
    /// The JSON of a record, as the method `history` returns it.
    static func text(of record: Sessions.Record) -> String {
        String(decoding: bytes { Encoder().write(record, .full, to: &$0) }, as: UTF8.self)
    }
}

/// Four quiz buzzers, `Buzzer 1` to `Buzzer 4`, which a test can control.
protocol Buzzers: AnyObject {
    /// The location of their controller, for `--bluetooth`.
    var location: String { get }
    /// Presses one button of a buzzer: the button that sends this value. The four buttons send 1, 2, 4 and 8.
    func press(_ number: Int, value: UInt8, in fixture: BuzzersFixture)
    /// Presses the button that sends this value on all buzzers at the same time.
    func pressAll(value: UInt8, in fixture: BuzzersFixture)
    /// Interrupts the link of a buzzer, until `returnToRange` is called.
    func leaveRange(_ number: Int, in fixture: BuzzersFixture)
    /// Ends the interruption, so that the source can find the buzzer again.
    func returnToRange(_ number: Int, in fixture: BuzzersFixture)
}

/// Which implementation of `Buzzers` a test uses.
enum BuzzerKind: String, CaseIterable, CustomTestStringConvertible {
    case simulated
    case bumbleOverUNIX
    /// This controller sends legacy advertising reports.
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

/// Buzzers of the radio that gamed simulates.
final class SimulatedBuzzers: Buzzers {
    let location: String

    init(_ folder: Folder) {
        let lines = (1...4).map { "device \"Buzzer \($0)\" buzzer\n" }.joined()
        location = "sim:" + folder.write("radio.scenario", lines)
    }

    private func buzzer(_ number: Int, _ fixture: BuzzersFixture) -> Peripheral {
        fixture.source.simulator!.peripherals[number - 1]
    }

    func press(_ number: Int, value: UInt8, in fixture: BuzzersFixture) {
        buzzer(number, fixture).press(button: value.trailingZeroBitCount)
        // On the virtual clock, the press has an effect only after this call, or after the clock is advanced.
        fixture.source.processSimulatedAction()
    }

    func pressAll(value: UInt8, in fixture: BuzzersFixture) {
        for number in 1...4 { buzzer(number, fixture).press(button: value.trailingZeroBitCount) }
        fixture.source.processSimulatedAction()
    }

    func leaveRange(_ number: Int, in fixture: BuzzersFixture) {
        buzzer(number, fixture).leaveRange()
    }
    func returnToRange(_ number: Int, in fixture: BuzzersFixture) {
        buzzer(number, fixture).returnToRange()
    }
}

/// Virtual buzzers of Bumble, a Bluetooth stack in Python that runs in another process.
final class BumbleBuzzers: Buzzers {
    let location: String
    private let process: ChildProcess

    /// Starts `radio.py` with these arguments, and waits until the buzzers advertise.
    init(_ location: String, _ arguments: [String]) throws {
        self.location = location
        let root = ChildProcess.repositoryRoot
        let command = [
            "\(root)/.venv/bin/python", "\(root)/Tests/gamedTests/Clients/radio.py",
        ]
        process = try ChildProcess(command + arguments, connecting: [0, 1])
        guard process.waitFor("ready\n") else {
            throw ChildProcess.Failure(why: "Bumble does not start")
        }
    }

    /// Starts the process with its controller at a free TCP port of the loopback interface.
    static func overTCP() throws -> BumbleBuzzers {
        let endpoint = "127.0.0.1:\(LoopbackPort.findUnused())"
        return try BumbleBuzzers("hci:tcp:\(endpoint)", ["tcp-server:\(endpoint)", "legacy"])
    }

    func press(_ number: Int, value: UInt8, in fixture: BuzzersFixture) {
        process.writeLine("press \(number) \(value)")
    }
    func pressAll(value: UInt8, in fixture: BuzzersFixture) { process.writeLine("all \(value)") }
    func leaveRange(_ number: Int, in fixture: BuzzersFixture) {
        process.writeLine("drop \(number)")
    }
    func returnToRange(_ number: Int, in fixture: BuzzersFixture) {
        process.writeLine("return \(number)")
    }
}
