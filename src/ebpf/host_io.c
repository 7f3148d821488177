/* SPDX-License-Identifier: Apache-2.0 */
#include "ebpf/host_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "model/hash.h"
#include "sys/whole.h"

int wick_host_ios_init(struct wick_host_ios *ios)
{
    *ios = (struct wick_host_ios){.slots = calloc(WICK_HOST_IO_SLOTS, sizeof *ios->slots)};
    return ios->slots ? 0 : -WICK_E_NOMEM;
}

void wick_host_ios_release(struct wick_host_ios *ios)
{
    for (uint32_t i = 0; ios->slots && i < WICK_HOST_IO_SLOTS; i++)
        free(ios->slots[i].frames);
    free(ios->slots);
    *ios = (struct wick_host_ios){0};
}

static uint32_t first_slot(const struct wick_host_io *io)
{
    return (uint32_t)wick_hash_2(io->request, 0) & (WICK_HOST_IO_SLOTS - 1);
}

/* Its slot, or the free one where it would be. */
static uint32_t slot_of(const struct wick_host_ios *ios, const struct wick_host_io *io)
{
    uint32_t i = first_slot(io);
    while (ios->slots[i].frames &&
           (ios->slots[i].io.request != io->request || ios->slots[i].io.begin_ns != io->begin_ns))
        i = (i + 1) & (WICK_HOST_IO_SLOTS - 1);
    return i;
}

/* Frees a slot: those behind it that could be nearer to their first one move up, so that none is cut off. */
static void empty(struct wick_host_ios *ios, uint32_t hole)
{
    const uint32_t mask = WICK_HOST_IO_SLOTS - 1;
    for (uint32_t i = (hole + 1) & mask; ios->slots[i].frames; i = (i + 1) & mask) {
        uint32_t first = first_slot(&ios->slots[i].io);
        if (((i - first) & mask) < ((i - hole) & mask))
            continue;
        ios->slots[hole] = ios->slots[i];
        hole = i;
    }
    ios->slots[hole].frames = NULL;
    ios->count--;
}

static bool is_older(const struct wick_host_ios *ios, uint32_t i, uint32_t than)
{
    return ios->slots[i].io.begin_ns < ios->slots[than].io.begin_ns;
}

static void forget(struct wick_host_ios *ios, uint32_t i)
{
    free(ios->slots[i].frames);
    empty(ios, i);
}

/* Forgets the oldest request at an address that has two, whose end was lost: the record of an end may come behind that
 * of the next beginning, made by another CPU, but not behind the one after it. */
static void forget_at(struct wick_host_ios *ios, const struct wick_host_io *io)
{
    uint32_t same = 0, oldest = 0;
    for (uint32_t i = first_slot(io); ios->slots[i].frames; i = (i + 1) & (WICK_HOST_IO_SLOTS - 1))
        if (ios->slots[i].io.request == io->request && (!same++ || is_older(ios, i, oldest)))
            oldest = i;
    if (same > 1)
        forget(ios, oldest);
}

/* No more than the table has room for are under way in the kernel, so the end of one of these was lost; most likely of
 * the oldest. */
static void forget_oldest(struct wick_host_ios *ios)
{
    uint32_t oldest = WICK_HOST_IO_SLOTS;
    for (uint32_t i = 0; i < WICK_HOST_IO_SLOTS; i++)
        if (ios->slots[i].frames && (oldest == WICK_HOST_IO_SLOTS || is_older(ios, i, oldest)))
            oldest = i;
    forget(ios, oldest);
}

bool wick_host_io_begin(struct wick_host_ios *ios, const struct wick_host_transfer *t)
{
    if (ios->slots[slot_of(ios, &t->io)].frames)
        return false;
    forget_at(ios, &t->io);
    if (ios->count >= WICK_HOST_TRANSFERS)
        forget_oldest(ios);
    struct wick_host_transfer *slot = &ios->slots[slot_of(ios, &t->io)];
    struct wick_jfr_frame *frames = malloc((t->n + 1) * sizeof *frames);
    if (!frames)
        return false;
    if (t->n)
        memcpy(frames, t->frames, t->n * sizeof *frames);
    *slot = *t;
    slot->frames = frames;
    ios->count++;
    return true;
}

bool wick_host_io_end(struct wick_host_ios *ios, const struct wick_host_io *io, struct wick_host_transfer *out)
{
    uint32_t i = slot_of(ios, io);
    if (!ios->slots[i].frames)
        return false;
    *out = ios->slots[i];
    empty(ios, i);
    return true;
}

void wick_host_ios_renew(struct wick_host_ios *ios, struct wick_host_tables *t, const struct wick_host_tables *old)
{
    for (uint32_t i = 0; i < WICK_HOST_IO_SLOTS; i++) {
        struct wick_host_transfer *slot = &ios->slots[i];
        if (!slot->frames)
            continue;
        slot->context = wick_host_carry_context(t, old, slot->context);
        for (uint32_t f = 0; f < slot->n; f++)
            slot->frames[f].method = wick_host_carry_method(t, old, slot->frames[f].method);
    }
}

/* --- names --- */

/* Letters that end a label or a line are not in a device's name. */
static void read_name(uint32_t major, uint32_t minor, char name[WICK_HOST_DEVICE])
{
    char path[64], text[512];
    snprintf(name, WICK_HOST_DEVICE, "%u:%u", major, minor);
    snprintf(path, sizeof path, "/sys/dev/block/%u:%u/uevent", major, minor);
    const char *found = wick_whole_text(path, text, sizeof text) > 0 ? strstr(text, "DEVNAME=") : NULL;
    if (!found || (found != text && found[-1] != '\n'))
        return;
    found += strlen("DEVNAME=");
    size_t n = strcspn(found, "\n,=\\");
    if (n && n < WICK_HOST_DEVICE) {
        memcpy(name, found, n);
        name[n] = 0;
    }
}

const char *wick_host_io_device(struct wick_host_ios *ios, uint32_t major, uint32_t minor)
{
    if (!major)
        return "none";
    for (uint32_t i = 0; i < ios->ndevices; i++)
        if (ios->devices[i].major == major && ios->devices[i].minor == minor)
            return ios->devices[i].name;
    uint32_t at = ios->ndevices < WICK_HOST_DEVICES ? ios->ndevices++ : WICK_HOST_DEVICES - 1;
    ios->devices[at].major = major;
    ios->devices[at].minor = minor;
    read_name(major, minor, ios->devices[at].name);
    return ios->devices[at].name;
}

/* enum req_op of linux/blk_types.h. */
const char *wick_host_io_operation(uint32_t operation)
{
    switch (operation) {
    case 0:
        return "read";
    case 1:
        return "write";
    case 2:
        return "flush";
    case 3:
        return "discard";
    default:
        return "other";
    }
}
