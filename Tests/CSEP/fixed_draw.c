// libsep assigns the pixels of blended sources by a random draw, seeded once per call of sep_extract, so that each blend
// depends on every blend before it. Skyfarm's kernel takes the middle of the range instead. This definition takes the
// place of the C library's in libsep's calls: in the tests, where symbol look-up begins with the executable, and preloaded
// into the Python of another oracle.
int rand_r(unsigned int *seed) {
    (void)seed;
    return 0x3fffffff;
}
