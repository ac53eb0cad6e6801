internal import GameFlow
internal import Support

/// Reads tables, whose rows are in the flow file or in a file beside it.
extension FlowFileChecker {
    /// The keys of a table, and of a column that is a map.
    static let tableKeys = ["columns", "rows", "file"]
    static let columnKeys = ["type", "default", "title", "note"]

    /// Reads the key `tables`.
    func declareTables(_ node: DocumentNode) {
        for entry in namedEntries(node, "the tables", .tables) {
            guard let map = MapReader(entry.value, "a table", keys: Self.tableKeys, findings) else {
                continue
            }
            let columns = map["columns"].map { self.columns($0, entry.key) } ?? []
            // Also the names of columns whose declarations have mistakes.
            let names = map["columns"]?.entries?.map(\.key) ?? []
            if map["columns"] == nil {
                findings.add(
                    entry.position, "\(entry.key) has no columns; write columns: {ask: text}")
            }
            var rows: [[Value]] = []
            switch (map["rows"], map["file"]) {
            case (let node?, nil): rows = self.rows(node, columns, named: names)
            case (nil, let node?): rows = fileRows(node, columns, named: names)
            case (nil, nil):
                findings.add(
                    entry.position, "\(entry.key) has no rows; write rows: [{…}] or file: NAME.csv")
            case (_?, let node?):
                findings.add(node.position, "a table has either rows or a file")
            }
            flow.tables.append(TableDefinition(name: entry.key, columns: columns, rows: rows))
        }
    }

    /// Adds the names of the columns that have mistakes to `misdeclared`.
    func noteMisdeclaredColumns(_ node: DocumentNode?) {
        for entry in node?.entries ?? [] {
            let columns = entry.value.entries?.first { $0.key == "columns" }?.value.entries ?? []
            let known = flow.tables.first { $0.name == entry.key }?.columns ?? []
            misdeclared.formUnion(
                columns.map(\.key).filter { name in !known.contains { $0.name == name } })
        }
    }

    // MARK: columns

    /// Reads the columns of the table named `table`.
    private func columns(_ node: DocumentNode, _ table: String) -> [FieldDefinition] {
        let entries = namedEntries(node, "the columns of \(table)", .columns)
        if entries.isEmpty { findings.add(node.position, "\(table) needs at least one column") }
        return entries.compactMap(column)
    }

    private func column(_ entry: DocumentEntry) -> FieldDefinition? {
        if entry.value.entries != nil,
            MapReader(entry.value, "a column", keys: Self.columnKeys, findings) == nil
        {
            return nil
        }
        guard let field = field(entry, isDatum: true) else { return nil }
        let type = field.type.unwrapped
        guard !type.isCollection, !type.isOrder else {
            findings.add(
                entry.value.position, "a column has single values and cannot be \(field.type.name)")
            return nil
        }
        return field
    }

    /// Returns the value of a cell that is not given: the column's default, or null. If there is neither, adds a finding.
    private func missingValue(
        _ column: FieldDefinition, _ position: FilePosition, in file: String? = nil
    ) -> Value {
        if let value = column.defaultValue { return value }
        if !column.type.isOptional {
            findings.add(
                position, in: file,
                "\(column.name) is missing; give it a value here, or a default in its column")
        }
        return .null
    }

    /// Returns the value of a cell; null, with a finding, if the text is not a value of the column's type.
    private func cell(
        _ text: String, _ column: FieldDefinition, _ position: FilePosition, in file: String? = nil
    ) -> Value {
        do throws(ArgumentError) {
            let value = try Literal.read(text, as: column.type.unwrapped)
            if let why = column.violation(value) {
                findings.add(position, in: file, "\(column.name) is \(why)")
            }
            return value
        } catch {
            findings.add(position, in: file, "\(column.name): \(error.why)")
            return .null
        }
    }

    // MARK: rows in the flow file

    /// Reads the key `rows`: a list of maps from columns to values. `names` are the names of all columns.
    private func rows(
        _ node: DocumentNode, _ columns: [FieldDefinition], named names: [String]
    ) -> [[Value]] {
        guard case .list(let nodes) = node.content else {
            findings.add(node.position, "expected a list of rows, not \(node.kind)")
            return []
        }
        if nodes.count > FlowFileLimit.tableRows.maximum {
            findings.add(nodes[FlowFileLimit.tableRows.maximum].position, exceeding: .tableRows)
        }
        // Without the names of the columns, nothing can be said about a row.
        if names.isEmpty { return [] }
        return nodes.prefix(FlowFileLimit.tableRows.maximum).map { node in
            guard let map = MapReader(node, "a row of this table", keys: names, findings) else {
                return columns.map { _ in .null }
            }
            return columns.map { column in
                guard let cell = map[column.name] else {
                    return missingValue(column, node.position)
                }
                if column.type.isOptional, cell.text == "null", !cell.isQuoted { return .null }
                guard let text = cell.text, !cell.isEmpty else {
                    findings.add(
                        cell.position,
                        "\(column.name): expected \(column.type.name), not \(cell.kind)")
                    return .null
                }
                if column.type.unwrapped == .integer, !cell.isQuoted {
                    warnOfLeadingZero(text, cell.position)
                }
                return self.cell(text, column, cell.position)
            }
        }
    }

