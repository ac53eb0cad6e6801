internal import Support

/// Calls of closures in a later turn of the loop, in the order in which they were added. Releasing the object cancels them.
@safe public final class LaterCalls {
    private var calls: [() -> Void] = []
    private var task: DeferredTask?

    public init(on loop: LibeventLoop) {
        task = DeferredTask(on: loop) { [unowned self] in
            for call in exchange(&calls, with: []) { call() }
        }
    }

    public func add(_ call: @escaping () -> Void) {
        calls.append(call)
        task?.call()
    }
}
