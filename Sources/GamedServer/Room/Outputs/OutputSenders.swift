import EventLoop
import GameFlow
import Inputs
import Outputs
import RPC
import Sessions
import Timers

/// Makes the attempts to deliver outputs, for all kinds of targets.
final class OutputSenders {
    /// Has the connections to the devices.
    private let room: RoomSource
    private let web: WebSender
    private let programs: ProgramRunner
    /// Sends requests to the owners of sessions; nil if all sessions are in this process.
    private let requests: NodeRequests?
    /// The callbacks for MQTT messages that the broker has not acknowledged yet.
    private var unacknowledged: [MessageKey: (DeliveryResult) -> Void] = [:]
    /// Logs the 1st, 2nd, 4th, 8th … occurrence of each sentence. Counts up to 256 different sentences.
    private var log = LogThrottle(limit: 256)

    /// Identifies an MQTT message by the connection and the packet id, which the broker's acknowledgement repeats.
    private struct MessageKey: Hashable {
        let connection: String
        let packet: UInt16
    }

    init(_ room: RoomSource, _ requests: NodeRequests?, on loop: LibeventLoop)
        throws(EventLoopError)
    {
        (self.room, self.requests) = (room, requests)
        (web, programs) = (try WebSender(on: loop), try ProgramRunner(on: loop))
        room.connectionObservers.append { [unowned self] name, isUp in
            if !isUp { connectionFailed(name) }
        }
    }

    /// Ends the programs that run, and calls `done` when they have ended.
    func endPrograms(_ done: @escaping () -> Void) { programs.endAll(done) }

    /// Loads the certificate authorities that the system trusts, if one of the targets needs TLS. Called at the start and when
    /// the configuration is read again, because loading can take longer than an attempt may take.
    func prepare(for targets: [OutputTarget]) {
        for case .web(let output) in targets where output.origin.isSecure {
            web.trustSystemAuthorities()
        }
    }

    /// Makes one attempt, and calls `done` at most once: before it returns, or later. If a broker does not acknowledge a
    /// message, `done` is not called: the caller must have a time-out.
    func send(_ attempt: OutputAttempt, _ done: @escaping (DeliveryResult) -> Void) {
        if let node = attempt.node { return send(attempt, by: node, done) }
        let timeout = attempt.timeout
        switch attempt.content {
        case .mqtt(let message, let connection): publish(message, connection, attempt, done)
        case .osc(let message, let name, let host, let port):
            let socket = room.connection(name)?.inputConnection as? OSCConnection
            let failure = socket.map { $0.send(message, toHost: host, port: port) }
            done(Self.result(failure ?? "no connection \(name)"))
        case .serial(let text, let name):
            guard let serial = room.connection(name)?.inputConnection as? SerialConnection else {
                return done(Self.result("no connection \(name)"))
            }
            serial.write(text) { done(Self.result($0)) }
        case .web(let request): web.send(request, timeout: timeout, done)
        case .session(let step, let origin): send(step, from: origin, done)
        case .program(let path, let input):
            guard programs.count < Self.programLimit else {
                return done(.failed("\(Self.programLimit) programs run already"))
            }
            programs.run(path, input, timeout: timeout) { [unowned self] run in
                report(run, of: path)
                done(Self.result(run.failure))
            }
        }
    }

    /// Lets another node make the attempt.
    private func send(
        _ attempt: OutputAttempt, by node: String, _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard let router = requests?.router,
            let output = RelayedOutput(
                attempt.content, line: attempt.line, linkedSteps: attempt.linkedSteps)
        else { return done(.failed("node \(node) cannot send this")) }
        guard let link = router.link(toNodeNamed: node) else {
            return done(.failed("node \(node) is unavailable"))
        }
        // The nodes compare this deadline with the time of the database, which they share.
        link.deliver(output, until: router.databaseTime.map { $0 + attempt.timeout }) { result in
            switch result {
            case .delivered: done(.delivered)
            case .failed(let why), .rejected(let why), .impossible(let why):
                done(.failed("node \(node): \(why)"))
            }
        }
    }

    /// The maximum number of programs that run at the same time. Each has a thread, and each session can have one.
    static let programLimit = 256

    /// How long a send to another session waits for an answer before it is repeated. The time is longer than usual values of
    /// `--hold`, so that the router answers first if the session has no owner. A repetition has the same id, so the session
    /// does not take the event twice.
    static let sendTimeout = Duration.seconds(120)

    /// Sends a step of another session to the owner of that session. The error `storage` means that the owner did not record
    /// the step or cannot be reached: the attempt then fails, and is repeated. Each other answer, even a refusal, counts as
    /// delivered.
    private func send(
        _ step: LinkedStep, from origin: SessionName,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        guard let requests else { return done(.impossible("there are no other nodes")) }
        let request: RoutedRequest =
            switch step.action {
            case .open(let flow): .open(step.target, flow: flow, id: step.id)
            case .send(let event, let arguments):
                .send(event, arguments, to: step.target, id: step.id)
            }
        requests.enqueue(from: step.remoteSource, to: step.target, needsArgumentConversion: false) {
            client, sendNextRequest in
            client.ask(request, about: step.target) { [weak self] reply in
                switch reply {
                case .error(let error) where error.name == "storage":
                    done(.failed("the other session cannot be reached"))
                case .error(let error):
                    self?.report(error, step, origin)
                    done(.delivered)
                case .result: done(.delivered)
                }
                sendNextRequest()
            }
        }
    }

    /// Logs that a session refused a step. To open a session that is open already is no failure.
    private func report(_ error: RelayedError, _ step: LinkedStep, _ origin: SessionName) {
        if case .open = step.action, error.name == "exists" { return }
        log.write(.warning, RoomLinks.refusalText(of: step, from: origin, error.name))
    }

    /// The result of an attempt; `failure` is nil if the attempt succeeded.
    private static func result(_ failure: String?) -> DeliveryResult {
        failure.map { .failed($0) } ?? .delivered
    }

    /// Publishes a message on the connection `name`. Calls `done` when the broker acknowledges it, or the connection fails.
    private func publish(
        _ message: MQTTMessage, _ name: String, _ attempt: OutputAttempt,
        _ done: @escaping (DeliveryResult) -> Void
    ) {
        let origin = InputOrigin(linkedSteps: attempt.linkedSteps, sender: .line(attempt.line))
        guard let connection = room.connection(name) as? BrokerConnection,
            let packet = connection.publish(message, origin)
        else { return done(.failed("the connection is down")) }
        // Set for each message, because a reload of the configuration can replace the connection.
        connection.broker.onAcknowledged = { [unowned self] packet in
            let key = MessageKey(connection: name, packet: packet)
            unacknowledged.removeValue(forKey: key)?(.delivered)
        }
        unacknowledged[MessageKey(connection: name, packet: packet)] = done
    }

    /// Ends the attempts that wait for this connection: the broker will not acknowledge their messages.
    private func connectionFailed(_ name: String) {
        let lostMessages = unacknowledged.keys.filter { $0.connection == name }
        for key in lostMessages.sorted(by: { $0.packet < $1.packet }) {
            unacknowledged.removeValue(forKey: key)?(.failed("the connection was lost"))
        }
    }

    /// Logs what a program has written before it failed.
    private func report(_ run: ProgramRun, of path: String) {
        guard run.failure != nil, !run.output.isEmpty else { return }
        let text = String(decoding: run.output, as: UTF8.self)
        log.write(.info, "\(path): \(text)")
    }
}
