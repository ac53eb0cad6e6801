public import Timers

/// Runs a radio scenario: simulated devices, the radio channel, and the controller to which a host
/// connects.
///
/// All random numbers come from the scenario's seed, so a scenario runs the same way each time.
public final class Simulator {
    public let controller: VirtualController
    private let air: Air
    private var timers: [ScopedCountdown?]
    private let scenario: RadioScenario

    public init(_ scenario: RadioScenario, on clock: any TimerClock) {
        self.scenario = scenario
        air = Air(scenario.air, on: clock)
        controller = VirtualController(in: air)
        timers = Array(repeating: nil, count: scenario.steps.count)
        for model in scenario.devices { air.append(model) }
    }

    public var peripherals: [Peripheral] { air.peripherals }

    /// Starts the scenario; its times count from now.
    public func start() {
        for (index, step) in scenario.steps.enumerated() {
            switch step.time {
            case .at(let time): schedule(index, time) { [unowned self] in run(step) }
            case .every(let range, let times): repeatStep(index, step, range, times)
            }
        }
    }

    private func schedule(_ index: Int, _ time: Duration, _ work: @escaping () -> Void) {
        timers[index] = ScopedCountdown(on: air.clock, time, work)
    }

    private func repeatStep(
        _ index: Int, _ step: RadioScenario.Step, _ range: ClosedRange<Duration>, _ remaining: Int?
    ) {
        if remaining == 0 { return }
        schedule(index, air.draw(range)) { [unowned self] in
            run(step)
            repeatStep(index, step, range, remaining.map { $0 - 1 })
        }
    }

    private func press(_ peripheral: Peripheral, _ button: Int?) {
        let count = peripheral.model.buttons.count
        guard count > 0 else { return }
        peripheral.press(button: button ?? air.draw(below: count))
    }

    private func run(_ step: RadioScenario.Step) {
        let peripheral = air.peripherals[step.device]
        switch step.action {
        case .press(let button):
            press(peripheral, button)
        case .leaveRange: peripheral.leaveRange()
        case .returnToRange: peripheral.returnToRange()
        case .sleep: peripheral.fallAsleep()
        }
    }
}
