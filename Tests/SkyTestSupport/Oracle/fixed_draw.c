// Preloaded into the oracle's Python, so that its SEP draws as Skyfarm's does: always the middle of the range.
int rand_r(unsigned int *seed) {
    (void)seed;
    return 0x3fffffff;
}
