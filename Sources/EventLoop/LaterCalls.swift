internal import Support

/// Calls of closures in a later turn of the loop, in the order in which they were added. Releasing the object cancels them.
@safe public final class LaterCalls {
    private var calls: [() -> Void] = []
    private var task: DeferredTask?

    public init(on loop: LibeventLoop) {
        task = DeferredTask(on: loop) { [weak self] in
            guard let calls = self?.takeAll() else { return }
            // A call may release the object.
            for call in calls where self != nil { call() }
        }
    }

    private func takeAll() -> [() -> Void] { exchange(&calls, with: []) }

    public func add(_ call: @escaping () -> Void) {
        calls.append(call)
        task?.call()
    }
}
