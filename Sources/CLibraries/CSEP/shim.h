// sep.h uses size_t without including its header.
#include <stddef.h>
#include <sep.h>
