package import GameFlow
import Outputs
import Parts
import RPC
import Sessions
import Timers

/// What the method `outputs` shows and does.
extension RoomOutputs {
    /// Whether outputs are on, and each output line (an `on` line of the configuration), in order, as members of a result.
    package func describe() -> [Member] {
        let waiting = waitingOutputs
        let values = outputLines.enumerated().map { index, line -> Value in
            let members = [
                Member("line", index + 1), Member("text", line.listedText),
                Member("target", line.target.name), Member("connection", line.target.connection),
                Member("state", switches.state(of: line)),
                Member("waiting", waiting.count { $0.line == line.fingerprint }),
            ]
            return .object(members + (outcomes.counts[line.fingerprint]?.members ?? []))
        }
        return [
            Member("on", .bool(switches.isOn)), Member("recovering", .bool(isRecovering)),
            Member("outputs", .array(values)),
        ]
    }

    /// Switches the outputs of one connection on or off. If `connection` is nil, switches all outputs on or off, and discards
    /// the settings of single connections. Outputs that wait and are now off are given up. Returns false if no line uses the
    /// connection.
    func setOutputs(on: Bool, connection: String?) -> Bool {
        if let connection, !outputLines.contains(where: { $0.target.connection == connection }) {
            return false
        }
        Log.write(
            .warning, .output,
            "outputs\(connection.map { " of \($0)" } ?? "") are \(on ? "on" : "off")")
        switchOutputs(on: on, connection: connection)
        return true
    }

    /// Makes one attempt for a line, with values of any session. `name` is a number or the name of an effect. A number selects
    /// a line among the lines that send outputs, counted from 1. The name of an effect selects the first line whose `effect=`
    /// matches the name. Calls `done` once.
    func testOutput(
        _ name: String, _ done: @escaping (Result<[Member], OutputTestError>) -> Void
    ) {
        let number = Int(name)
        let testedLine = outputLines.enumerated().first { index, line in
            if let number { return index + 1 == number }
            guard case .effect(let glob) = line.trigger else { return false }
            return glob.matches(name)
        }
        guard let (index, line) = testedLine else { return done(.failure(.unknown(name))) }
        guard switches.areOn(for: line.target.connection) else { return done(.failure(.off)) }
        let effect = EffectRecord(name: number == nil ? name : "test")
        guard let status = anyStatus else { return done(.failure(.noSession)) }
        let content: any OutputContent
        do throws(ContentError) {
            content = try line.target.content(
                of: OutputOccasion(.effect(effect), status, isTest: true),
                // The number is random, so that the receiver does not take a second test for a repetition of the first.
                id: "\(maker.instance):\(status.name.text):test:\(Int.random(in: 1...1_000_000))")
        } catch { return done(.failure(.noContent(error))) }
        send(content, of: line) { why in
            done(
                .success(
                    [
                        Member("line", index + 1), Member("target", line.target.name),
                        Member("sent", content.summary), Member("delivered", .bool(why == nil)),
                    ] + (why.map { [Member("failure", $0)] } ?? [])))
        }
    }

    /// Makes one attempt, and calls `done` once, with the reason of a failure.
    private func send(
        _ content: any OutputContent, of line: OutputLine,
        _ done: @escaping (_ why: String?) -> Void
    ) {
        var isDone = false
        var deadline: ScopedCountdown?
        let finish = { (why: String?) in
            guard !exchange(&isDone, with: true) else { return }
            deadline = nil
            done(why)
        }
        let timeout = min(line.timeout, DeliveryLimit.programTimeout)
        deadline = ScopedCountdown(on: loop, timeout) { finish("no answer in time") }
        makeTestAttempt(content, of: line, timeout) { finish($0.why) }
        // Avoids a warning that the variable is never read: it only retains the timer.
        _ = deadline
    }
}
