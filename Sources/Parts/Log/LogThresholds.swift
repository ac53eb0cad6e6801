/// The durations above which slow work is logged.
package enum LogThresholds {
    /// The time from passing rows to the store until they are durable.
    package static let commit = Duration.milliseconds(100)
    /// The time of one turn of the event loop.
    package static let turn = Duration.milliseconds(50)
    /// The time from a timer's deadline until it fires.
    package static let timer = Duration.milliseconds(100)
}
