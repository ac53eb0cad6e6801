import FlowFiles
import Fuzzing
import GameFlow
import Timers

/// Fuzzes the reader and the checker of flow files, and runs the flows that they accept.
@main struct FlowFileFuzz {
    static func main() { fuzz { FlowFileFuzz.test($0, $1) } }

    static func test(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
        let text = Array(UnsafeBufferPointer(start: data, count: size))
        let file: FlowFile
        do { file = try FlowFile(text: text, file: "f.yaml") } catch {
            check(!error.findings.isEmpty, "a file is refused without a finding")
            check(
                error.findings.count <= FlowFileLimit.findings.maximum + 1,
                "\(error.findings.count) findings")
            for finding in error.findings {
                check(finding.position >= .start, "the position \(finding.position)")
                check(!finding.sentence.isEmpty, "a finding without a sentence")
            }
            return 0
        }
        let flow = file.flow
        run(flow, text)
        // `value` is the default of a setting, as the text that clients show. The flow must accept it as a value.
        let settings = flow.settings.map { Member($0.name, $0.value) }
        check(
            (try? flow.with(settings: settings)) != nil, "a default is not a value of its setting")
        return 0
    }

    /// Opens a machine, and drives it with the last 64 bytes of the text. Each byte either advances the clock, or selects an
    /// event and a sample of its arguments. This event is sent to the machine.
    private static func run(_ flow: AnyFlow, _ text: [UInt8]) {
        let clock = VirtualClock()
        let counter = StepCounter()
        let machine = flow.machine(on: clock.timerQueue, EventQueue(), observer: counter)
        do throws(Reason) { try machine.open(nil, [], from: Source(.program)) } catch {
            check(error.code == .invalid, "the initial state: \(error.sentence)")
            return
        }
        defer {
            machine.end()
            check(clock.timerQueue.count == 0, "a timer is left")
        }
        for byte in text.suffix(64) {
            let before = (place: machine.place, steps: counter.steps)
            if byte % 4 == 0 || flow.events.isEmpty {
                clock.advance(by: .seconds(Int(byte) * 10), limit: 32)
                continue
            }
            let event = flow.events[Int(byte) % flow.events.count]
            let samples = event.samples
            let arguments = samples.isEmpty ? [] : samples[Int(byte / 4) % samples.count]
            do throws(Reason) {
                try machine.send(flow.event(event.name), arguments, from: Source(.program))
            } catch {
                check(
                    machine.place == before.place && counter.steps == before.steps,
                    "a refused \(event.name) changed the machine")
            }
        }
        restore(machine, flow)
    }

    /// Restores a copy from the machine's snapshot, and checks that the copy has the same place.
    private static func restore(_ machine: AnyMachine, _ flow: AnyFlow) {
        do throws(Reason) {
            let copy = try flow.restoredCopy(of: machine)
            check(copy.place == machine.place, "\(machine.place) is restored as \(copy.place)")
            copy.end()
        } catch { check(false, "\(machine.place) is not restored: \(error.sentence)") }
    }
}

/// Counts the steps of a machine.
final class StepCounter: MachineObserver {
    private(set) var steps = 0
    func completed(_ step: consuming Step) { steps += 1 }
    func refused(_ event: EventRecord, _ source: Source, _ refusal: Reason) {}
}
