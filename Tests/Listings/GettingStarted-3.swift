// block 6
