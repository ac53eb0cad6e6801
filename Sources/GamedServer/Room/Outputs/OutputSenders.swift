import EventLoop
import Inputs
import Outputs
import Timers

/// Makes the attempts to deliver outputs, by the kind of their target.
final class OutputSenders {
    private let room: RoomSource
    private let web: WebSender
    private let programs: ProgramRunner
    /// The messages that wait for a broker's acknowledgement, by connection and packet.
    private var unacknowledged: [Acknowledgement: (DeliveryResult) -> Void] = [:]
    private var log = LogThrottle(limit: 256)

    private struct Acknowledgement: Hashable {
        let connection: String
        let packet: UInt16
    }

    init(_ room: RoomSource, on loop: LibeventLoop) throws(EventLoopError) {
        self.room = room
        (web, programs) = (try WebSender(on: loop), try ProgramRunner(on: loop))
        room.connectionObservers.append { [unowned self] name, isUp in
            if !isUp { connectionFailed(name) }
        }
    }

    /// Makes one attempt, and calls `done` at most once: at once, or later. A message to a broker has no end of its own:
    /// the caller has the time-out.
    func send(
        _ content: OutputContent, timeout: Duration, _ done: @escaping (DeliveryResult) -> Void
    ) {
        switch content {
        case .mqtt(let message, let connection): publish(message, connection, done)
        case .osc(let message, let name, let host, let port):
            let socket = room.connection(name)?.connection as? OSCConnection
            let failure = socket.map { $0.send(message, toHost: host, port: port) }
            done(Self.result(failure ?? "no connection \(name)"))
        case .serial(let text, let name):
            guard let serial = room.connection(name)?.connection as? SerialConnection else {
                return done(Self.result("no connection \(name)"))
            }
            serial.write(text) { done(Self.result($0)) }
        case .web(let request): web.send(request, timeout: timeout, done)
        case .program(let path, let input):
            programs.run(path, input, timeout: timeout) { [unowned self] run in
                report(run, of: path)
                done(Self.result(run.failure))
            }
        }
    }

    private static func result(_ failure: String?) -> DeliveryResult {
        failure.map { .failed($0) } ?? .delivered
    }

    private func publish(
        _ message: MQTTMessage, _ name: String, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard let broker = room.connection(name)?.broker, let packet = broker.publish(message)
        else { return done(.failed("the connection is down")) }
        broker.onAcknowledged = { [unowned self] packet in
            let key = Acknowledgement(connection: name, packet: packet)
            unacknowledged.removeValue(forKey: key)?(.delivered)
        }
        unacknowledged[Acknowledgement(connection: name, packet: packet)] = done
    }

    /// The broker will not acknowledge what it got by this connection.
    private func connectionFailed(_ name: String) {
        let lost = unacknowledged.keys.filter { $0.connection == name }
        for key in lost.sorted(by: { $0.packet < $1.packet }) {
            unacknowledged.removeValue(forKey: key)?(.failed("the connection was lost"))
        }
    }

    private func report(_ run: ProgramRun, of path: String) {
        guard !run.output.isEmpty else { return }
        let text = String(decoding: run.output, as: UTF8.self)
        log.write(.info, "\(path): \(text)")
    }
}
