extension RequestError {
    /// The error's number in journals and protocols. A number is never reused for another error, because later
    /// versions read the journals.
    public var number: Int {
        switch self {
        case .noTransition: 1
        case .invalid: 2
        case .hookRefused: 3
        case .forbidden: 4
        case .unknownSession: 5
        case .unknownEvent: 6
        case .finished: 7
        case .stale, .staleEntry: 8
        case .deferQueueFull: 9
        case .exists: 10
        case .limit: 11
        case .storage: 12
        case .unknownFlow: 13
        case .notVirtual: 14
        case .unknownState: 15
        }
    }
}
