internal import GameFlow
internal import Support

/// Checks the names of pictures and sounds, which are files of the media directory, and the arguments of the effect `play`.
extension FlowFileChecker {
    /// The name of the effect that plays a sound on the players' screens.
    private static let playEffect = "play"
    /// The volumes of a sound, in percent.
    private static let volumes = 0...100

    /// Adds a finding for each file that the text `node` can name and that is outside of the media directory. The others are
    /// added to the flow's files. `place` says in a sentence of the daemon what the flow does with the file; for a file that the
    /// flow names several times, the first place counts.
    func checkFiles(_ node: DocumentNode, place: String) {
        for name in fileNames(localized(node)) where !name.isEmpty {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) {
                findings.add(
                    node.position, "\(name.debugDescription) is not a file in the media directory")
            } else if knownFiles.insert(ByteText(name)).inserted {
                flow.files.append(FlowPresentation.File(name: name, place: place))
            }
        }
    }

    /// The names of files that a text can have: the text itself, or the literals and the columns of tables from which its
    /// expression takes a value. A name that is computed in another way is not known.
    private func fileNames(_ node: DocumentNode) -> [String] {
        guard let text = node.text else { return [] }
        guard text.hasPrefix("="), let tree = try? ExpressionParser.parse(String(text.dropFirst()))
        else { return [text] }
        return fileNames(tree)
    }

    private func fileNames(_ expression: Expression) -> [String] {
        switch expression.kind {
        case .literal(.string(let text), _): [text]
        case .conditional(let then, if: _, let otherwise):
            fileNames(then) + fileNames(otherwise)
        case .row(let rows, _, let column):
            if case .name(let name) = rows.kind,
                let table = flow.tables.first(where: { $0.name == name }),
                let index = table.columns.firstIndex(where: { $0.name == column })
            {
                table.values(ofColumn: index).compactMap(\.text)
            } else {
                []
            }
        default: []
        }
    }

    /// Checks the arguments of an effect `play` that has `sound` or `stop`. Without one of them, it is an effect as any other.
    func checkSound(_ entry: DocumentEntry, _ effect: EffectRequest) {
        guard effect.name == Self.playEffect,
            let map = entry.value.entries,
            map.contains(where: { ["sound", "stop"].contains($0.key) })
        else { return }
        if let both = map.first(where: { $0.key == "stop" }),
            map.contains(where: { $0.key == "sound" })
        {
            findings.add(both.position, "play starts a sound or stops all; remove sound or stop")
        }
        for argument in map {
            guard let value = effect.arguments.first(where: { $0.name == argument.key })?.value
            else { continue }
            if let why = soundMistake(argument.key, value) {
                findings.add(argument.value.position, why)
            } else if argument.key == "sound" {
                checkFiles(argument.value, place: "plays it")
            }
        }
    }

    /// Why an argument of `play` is wrong; nil if it is right.
    private func soundMistake(_ name: String, _ value: CompiledExpression) -> String? {
        let type = value.type.unwrapped
        let (isRight, expectation): (Bool, String) =
            switch name {
            case "sound": (type == .text, "sound: expected the name of a file")
            case "volume":
                (type == .integer && Self.isVolume(value.constant), "volume: expected 0 to 100")
            case "loop", "stop": (type == .boolean, "\(name): expected true or false")
            case "until": (value.constant == .string("game"), "expected until: game")
            default: (true, "")
            }
        return isRight ? nil : expectation
    }

    /// Whether a volume is in the range; also if it is computed, and so not known.
    private static func isVolume(_ value: Value?) -> Bool {
        guard case .int(let number)? = value else { return true }
        return volumes.contains(number)
    }
}
