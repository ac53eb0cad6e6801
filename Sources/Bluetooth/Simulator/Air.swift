import Timers

/// What is between simulated devices and the controller.
final class Air {
    let timeline: any TimerClock
    let conditions: AirConditions
    private(set) var peripherals: [Peripheral] = []
    private var random: RadioRandom
    /// Whether somebody listens; nobody advertises into the void, so that time which nobody listens costs nothing.
    var isHeard = false {
        didSet {
            guard isHeard != oldValue else { return }
            for peripheral in peripherals { peripheral.advertise() }
        }
    }
    /// Who listens.
    var hear: (Peripheral) -> Void = { _ in }

    init(_ conditions: AirConditions, on timeline: any TimerClock) {
        (self.conditions, self.timeline) = (conditions, timeline)
        random = RadioRandom(conditions.seed)
    }

    func append(_ model: DeviceModel) {
        peripherals.append(Peripheral(model, in: self))
    }

    /// An advertisement goes out, and is heard or not.
    func advertise(_ peripheral: Peripheral) {
        if conditions.advertisementsLost > 0, draw(below: 100) < conditions.advertisementsLost {
            return
        }
        hear(peripheral)
    }

    // MARK: chance

    /// A length between two.
    func draw(_ range: ClosedRange<Duration>) -> Duration {
        let (low, high) = (range.lowerBound.nanoseconds, range.upperBound.nanoseconds)
        guard low < high else { return range.lowerBound }
        return Duration.nanoseconds(Int64.random(in: low...high, using: &random))
    }

    func draw(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
}
