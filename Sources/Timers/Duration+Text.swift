internal import Support

extension Duration {
    /// Reads a duration such as `250ms`, `45m` or `1h30m`; nil if the text is not a duration, or is longer than ten years.
    package init?(_ text: String) {
        guard let duration = DurationText.read(text) else { return nil }
        self = duration
    }

    /// The duration as a text such as `1h30m`, in whole milliseconds, rounded up.
    package var text: String { DurationText.write(self) }
}
