public import Timers

/// Runs a scenario: simulated devices, the radio channel, and the controller to which a host
/// connects.
///
/// All random numbers come from the scenario's seed, so each run of a scenario is the same.
public final class Simulator {
    public let controller: VirtualController
    private let air: Air
    private var timers: [ScopedCountdown?]
    private let scenario: RadioScenario

    public init(_ scenario: RadioScenario, on timeline: any TimerClock) {
        self.scenario = scenario
        air = Air(scenario.air, on: timeline)
        controller = VirtualController(in: air)
        timers = Array(repeating: nil, count: scenario.steps.count)
        for model in scenario.devices { air.append(model) }
    }

    public var peripherals: [Peripheral] { air.peripherals }

    /// Starts the scenario; its times count from now.
    public func start() {
        for (place, step) in scenario.steps.enumerated() {
            switch step.time {
            case .at(let time): wait(place, time) { [unowned self] in run(step) }
            case .every(let range, let times): again(place, step, range, times)
            }
        }
    }

    private func wait(_ place: Int, _ time: Duration, _ work: @escaping () -> Void) {
        timers[place] = ScopedCountdown(on: air.timeline, time, work)
    }

    private func again(
        _ place: Int, _ step: RadioScenario.Step, _ range: ClosedRange<Duration>, _ left: Int?
    ) {
        if left == 0 { return }
        wait(place, air.draw(range)) { [unowned self] in
            run(step)
            again(place, step, range, left.map { $0 - 1 })
        }
    }

    private func press(_ peripheral: Peripheral, _ button: Int?) {
        let count = peripheral.model.buttons.count
        guard count > 0 else { return }
        peripheral.press(button: button ?? air.draw(below: count))
    }

    private func run(_ step: RadioScenario.Step) {
        let peripheral = air.peripherals[step.device]
        switch step.deed {
        case .press(let button):
            press(peripheral, button)
        case .drop: peripheral.drop()
        case .comeBack: peripheral.comeBack()
        case .sleep: peripheral.fallAsleep()
        }
    }
}
