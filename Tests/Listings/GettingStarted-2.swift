// block 2
// block 3
// block 4
// block 5
