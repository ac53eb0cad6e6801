extension QRCode {
    /// The code as lines of half blocks, two rows of modules in each line, with the margin. If `hasColour` is true, the
    /// lines contain escape sequences for black on white. Otherwise the code is drawn for a dark background; most scanners
    /// can read it on a light background, too.
    public func lines(hasColour: Bool) -> [String] {
        stride(from: -Self.margin, to: size + Self.margin, by: 2).map { y in
            let line = (-Self.margin..<size + Self.margin).map { x -> Character in
                let (upper, lower) = (isDark(x, y), isDark(x, y + 1))
                return hasColour ? Self.block(upper, lower) : Self.block(!upper, !lower)
            }
            return hasColour ? "\u{1B}[30;107m\(String(line))\u{1B}[0m" : String(line)
        }
    }

    /// The character whose upper half and lower half are drawn as the parameters say.
    private static func block(_ upper: Bool, _ lower: Bool) -> Character {
        switch (upper, lower) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
