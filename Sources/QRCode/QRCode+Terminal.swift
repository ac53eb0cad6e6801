extension QRCode {
    /// The code as lines for a terminal. A line shows two rows of modules as half blocks; the margin is included. If
    /// `hasColour` is true, the lines contain escape sequences for black on white. Otherwise the blocks are the light modules,
    /// for a terminal with a dark background. On a light background the code is inverted; most scanners can read that too.
    public func lines(hasColour: Bool) -> [String] {
        // The size is odd, so the last line has a row below the margin. That row is light, as everything outside the square.
        stride(from: -Self.margin, to: size + Self.margin, by: 2).map { y in
            let line = (-Self.margin..<size + Self.margin).map { x -> Character in
                let (isUpperDark, isLowerDark) = (isDark(x, y), isDark(x, y + 1))
                return hasColour
                    ? Self.block(isUpperDark, isLowerDark) : Self.block(!isUpperDark, !isLowerDark)
            }
            return hasColour ? "\u{1B}[30;107m\(String(line))\u{1B}[0m" : String(line)
        }
    }

    /// The character for two modules: the foreground colour fills its upper half, its lower half, both halves, or no half.
    private static func block(_ isUpperFilled: Bool, _ isLowerFilled: Bool) -> Character {
        switch (isUpperFilled, isLowerFilled) {
        case (true, true): "█"
        case (true, false): "▀"
        case (false, true): "▄"
        case (false, false): " "
        }
    }
}
