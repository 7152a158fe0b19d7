// CFITSIO's archive writes zeros, when it is first used, into three tables of 10,000 files each: a megabyte of memory that
// is zero already, which takes longer than the scan of a small image's header. The program is linked with these functions
// in their place (`--wrap`, see Package.swift); 0 is success.

int __wrap_mem_init(void) { return 0; }
int __wrap_file_init(void) { return 0; }
int __wrap_root_init(void) { return 0; }
