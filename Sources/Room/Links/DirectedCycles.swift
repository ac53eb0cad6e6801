/// Finds the cycles of a directed graph, whose nodes have the numbers 0 to `count - 1`.
package enum DirectedCycles {
    /// The groups of nodes in which each node leads, perhaps through others, to each node, in the order of their first nodes.
    /// `leads` returns whether there is an edge from the first to the second node. Tarjan's algorithm.
    package static func groups(of count: Int, leads: (Int, Int) -> Bool) -> [[Int]] {
        var (order, lowest) = (
            [Int?](repeating: nil, count: count), [Int](repeating: 0, count: count)
        )
        var isOnStack = [Bool](repeating: false, count: count)
        var (stack, visited, groups) = ([Int](), 0, [[Int]]())
        func visit(_ index: Int) {
            (order[index], lowest[index]) = (visited, visited)
            visited += 1
            stack.append(index)
            isOnStack[index] = true
            for next in 0..<count where leads(index, next) {
                if order[next] == nil {
                    visit(next)
                    lowest[index] = min(lowest[index], lowest[next])
                } else if isOnStack[next] {
                    lowest[index] = min(lowest[index], order[next] ?? 0)
                }
            }
            guard lowest[index] == order[index] else { return }
            var group: [Int] = []
            while let last = stack.popLast() {
                isOnStack[last] = false
                group.append(last)
                if last == index { break }
            }
            groups.append(group.sorted())
        }
        for index in 0..<count where order[index] == nil { visit(index) }
        return groups.filter { $0.count > 1 || leads($0[0], $0[0]) }.sorted { $0[0] < $1[0] }
    }
}
