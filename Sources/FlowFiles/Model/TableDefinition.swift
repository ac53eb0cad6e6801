internal import GameFlow

/// A table of a flow file: rows with the same columns, which expressions read by the row's number. The numbers begin with 1.
///
/// It is a class, because the expressions that read the table share it.
final class TableDefinition {
    let name: String
    let columns: [FieldDefinition]
    /// The rows; each has one value for each column.
    let rows: [[Value]]

    init(name: String, columns: [FieldDefinition], rows: [[Value]]) {
        (self.name, self.columns, self.rows) = (name, columns, rows)
    }

    /// The values of a column, in the order of the rows.
    func values(ofColumn column: Int) -> [Value] { rows.map { $0[column] } }

    /// Returns the number of the first row that has this value in a column; 0 if no row has it.
    func number(ofRowWith value: Value, inColumn column: Int) -> Int {
        (rows.firstIndex { ValueOperation.areEqual($0[column], value) } ?? -1) + 1
    }
}
