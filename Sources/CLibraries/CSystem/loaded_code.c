// Required for dl_iterate_phdr.
#define _GNU_SOURCE
#include "csystem.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __linux__
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

struct buffer {
    uint8_t *bytes;
    size_t count;
    size_t capacity;
    int is_incomplete;
};

static void append(struct buffer *buffer, const void *bytes, size_t count) {
    if (count > buffer->capacity - buffer->count) {
        buffer->is_incomplete = 1;
        return;
    }
    memcpy(buffer->bytes + buffer->count, bytes, count);
    buffer->count += count;
}

/// Appends the build ID of a segment of notes. Returns whether the segment has one.
static int append_build_id(struct buffer *buffer, const uint8_t *notes, size_t size, size_t alignment) {
    size_t mask = (alignment == 8 ? 8 : 4) - 1;
    size_t place = 0;
    while (size - place >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes + place, sizeof note);
        size_t name = place + sizeof note;
        size_t content = name + ((note.n_namesz + mask) & ~mask);
        size_t end = content + ((note.n_descsz + mask) & ~mask);
        if (content < name || end < content || content + note.n_descsz > size) return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0) {
            append(buffer, notes + content, note.n_descsz);
            return 1;
        }
        if (end > size) return 0;
        place = end;
    }
    return 0;
}

static int append_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    struct buffer *buffer = context;
    for (int index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_NOTE) continue;
        const uint8_t *notes = (const uint8_t *)(object->dlpi_addr + segment->p_vaddr);
        if (append_build_id(buffer, notes, segment->p_memsz, segment->p_align)) return 0;
    }
    buffer->is_incomplete = 1;
    return 1;
}

/// Appends the processor capabilities by which the C library and compiled code select instructions.
static void append_processor(struct buffer *buffer) {
    unsigned long capabilities[] = {getauxval(AT_HWCAP), getauxval(AT_HWCAP2)};
    append(buffer, capabilities, sizeof capabilities);
#ifdef __x86_64__
    unsigned values[4];
    // Vendor; model and features, without the core's number; more features; extended state; name.
    static const unsigned leaves[][2] = {
        {0, 0}, {1, 0}, {7, 0}, {7, 1}, {13, 0}, {0x80000001, 0}, {0x80000002, 0}, {0x80000003, 0}, {0x80000004, 0},
    };
    for (size_t index = 0; index < sizeof leaves / sizeof *leaves; index++) {
        memset(values, 0, sizeof values);
        __get_cpuid_count(leaves[index][0], leaves[index][1], &values[0], &values[1], &values[2], &values[3]);
        if (leaves[index][0] == 1) values[1] = 0;
        append(buffer, values, sizeof values);
    }
#endif
    const char *tunables = getenv("GLIBC_TUNABLES");
    if (tunables) append(buffer, tunables, strlen(tunables));
}

size_t skyfarm_loaded_code(uint8_t *bytes, size_t capacity) {
    struct buffer buffer = {bytes, 0, capacity, 0};
    dl_iterate_phdr(append_object, &buffer);
    append_processor(&buffer);
    return buffer.is_incomplete ? 0 : buffer.count;
}

#else

size_t skyfarm_loaded_code(uint8_t *bytes, size_t capacity) {
    (void)bytes;
    (void)capacity;
    return 0;
}

#endif
