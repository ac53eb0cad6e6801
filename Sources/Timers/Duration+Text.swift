internal import Support

extension Duration {
    /// Reads a duration such as `250ms`, `45m` or `1h30m`. Nil if the text is not a duration, or if the duration is longer than
    /// ten years.
    package init?(_ text: String) {
        guard let duration = DurationText.read(text) else { return nil }
        self = duration
    }

    /// The duration as a text such as `1h30m`, in whole milliseconds, rounded up.
    package var text: String { DurationText.write(self) }
}
