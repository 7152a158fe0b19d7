// Runs projections.swift for a number of positions and prints its checksum.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void test_projections(intptr_t count);

void report_checksum(uint64_t sum) { printf("projections %016llx\n", (unsigned long long)sum); }

int main(int count, char **arguments) {
    test_projections(count > 1 ? atol(arguments[1]) : 1000);
    return 0;
}
