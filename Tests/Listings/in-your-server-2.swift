import Lock
import Logging
import ServiceLifecycle

typealias HeistFlow = Lock

// The stand-in has no signals, whose type is in a module of its own.
enum UnixSignal { case sigterm }
extension ServiceGroup {
    init(services: [any Service], gracefulShutdownSignals: [UnixSignal], logger: Logger) {
        self.init(services: services, logger: logger)
    }
}

let logger = Logger(label: "game") { _ in fatalError("the stand-in has no handler") }

// block 2
