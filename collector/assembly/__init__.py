"""Operations → turns. `turns.assemble` is pure; `assembler.Assembler` decides when."""
