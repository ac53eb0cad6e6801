import Support
import Timers

/// Elements with which something is tried again: all of them together, one second after the first was added. Releasing the set ends
/// this.
final class RetrySet<Element: Hashable> {
    private var elements: Set<Element> = []
    private var timer = Alarm()

    /// Adds an element. When the second is over, the `retry` of the first call is called with each element.
    func add(_ element: Element, on clock: any TimerClock, _ retry: @escaping (Element) -> Void) {
        elements.insert(element)
        guard !timer.isSet else { return }
        timer.set(on: clock, .seconds(1)) { [unowned self] in
            for element in exchange(&elements, with: []) { retry(element) }
        }
    }
}