    // MARK: rows in a table file

    /// Reads the key `file`: the name of a file beside the flow file. `names` are the names of all columns.
    private func fileRows(
        _ node: DocumentNode, _ columns: [FieldDefinition], named names: [String]
    ) -> [[Value]] {
        guard let name = node.text, !name.isEmpty, ![".", ".."].contains(name),
            !name.utf8.contains(UInt8(ascii: "/"))
        else {
            findings.add(
                node.position,
                "expected the name of a file beside the flow file, without /, such as questions.csv"
            )
            return []
        }
        let bytes: [UInt8]
        do { bytes = try tableFiles.read(name) } catch {
            findings.add(node.position, "\(name) cannot be read: \(error.why)")
            return []
        }
        if !flow.tableFiles.contains(where: { $0.name.hasSameBytes(as: name) }) {
            flow.tableFiles.append(FlowSource.TableFile(name: name, bytes: bytes))
            let total = flow.tableFiles.reduce(0) { $0 + $1.bytes.count }
            if total > FlowFileLimit.tablesBytes.maximum {
                findings.add(node.position, exceeding: .tablesBytes)
                return []
            }
        }
        let path = tableFiles.path(of: name)
        do throws(CSVReader.SyntaxError) {
            return rows(of: try CSVReader.read(bytes), columns, named: names, path)
        } catch {
            findings.add(error.position, in: path, error.why)
            return []
        }
    }

    /// Makes the rows of a table from the lines of the file at `path`. The first line names the columns.
    private func rows(
        of records: [[CSVReader.TableField]], _ columns: [FieldDefinition],
        named names: [String], _ path: String
    ) -> [[Value]] {
        guard let header = records.first else {
            findings.add(.start, in: path, "the file is empty; its first line names the columns")
            return []
        }
        guard let places = places(of: columns, named: names, header, path) else { return [] }
        let maximum = FlowFileLimit.tableRows.maximum
        if records.count > 1 + maximum {
            findings.add(records[1 + maximum][0].position, in: path, exceeding: .tableRows)
        }
        return records.dropFirst().prefix(maximum).map { record in
            guard record.count == header.count else {
                findings.add(
                    record[min(record.count, header.count + 1) - 1].position, in: path,
                    "\(record.count) fields in this line, and \(header.count) in the first one")
                return columns.map { _ in .null }
            }
            return zip(columns, places).map { column, place in
                guard let place else { return missingValue(column, .start, in: path) }
                let field = record[place]
                let isMissing = field.text.isEmpty && !field.isQuoted
                // An empty text is a value, unless the column says what a missing one is.
                let canBeEmpty =
                    column.type == .text && column.defaultValue == nil
                return isMissing && !canBeEmpty
                    ? missingValue(column, field.position, in: path)
                    : cell(field.text, column, field.position, in: path)
            }
        }
    }

    /// Returns the place of each column in the lines of a file, or nil for a column that its first line does not name. If the
    /// first line has a mistake, adds a finding and returns nil.
    private func places(
        of columns: [FieldDefinition], named names: [String],
        _ header: [CSVReader.TableField], _ path: String
    ) -> [Int?]? {
        var isRight = true
        func report(_ position: FilePosition, _ sentence: String) {
            findings.add(position, in: path, sentence)
            isRight = false
        }
        if header.count == 1, names.count > 1, header[0].text.contains(";") {
            report(
                header[0].position, "the fields are separated by ; here; separate them by commas")
            return nil
        }
        for (index, field) in header.enumerated() {
            let name = field.text[...].trimmed
            if !name.hasSameBytes(as: field.text), names.contains(where: name.hasSameBytes) {
                report(
                    field.position,
                    "blanks around \(name); write the name of a column, and each value, directly between the commas"
                )
            } else if !names.contains(where: field.text.hasSameBytes) {
                report(field.position, unknown("column", field.text, names))
            } else if header[..<index].contains(where: { field.text.hasSameBytes(as: $0.text) }) {
                report(field.position, "the column \(field.text) is here twice")
            }
        }
        let places = columns.map { column in
            header.firstIndex { column.name.hasSameBytes(as: $0.text[...].trimmed) }
        }
        for (column, place) in zip(columns, places)
        where place == nil && column.defaultValue == nil && !column.type.isOptional {
            report(.start, "the first line does not name the column \(column.name)")
        }
        return isRight ? places : nil
    }

    // MARK: orders

    /// Returns a type in which the table of an order is known; nil, with a finding, if the file has no such table.
    func resolved(_ type: DataType, _ position: FilePosition) -> DataType? {
        guard case .order(let name, _) = type.unwrapped else { return type }
        guard let table = flow.tables.first(where: { $0.name == name }) else {
            findings.add(position, unknown("table", name, flow.tables.map(\.name)))
            return nil
        }
        let order = DataType.order(table: name, rowCount: table.rows.count)
        return type.isOptional ? .optional(order) : order
    }
}
