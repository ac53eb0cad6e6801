import Access
import Bluetooth
import EventLoop
import GameFlow
import JSON
import Sessions
import ShippedFlows
import Support
import TestSupport
import Testing
import Timers

@testable import RPC
@testable import gamed

/// Buzzers, whoever made them, what listens to them, and the sessions that they play: in virtual time where they are
/// our own, else on the real clock.
final class BuzzersFixture {
    let folder = Folder()
    let loop: LibeventLoop
    let sessions: Sessions
    let buzzers: any Buzzers
    private(set) var source: BluetoothSource!
    let capture: String
    private let isVirtual: Bool

    init(_ maker: Maker, _ map: String, flow: String = "game") throws {
        buzzers = try maker.make(folder)
        isVirtual = maker == .simulated
        loop = try LibeventLoop()
        sessions = Sessions(AnyFlow.shipped(), on: isVirtual ? VirtualClock() : loop)
        capture = "\(folder.path)/capture.btsnoop"
        _ = try sessions.open(.main, sessions.flow(flow), RequestContext(from: Source(.terminal)))
        let configuration = folder.write("gamed.conf", map)
        let arguments = [
            "--config", configuration, "--bluetooth", buzzers.location, "--btsnoop", capture,
        ]
        let command = try Options.read(arguments, flows: AnyFlow.shipped().map(\.name))
        guard case .run(let options) = command, let place = options.bluetooth else { return }
        source = try BluetoothSource(options, place, sessions, on: loop)
    }

    /// Lets happen what happens, until something is so; half a minute at most.
    func until(_ what: String, _ isSo: @escaping () -> Bool) {
        if isVirtual {
            for _ in 0..<1500 where !isSo() {
                _ = try? sessions.advance(.by(.milliseconds(20)))
            }
        } else {
            let end = ScopedCountdown(on: loop, .seconds(30)) { [unowned self] in loop.stop() }
            loop.beforeSleep = { [unowned self] in if isSo() { loop.stop() } }
            if !isSo() { loop.run() }
            loop.beforeSleep = nil
            _ = end
        }
        #expect(isSo(), "\(what)")
    }

    var main: Session { try! sessions.session(.main) }
    var state: String { main.machine.place.state }

    func device(_ number: Int) -> Device? {
        source.central.devices.first { $0.name == "Buzzer \(number)" }
    }

    func isReady(_ number: Int) -> Bool { device(number)?.state == .ready }

    func send(_ event: String, _ arguments: [Member] = []) throws {
        _ = try sessions.send(event, arguments, to: main, RequestContext(from: Source(.terminal)))
    }

    /// All that was done to the session and refused, oldest first: `buzz enter`, `buzz noTransition`.
    var history: [String] {
        sessions.history(of: main, limit: 1000).records.reversed().map { record in
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
    /// A record as `history` has it.
    static func text(of record: Sessions.Record) -> String {
        String(decoding: bytes { Encoder().write(record, .full, to: &$0) }, as: UTF8.self)
    }
}
