internal import GameFlow
internal import Support

/// Checks the names of pictures, sounds and videos, which are files of the media directory, and the arguments of the effects `play`
/// and `say`.
extension FlowFileChecker {
    /// The name of the effect that plays a sound on the players' screens.
    private static let playEffect = "play"
    /// The volumes of a sound, in percent.
    private static let volumes = 0...100

    /// What a file is for. The raw values are keys of `show`.
    enum MediaKind: String {
        case picture
        case sound
        case video
    }

    /// Adds a finding for each file that the text `node` can name, in any language, and that is outside of the media directory. The
    /// others are added to the flow's files. `place` says in a sentence of the daemon what the flow does with the file. If the flow
    /// names a file several times, the first place counts.
    func checkFiles(_ node: DocumentNode, _ kind: MediaKind, place: String) {
        let nodes = textsByLanguage(node).map { $0.map(\.value) } ?? [node]
        for name in nodes.flatMap(fileNames) where !name.isEmpty {
            let parts = name.split(separator: "/", omittingEmptySubsequences: false)
            if parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }) {
                findings.add(
                    node.position, "\(name.debugDescription) is not a file in the media directory")
            } else if kind == .video, !FlowPresentation.File.isVideo(name) {
                findings.add(
                    node.position,
                    "\(name) is not a video; expected a name that ends in .mp4 or .webm")
            } else if knownFiles.insert(ByteText(name)).inserted {
                if kind != .video, FlowPresentation.File.isVideo(name) {
                    // Not a mistake, because a flow of an earlier version may contain it.
                    findings.warn(
                        node.position,
                        "\(name) is a video; write video: in place of \(kind.rawValue):")
                }
                flow.files.append(FlowPresentation.File(name: name, place: place))
            }
        }
    }

    /// Reads the key `ended` of `show`: the event that screens send when they have played the video.
    func resolveEnded(_ index: Int, _ node: DocumentNode, _ show: MapReader) {
        guard show["video"] != nil else {
            return findings.add(node.position, "ended needs a video; write video: FILE beside it")
        }
        guard let name = node.text else {
            return findings.add(node.position, "expected the name of an event, not \(node.kind)")
        }
        guard let event = flow.events.first(where: { $0.name == name }) else {
            return findings.add(
                node.position, unknown("event", name, flow.events.map(\.name)))
        }
        guard event.arguments.isEmpty else {
            return findings.add(
                node.position, "\(name) has arguments, and a screen has none to send")
        }
        flow.states[index].screen.ended = name
    }

    /// Warns of a state that only a screen with a video can end. If no such screen is connected, the game stands still.
    func checkVideoExits() {
        for (index, state) in flow.states.enumerated() {
            guard let name = state.screen.ended,
                let event = flow.events.firstIndex(where: { $0.name == name })
            else { continue }
            let position = stateNodes[index].entry.position
            if state.eventRows[event] == nil {
                findings.warn(
                    position, "\(state.name) has no row for \(name), which its screens send")
            }
            let hasOtherExit = state.eventRows.indices.contains { index in
                index != event && (state.eventRows[index] ?? []).contains { $0.action.leaves }
            }
            if !hasOtherExit, !state.timers.contains(where: \.canFire) {
                findings.warn(
                    position,
                    "\(state.name) is left only when a screen has played the video; add a timer or a row that leaves it, in case no such screen is connected"
                )
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
                checkFiles(argument.value, .sound, place: "plays it")
            }
        }
    }

    /// Checks the arguments of an effect `say` that has a text. Without one, it is an effect as any other.
    func checkMessage(_ entry: DocumentEntry, _ effect: EffectRequest) {
        guard effect.name == "say", let map = entry.value.entries,
            map.contains(where: { $0.key == "text" })
        else { return }
        for argument in map {
            // The duration of an expression has another name, `forMs`.
            guard let value = effect.arguments.first(where: { $0.name == argument.key })?.value
            else { continue }
            switch argument.key {
            case "until" where value.constant != .string("game"):
                findings.add(argument.value.position, "expected until: game")
            case "for" where !Self.isLength(value):
                findings.add(argument.value.position, "for: expected a duration such as 30s")
            default: break
            }
        }
    }

    /// Whether a value is the text of a duration; also if it is a text that is computed, and so not known.
    private static func isLength(_ value: CompiledExpression) -> Bool {
        guard let constant = value.constant else { return value.type.unwrapped == .text }
        return constant.text.map { DurationText.read($0) != nil } ?? false
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
